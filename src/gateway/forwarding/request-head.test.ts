import { describe, expect, it } from 'vitest';
import { HeaderEdits } from './header-edits.js';
import { type HeadTarget, type IncomingHead, RequestHead } from './request-head.js';

const target: HeadTarget = { host: 'backend', protocol: 'http' };

function read(rawHeaders: string[], over: Partial<HeadTarget> = {}, incoming: Partial<IncomingHead> = {}) {
  const head = new RequestHead();
  const socket = { remoteAddress: '10.0.0.9' };
  const problem = head.read(
    { method: 'GET', url: '/a', rawHeaders, socket, ...incoming },
    { ...target, ...over },
  );
  return { head, problem };
}

const OURS = ['x-forwarded-for', '10.0.0.9', 'x-forwarded-proto', 'http', 'x-forwarded-host', 'h'];
const TAIL = ['forwarded', 'for=10.0.0.9;host="h";proto=http', 'via', '1.1 plimsoll'];

describe('RequestHead', () => {
  it('keeps what is the client’s as it was written, and adds what is ours', () => {
    const { head, problem } = read(['Host', 'h', 'X-A', '1', 'x-a', '2']);
    expect(problem).toBeUndefined();
    expect(head.headers).toEqual(['X-A', '1', 'x-a', '2', ...OURS, ...TAIL]);
    expect([head.path, head.host, head.hasBody]).toEqual(['/a', 'h', false]);
  });

  it('says nothing of what it does not know', () => {
    const { head } = read([], {}, { socket: {} });
    expect(head.headers).toEqual([
      'x-forwarded-proto',
      'http',
      'forwarded',
      'for=unknown;proto=http',
      'via',
      '1.1 plimsoll',
    ]);
  });

  it('drops what a Connection header names, but none of ours', () => {
    const { head } = read([
      'Host',
      'h',
      'A',
      '1',
      'B',
      '2',
      'Connection',
      'a, VIA',
      'connection',
      'x-forwarded-for,,',
    ]);
    expect(head.headers).toEqual(['B', '2', ...OURS, ...TAIL]);
  });

  it.each([
    [['content-length', '0'], false],
    [['content-length', '7'], true],
    [['transfer-encoding', 'Chunked'], true],
    [[], false],
  ])('knows whether a body follows: %s', (framing, hasBody) => {
    const { head } = read(['Host', 'h', ...framing]);
    expect(head.hasBody).toBe(hasBody);
    expect(head.headers.includes('content-length')).toBe(framing[1] === '7');
  });

  it.each([
    [['Host', 'a', 'Host', 'b'], 'bad-request'],
    [['Host', 'a b'], 'bad-request'],
    [['content-length', '1', 'Content-Length', '1'], 'bad-request'],
    [['content-length', '1x'], 'bad-request'],
    [['content-length', ''], 'bad-request'],
    [['content-length', '1', 'transfer-encoding', 'chunked'], 'bad-request'],
    [['transfer-encoding', 'chunked', 'transfer-encoding', 'chunked'], 'bad-request'],
    [['transfer-encoding', 'gzip, chunked'], 'bad-coding'],
    [['connection', Array.from({ length: 40 }, (_, n) => `x${n}`).join(',')], 'bad-request'],
    [Array.from({ length: 8 }, () => ['via', '1.0 other, 1.1 plimsoll']).flat(), 'loop'],
    [Array.from({ length: 2_000 }, () => ['x', 'y']).flat(), 'bad-headers'],
  ])('refuses %s', (rawHeaders, problem) => {
    expect(read(rawHeaders as string[]).problem).toBe(problem);
  });

  it('refuses as many headers as the server collects', () => {
    const socket = { remoteAddress: '10.0.0.9', server: { maxHeadersCount: 3 } };
    const headers = (count: number) => Array.from({ length: count }, () => ['x', 'y']).flat();
    expect(read(headers(2), {}, { socket }).problem).toBeUndefined();
    expect(read(headers(3), {}, { socket }).problem).toBe('bad-headers');
  });

  it('refuses a target that is none, and one of another host', () => {
    expect(read(['Host', 'h'], {}, { url: 'a' }).problem).toBe('bad-request');
    expect(read(['Host', 'h'], {}, { url: 'http://i/' }).problem).toBe('bad-request');
    expect(read(['Host', 'h'], {}, { url: 'http://h/b?c' }).head.path).toBe('/b?c');
  });

  it('asks for trailers if the client does, and waits for no word if it does', () => {
    const { head } = read(['TE', 'gzip;q=0.5, Trailers', 'Expect', '100-continue']);
    expect(head.headers.slice(0, 2)).toEqual(['te', 'trailers']);
    expect(head.expectsContinue).toBe(true);
    expect(read(['te', 'gzip']).head.headers).not.toContain('te');
  });

  it('calls the backend as it is told, and does what the operator says', () => {
    const requestHeaders = new HeaderEdits('edits', { set: { 'X-B': '9' }, remove: ['x-a'] });
    const { head } = read(['Host', 'h', 'X-A', '1', 'x-b', '2'], {
      host: 'request',
      requestHeaders,
      path: '/other',
      clientAddress: '::ffff:1.2.3.4',
      protocol: 'https',
    });
    expect(head.headers.slice(0, 4)).toEqual(['host', 'h', 'x-forwarded-for', '1.2.3.4']);
    expect(head.headers.slice(-2)).toEqual(['x-b', '9']);
    expect(head.headers).not.toContain('X-A');
    expect(head.path).toBe('/other');
    expect(read(['Host', 'h'], { host: 'named.test' }).head.headers.slice(0, 2)).toEqual([
      'host',
      'named.test',
    ]);
  });
});
