import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RawBackend } from './raw-backend.js';
import { exchange, statuses } from './raw-exchange.js';
import { TinyGateway } from './tiny-gateway.js';

/** Follows each attack: what the attacker wants the backend to take for a request of its own. */
const HIDDEN = 'GET /hidden HTTP/1.1\r\nhost: x\r\n\r\n';
const HIDDEN_CHUNKED = `0\r\n\r\n${HIDDEN}`;

const post = (...lines: string[]) => ['POST /open HTTP/1.1', 'host: x', ...lines].join('\r\n');

/** Bytes of a client that means to be read in two ways, none of which must arrive as two requests. */
const ATTACKS: [name: string, bytes: string][] = [
  ['CL.TE', `${post('content-length: 4', 'transfer-encoding: chunked')}\r\n\r\n${HIDDEN_CHUNKED}`],
  ['TE.CL', `${post('transfer-encoding: chunked', 'content-length: 4')}\r\n\r\n${HIDDEN_CHUNKED}`],
  [
    'CL.TE with the length of all',
    `${post(`content-length: ${HIDDEN_CHUNKED.length}`, 'transfer-encoding: chunked')}\r\n\r\n${HIDDEN_CHUNKED}`,
  ],
  ['TE.TE', `${post('transfer-encoding: chunked', 'transfer-encoding: identity')}\r\n\r\n${HIDDEN_CHUNKED}`],
  ['TE: xchunked', `${post('transfer-encoding: xchunked')}\r\n\r\n${HIDDEN_CHUNKED}`],
  ['TE: chunked, identity', `${post('transfer-encoding: chunked, identity')}\r\n\r\n${HIDDEN_CHUNKED}`],
  ['TE: identity, chunked', `${post('transfer-encoding: identity, chunked')}\r\n\r\n${HIDDEN_CHUNKED}`],
  ['TE: gzip, chunked', `${post('transfer-encoding: gzip, chunked')}\r\n\r\n${HIDDEN_CHUNKED}`],
  ['TE with a tab', `${post('content-length: 4', 'transfer-encoding:\tchunked')}\r\n\r\n${HIDDEN_CHUNKED}`],
  [
    'TE with a vertical tab',
    `${post('content-length: 4', 'transfer-encoding:\x0bchunked')}\r\n\r\n${HIDDEN_CHUNKED}`,
  ],
  ['TE in quotes', `${post('content-length: 4', 'transfer-encoding: "chunked"')}\r\n\r\n${HIDDEN_CHUNKED}`],
  [
    'TE with a blank before the colon',
    `${post('content-length: 4', 'transfer-encoding : chunked')}\r\n\r\n${HIDDEN_CHUNKED}`,
  ],
  [
    'TE with a blank before its name',
    `${post('content-length: 4', ' transfer-encoding: chunked')}\r\n\r\n${HIDDEN_CHUNKED}`,
  ],
  [
    'TE behind a lonely LF',
    `${post('content-length: 4', 'x: y\ntransfer-encoding: chunked')}\r\n\r\n${HIDDEN_CHUNKED}`,
  ],
  [
    'TE behind a lonely CR',
    `${post('content-length: 4', 'x: y\rtransfer-encoding: chunked')}\r\n\r\n${HIDDEN_CHUNKED}`,
  ],
  [
    'TE on a folded line',
    `${post('content-length: 4', 'transfer-encoding:\r\n chunked')}\r\n\r\n${HIDDEN_CHUNKED}`,
  ],
  [
    'TE behind a NUL',
    `${post('content-length: 4', 'x: y\0', 'transfer-encoding: chunked')}\r\n\r\n${HIDDEN_CHUNKED}`,
  ],
  [
    'TE with an underscore',
    `${post(`content-length: ${HIDDEN_CHUNKED.length}`, 'transfer_encoding: chunked')}\r\n\r\n${HIDDEN_CHUNKED}`,
  ],
  [
    'lengths that differ',
    `${post('content-length: 0', `content-length: ${HIDDEN.length}`)}\r\n\r\n${HIDDEN}`,
  ],
  ['lengths that are the same', `${post('content-length: 5', 'content-length: 5')}\r\n\r\n12345`],
  ['a list of lengths', `${post(`content-length: 0, ${HIDDEN.length}`)}\r\n\r\n${HIDDEN}`],
  ['a length with a sign', `${post(`content-length: +${HIDDEN.length}`)}\r\n\r\n${HIDDEN}`],
  ['a length below zero', `${post('content-length: -1')}\r\n\r\n${HIDDEN}`],
  ['a length in hexadecimal', `${post('content-length: 0x5')}\r\n\r\n${HIDDEN}`],
  ['a length with a blank in it', `${post('content-length: 1 0')}\r\n\r\n${HIDDEN}`],
  ['a length without end', `${post(`content-length: ${'9'.repeat(30)}`)}\r\n\r\n${HIDDEN}`],
  ['a length with an underscore', `${post('content-length: 0', `content_length: ${HIDDEN.length}`)}\r\n\r\n`],
  ['a length behind a blank', `${post(` content-length: ${HIDDEN.length}`)}\r\n\r\n${HIDDEN}`],
  ['a folded header', `${post('x: a\r\n b', 'content-length: 0')}\r\n\r\n`],
  ['a name with a blank', `${post('x y: z', 'content-length: 0')}\r\n\r\n`],
  ['a header without a name', `${post(': z', 'content-length: 0')}\r\n\r\n`],
  ['a line without a colon', `${post('nothing', 'content-length: 0')}\r\n\r\n`],
  ['a NUL in a value', `${post('x: a\0b', 'content-length: 0')}\r\n\r\n`],
  ['a NUL in a name', `${post('x\0: a', 'content-length: 0')}\r\n\r\n`],
  ['a lonely CR in a value', `${post('x: a\rb: c', 'content-length: 0')}\r\n\r\n`],
  [
    'a blank in the path',
    `GET /open HTTP/1.1\r\nx: /hidden HTTP/1.1\r\nhost: x\r\n\r\n`.replace('/open', '/open /hidden'),
  ],
  [
    'a chunk too large to count',
    `${post('transfer-encoding: chunked')}\r\n\r\nfffffffffffffffff\r\n${HIDDEN_CHUNKED}`,
  ],
  ['a chunk of a negative size', `${post('transfer-encoding: chunked')}\r\n\r\n-1\r\n${HIDDEN_CHUNKED}`],
  ['a chunk size with 0x', `${post('transfer-encoding: chunked')}\r\n\r\n0x5\r\nhello\r\n${HIDDEN_CHUNKED}`],
  [
    'a chunk longer than it says',
    `${post('transfer-encoding: chunked')}\r\n\r\n2\r\nhello\r\n${HIDDEN_CHUNKED}`,
  ],
  ['a chunk line that ends in LF', `${post('transfer-encoding: chunked')}\r\n\r\n5\nhello\r\n0\r\n\r\n`],
  [
    'an endless chunk extension',
    `${post('transfer-encoding: chunked')}\r\n\r\n5;${'x'.repeat(70_000)}\r\nhello\r\n0\r\n\r\n`,
  ],
  [
    'chunks with HTTP/1.0',
    `POST /open HTTP/1.0\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n${HIDDEN_CHUNKED}`,
  ],
  ['two hosts', 'GET /open HTTP/1.1\r\nhost: x\r\nhost: y\r\n\r\n'],
  ['a host that is none', 'GET /open HTTP/1.1\r\nhost: x/../y\r\n\r\n'],
  ['two hosts in one', 'GET /open HTTP/1.1\r\nhost: x,y\r\n\r\n'],
  ['an escaped host', 'GET /open HTTP/1.1\r\nhost: x%2ey\r\n\r\n'],
  ['a host with an empty label', 'GET /open HTTP/1.1\r\nhost: .x\r\n\r\n'],
  ['a host with a user', 'GET /open HTTP/1.1\r\nhost: x@y\r\n\r\n'],
  ['no host', 'GET /open HTTP/1.1\r\n\r\n'],
  ['another host in the target', 'GET http://y/open HTTP/1.1\r\nhost: x\r\n\r\n'],
  ['a target of another scheme', 'GET file:///open HTTP/1.1\r\nhost: x\r\n\r\n'],
  ['a user in the target', 'GET http://x@y/open HTTP/1.1\r\nhost: x@y\r\n\r\n'],
  ['a fragment in the target', 'GET /open#/hidden HTTP/1.1\r\nhost: x\r\n\r\n'],
  ['a target without a slash', 'GET open HTTP/1.1\r\nhost: x\r\n\r\n'],
  ['CONNECT', `CONNECT x:80 HTTP/1.1\r\nhost: x\r\n\r\n${HIDDEN}`],
  [
    'an upgrade to HTTP/2',
    'GET /open HTTP/1.1\r\nhost: x\r\nconnection: upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\nPRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  ],
  [
    'an upgrade with a body',
    `POST /open HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\ncontent-length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`,
  ],
  ['an expectation that nobody knows', `${post('expect: 200-ok', 'content-length: 5')}\r\n\r\n12345`],
];

/** The same, where a request is none of our business but must arrive as the one that it is. */
const HARMLESS: [name: string, bytes: string, isBody: RegExp][] = [
  ['chunk extensions', `${post('transfer-encoding: chunked')}\r\n\r\n5;a=b\r\nhello\r\n0;c\r\n\r\n`, /hello/],
  [
    'request trailers',
    `${post('transfer-encoding: chunked', 'trailer: x')}\r\n\r\n5\r\nhello\r\n0\r\nx: y\r\n\r\n`,
    /hello/,
  ],
  [
    'a body that looks like a request',
    `${post(`content-length: ${HIDDEN.length}`)}\r\n\r\n${HIDDEN}`,
    /hidden/,
  ],
  [
    'a GET with a body',
    `GET /open HTTP/1.1\r\nhost: x\r\ncontent-length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`,
    /hidden/,
  ],
  [
    'a long list of chunks',
    `${post('transfer-encoding: chunked')}\r\n\r\n${'1\r\na\r\n'.repeat(100)}0\r\n\r\n`,
    /a/,
  ],
];

const ends = (text: string) => /\r\n\r\n[\s\S]*(?:ok|0\r\n\r\n|"status":\d+\})$/.test(text);

