import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type RequestOptions, requestText } from './request-text.js';

const GET: RequestOptions = { method: 'GET', path: '/', headers: [] };

const textOf = (options: Partial<RequestOptions>) => requestText({ ...GET, ...options }, 'backend:80');

describe('a simple request', () => {
  it('is written with the name of its backend, and a connection that is kept', () => {
    expect(textOf({ path: '/a?b=c', headers: ['X-One', '1', 'x-two', ''] })).toEqual({
      head: 'GET /a?b=c HTTP/1.1\r\nhost: backend:80\r\nconnection: keep-alive\r\nX-One: 1\r\nx-two: \r\n\r\n',
      body: undefined,
      isHead: false,
    });
  });

  it('is sent to the host that is given', () => {
    const { head } = textOf({ headers: ['a', 'b', 'Host', 'orders', 'c', 'd'] })!;
    expect(head.match(/host/gi)).toHaveLength(1);
    expect(head).toContain('\r\nHost: orders\r\n');
  });

  it('is sent to its backend when a host has no value', () => {
    for (const headers of [['Host'], ['a', 'b', 'host']])
      expect(textOf({ headers })!.head).toMatch(
        /^GET \/ HTTP\/1.1\r\nhost: backend:80\r\nconnection: keep-alive\r\n/,
      );
    expect(textOf({ headers: ['host', 'orders', 'host'] })!.head).toContain('host: orders\r\n');
  });

  it('has a body with its length in bytes, be it text or bytes', () => {
    for (const body of ['grün', Buffer.from('grün'), new Uint8Array(Buffer.from('grün'))]) {
      const text = textOf({ method: 'POST', body })!;
      expect(text.head).toContain('\r\ncontent-length: 5\r\n\r\n');
      expect(Buffer.from(text.body!).toString()).toBe('grün');
    }
  });

  it('says its length once, and only the one that it has', () => {
    const { head } = textOf({ method: 'PUT', headers: ['Content-Length', '5'], body: 'hello' })!;
    expect(head.match(/content-length/gi)).toHaveLength(1);
    for (const length of ['4', '6', '+5', '5 ', '', '0x5', '9'.repeat(20)])
      expect(
        textOf({ method: 'PUT', headers: ['content-length', length], body: 'hello' }),
        length,
      ).toBeUndefined();
    const twice = ['content-length', '5', 'Content-Length', '5'];
    expect(textOf({ method: 'PUT', headers: twice, body: 'hello' })).toBeUndefined();
  });

  it.each(['POST', 'PUT', 'PATCH'])('by %s says that it has no body', (method) => {
    for (const body of [undefined, null, '', Buffer.alloc(0)])
      expect(textOf({ method, body })).toMatchObject({
        head: `${method} / HTTP/1.1\r\nhost: backend:80\r\nconnection: keep-alive\r\ncontent-length: 0\r\n\r\n`,
        body: undefined,
      });
  });

  it.each(['GET', 'HEAD', 'OPTIONS', 'DELETE'])('by %s has no body, and does not speak of it', (method) => {
    expect(textOf({ method, headers: ['content-length', '0'] })!.head).not.toContain('content-length');
    // Who takes the body for the next request would be believed on a connection that is kept.
    expect(textOf({ method, body: 'GET /admin HTTP/1.1\r\n\r\n' })).toBeUndefined();
  });

  it('by HEAD has an answer without a body, and is the last on its connection', () => {
    // There are servers that send one all the same, perhaps after a while.
    expect(textOf({ method: 'HEAD' })).toMatchObject({
      head: 'HEAD / HTTP/1.1\r\nhost: backend:80\r\nconnection: close\r\n\r\n',
      isHead: true,
    });
  });
});

describe('left to somebody else is', () => {
  it.each(['get', 'CONNECT', 'TRACE', 'QUERY', 'FOO', '', 'GET / HTTP/1.1\r\nx: y\r\n\r\nGET', 'GET '])(
    'method %j',
    (method) => {
      expect(textOf({ method })).toBeUndefined();
    },
  );

  it.each([
    '',
    '*',
    'x',
    'http://a/',
    '/a b',
    '/a\r\nx: y',
    '/\n',
    '/\0',
    '/\u0100',
    '/\ud83d\ude00',
    '/a\tb',
  ])('path %j', (path) => {
    expect(textOf({ path })).toBeUndefined();
  });

  it.each([
    ['connection', 'close'],
    ['Connection', 'x-secret'],
    ['keep-alive', 'timeout=5'],
    ['Upgrade', 'websocket'],
    ['Transfer-Encoding', 'chunked'],
    ['expect', '100-continue'],
    ['', 'x'],
    ['x y', 'z'],
    ['x:', 'z'],
    ['x\r\ny', 'z'],
    ['x\n', 'z'],
    ['x\xe4', 'z'],
    ['x', 'a\r\nb: c'],
    ['x', 'a\nb'],
    ['x', 'a\rb'],
    ['x', 'a\0b'],
    ['x', '\x7f'],
    ['x', '\u010a'],
    ['host', 'a\r\nb: c'],
  ])('header %j: %j', (...header) => {
    expect(textOf({ headers: ['before', '1', ...header] })).toBeUndefined();
  });

  it('a second host', () => {
    expect(textOf({ headers: ['host', 'a', 'Host', 'a'] })).toBeUndefined();
  });

  it.each([
    { query: { a: 1 } },
    { upgrade: 'websocket' },
    { headersTimeout: 0 },
    { headersTimeout: 5 },
    { bodyTimeout: 0 },
    { reset: true },
    { blocking: true },
    { method: 'POST', body: (async function* () {})() },
    { method: 'POST', body: new ArrayBuffer(1) },
    { method: 'POST', body: new Blob(['a']) },
    { method: 'POST', body: new DataView(new ArrayBuffer(1)) },
    { method: 'POST', body: 5 },
  ] as Partial<RequestOptions>[])('%j', (options) => {
    expect(textOf(options)).toBeUndefined();
  });
});

it('whatever is asked for, what is written is one request with the headers that were given', () => {
  const unit = fc.constantFrom(
    'a',
    'B',
    '-',
    '/',
    ' ',
    ':',
    '\r',
    '\n',
    '\0',
    '\t',
    'ÿ',
    '\u010d',
    '\u010a',
    '5',
  );
  const word = fc.string({ unit, maxLength: 6 });
  const path = word.map((text) => `/${text}`);
  const method = fc.constantFrom('GET', 'POST', 'DELETE', 'HEAD');
  const headers = fc.array(fc.tuple(word, word), { maxLength: 4 }).map((pairs) => pairs.flat());
  let written = 0;
  fc.assert(
    fc.property(method, path, headers, (...[how, where, given]) => {
      const text = textOf({ method: how, path: where, headers: given });
      if (text === undefined) return;
      written++;
      const onWire = Buffer.from(text.head, 'latin1').toString('latin1');
      expect(onWire).toBe(text.head);
      const [first, ...lines] = onWire.split(/[\r\n\0]+/);
      expect(first!.split(' ')).toEqual([how, where, 'HTTP/1.1']);
      const own = how === 'POST' ? 3 : 2;
      expect(lines.slice(0, -1)).toHaveLength(own + given.length / 2);
      expect(onWire.indexOf('\r\n\r\n')).toBe(onWire.length - 4);
    }),
    { numRuns: 3_000 },
  );
  expect(written).toBeGreaterThan(100);
});