describe('bytes that mean to be read in two ways', () => {
  let backend: RawBackend;
  let gateway: TinyGateway;
  beforeEach(async () => {
    backend = await RawBackend.start();
    gateway = (await TinyGateway.start([backend.port])).onStop(() => backend.stop());
  });
  afterEach(() => gateway.stop());

  it.each(ATTACKS)('do not reach a careless backend as two: %s', async (_name, bytes) => {
    const text = await exchange(gateway.port, bytes, ends);
    for (const requests of backend.readings) {
      expect(requests.length, backend.bytes).toBeLessThanOrEqual(1);
      for (const request of requests) expect(request).toMatch(/^(?:GET|POST) \/open HTTP\/1\.1\r\n/);
    }
    expect(backend.readings[0]).toEqual(backend.readings[1]);
    expect(statuses(text).length, text).toBeLessThanOrEqual(1);
    // What was passed on of them has one length, and lines that end as they should.
    const [head = ''] = backend.bytes.split('\r\n\r\n');
    expect(head.match(/^(?:content-length|transfer-encoding|host):/gim)?.length ?? 0).toBeLessThanOrEqual(2);
    expect(head).not.toMatch(/[^\r]\n|\r[^\n]|\0/);
    expect(gateway.errors).toEqual([]);
  });

  it.each(HARMLESS)('arrive as one: %s', async (_name, bytes, isBody) => {
    await exchange(gateway.port, bytes, ends);
    for (const requests of backend.readings) {
      expect(requests, backend.bytes).toHaveLength(1);
      expect(requests[0]).toMatch(isBody);
      expect(requests[0]).not.toMatch(/;a=b|;c|^x: y/m);
    }
  });

  it('keep to their order and number when they are sent without waiting', async () => {
    const one = (n: number) => `GET /${n} HTTP/1.1\r\nhost: x\r\n\r\n`;
    const text = await exchange(
      gateway.port,
      `${one(1)}${post('content-length: 2')}\r\n\r\nab${one(3)}`,
      (all) => statuses(all).length === 3 && all.endsWith('ok'),
    );
    expect(statuses(text)).toEqual([200, 200, 200]);
    const lines = backend.readings[0]!.map((request) => request.split(' ')[1]).sort();
    expect(lines).toEqual(['/1', '/3', '/open']);
  });

  it('have nothing answered that follows a refused body', async () => {
    const text = await exchange(
      gateway.port,
      `${post('host: y', 'content-length: 9999')}\r\n\r\n${HIDDEN}`,
      ends,
    );
    expect(statuses(text)).toEqual([400]);
    expect(backend.bytes).toBe('');
  });
});

describe('the same in front of Node', () => {
  let server: Server;
  let gateway: TinyGateway;
  let seen: string[];
  beforeEach(async () => {
    seen = [];
    server = createServer((req, res) => {
      seen.push(`${req.method} ${req.url}`);
      req.resume().on('end', () => res.end('ok'));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    gateway = await TinyGateway.start([(server.address() as AddressInfo).port]);
    gateway.onStop(async () => {
      server.closeAllConnections();
      server.close();
    });
  });
  afterEach(() => gateway.stop());

  it.each(ATTACKS)('is one request at the most, and not the hidden one: %s', async (_name, bytes) => {
    await exchange(gateway.port, bytes, ends);
    expect(seen.length).toBeLessThanOrEqual(1);
    expect(seen.join()).not.toContain('hidden');
  });

  it.each(HARMLESS)('is served: %s', async (_name, bytes) => {
    expect(statuses(await exchange(gateway.port, bytes, ends))).toEqual([200]);
    expect(seen).toHaveLength(1);
  });
});
