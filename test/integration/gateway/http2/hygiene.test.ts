import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../server/guarded-server.js';
import { expectNoMishaps } from '../../server/mishaps.js';
import type { EchoBackend } from '../echo-backend.js';
import { Http2Stage, type Staged } from './http2-stage.js';
import { END_HEADERS, type Fields, FRAME, GET, POST, RawHttp2 } from './raw-frames.js';

expectNoMishaps();

const stage = new Http2Stage();
let backend: EchoBackend;
let staged: Staged;
beforeAll(async () => {
  backend = await stage.backend();
  staged = await stage.gateway(`routes: [{ to: "${backend.url}" }]`);
});
afterAll(() => stage.stop());

/** Says it on a new connection, and afterwards something that is fine; returns how each was answered. */
async function tell(fields: Fields): Promise<{ isRefused: boolean; seen: number }> {
  const before = backend.seen.length;
  const raw = await RawHttp2.open(staged.port);
  raw.headers(1, fields);
  await until(() => raw.isOver(1) || raw.of(FRAME.headers, 1).length > 0);
  const isAnswered = raw.of(FRAME.headers, 1).length > 0;
  // HPACK has 400 as an indexed status, and nothing else of ours begins like that.
  const is400 = raw.of(FRAME.headers, 1)[0]?.payload[0] === 0x8c;
  raw.socket.destroy();
  return { isRefused: !isAnswered || is400, seen: backend.seen.length - before };
}

const replaced = (name: string, value: string): Fields =>
  GET.map(([known, old]) => (known === name ? [name, value] : [known, old]));

describe('a request by HTTP/2', () => {
  it('is sent on when it is in order', async () => {
    expect(await tell(GET)).toEqual({ isRefused: false, seen: 1 });
    expect(await tell([...GET, ['te', 'trailers'], ['x', 'a\tb']])).toEqual({ isRefused: false, seen: 1 });
    expect(await tell([...GET, ['host', 'a.test']])).toEqual({ isRefused: false, seen: 1 });
  });

  it.each<[string, Fields]>([
    ['capitals in a name', [...GET, ['X-Own', 'a']]],
    ['transfer-encoding', [...POST, ['transfer-encoding', 'chunked']]],
    ['connection', [...GET, ['connection', 'x-own']]],
    ['keep-alive', [...GET, ['keep-alive', '1']]],
    ['proxy-connection', [...GET, ['proxy-connection', 'close']]],
    ['upgrade', [...GET, ['upgrade', 'websocket']]],
    ['another TE', [...GET, ['te', 'gzip']]],
    ['two lengths', [...POST, ['content-length', '0'], ['content-length', '0']]],
    ['two different lengths', [...POST, ['content-length', '5'], ['content-length', '0']]],
    ['a length without a body', [...POST, ['content-length', '5']]],
    ['a length that is none', [...POST, ['content-length', '+0']]],
    ['another host than :authority', [...GET, ['host', 'b.test']]],
    ['two hosts', [...GET.slice(0, 3), ['host', 'a.test'], ['host', 'a.test']]],
    ['no host at all', GET.slice(0, 3)],
    ['an :authority with a path', replaced(':authority', 'a.test/x')],
    ['an :authority with somebody in it', replaced(':authority', 'me@a.test')],
    ['an :authority with a line break', replaced(':authority', 'a.test\r\nx: y')],
    ['an empty :authority', replaced(':authority', '')],
    ['a :path without a slash', replaced(':path', 'x')],
    ['an absolute :path', replaced(':path', 'http://b.test/')],
    ['an empty :path', replaced(':path', '')],
    ['a star for GET', replaced(':path', '*')],
    ['a :path with a space', replaced(':path', '/ HTTP/1.1\r\nx: y')],
    ['a :path with a fragment', replaced(':path', '/a#b')],
    ['a :method with a space', replaced(':method', 'GET /x HTTP/1.1\r\n')],
    ['a :method that is empty', replaced(':method', '')],
    ['another :scheme', replaced(':scheme', 'ftp')],
    ['no :method', GET.slice(1)],
    ['no :path', [GET[0]!, GET[1]!, GET[3]!]],
    ['two of one', [...GET, [':path', '/b']]],
    ['two of one beside each other', [GET[0]!, ...GET]],
    ['one behind a header', [GET[0]!, GET[1]!, GET[2]!, ['x', 'a'], GET[3]!]],
    ['one that is not known', [...GET.slice(0, 4), [':own', 'x']]],
    ['one of answers', [...GET.slice(0, 4), [':status', '200']]],
    ['a protocol that was not offered', [...replaced(':method', 'CONNECT'), [':protocol', 'websocket']]],
  ])('is refused with %s', async (_name, fields) => {
    expect(await tell(fields)).toEqual({ isRefused: true, seen: 0 });
  });

  it.each<[string, Fields]>([
    ['a line break in a value', [...GET, ['x', 'a\r\nhost: evil']]],
    ['a line feed alone', [...GET, ['x', 'a\nb']]],
    ['a NUL', [...GET, ['x', 'a\0b']]],
    ['a line break in a name', [...GET, ['x: y\r\nz', 'a']]],
    ['a colon in a name', [...GET, ['x:', 'a']]],
    ['a space in a name', [...GET, ['x y', 'a']]],
    ['an empty name', [...GET, ['', 'a']]],
  ])('is sent on without a header that has %s', async (_name, fields) => {
    // Node leaves it out, and says nothing of it: nobody behind us reads a line of it.
    expect(await tell(fields)).toEqual({ isRefused: false, seen: 1 });
    const known = ['accept', 'host', 'forwarded', 'via', 'traceparent', 'baggage', 'connection'];
    const others = Object.keys(backend.seen.at(-1)!.headers).filter((name) => !known.includes(name));
    for (const name of others) expect(name).toMatch(/^x-(?:forwarded|request|envoy|plimsoll)-/);
    expect(JSON.stringify(backend.seen.at(-1))).not.toContain('evil');
  });

  it('has as much of a body as it says, or is not taken for one', async () => {
    const before = backend.seen.length;
    for (const body of ['hell', 'hello!']) {
      const raw = await RawHttp2.open(staged.port);
      raw.headers(1, [...POST, ['content-length', '5']], END_HEADERS);
      raw.send(FRAME.data, 1, 1, Buffer.from(body));
      await until(() => raw.isOver(1));
      raw.socket.destroy();
    }
    const large = 'x'.repeat(100_000);
    // Sent on as it comes: its backend sees that it is cut off.
    const raw = await RawHttp2.open(staged.port);
    raw.headers(1, [...POST, ['content-length', '200000']], END_HEADERS);
    for (let at = 0; at < 60_000; at += 10_000)
      raw.send(FRAME.data, 0, 1, Buffer.from(large.slice(0, 10_000)));
    raw.send(FRAME.data, 1, 1, Buffer.from('x'));
    await until(() => raw.isOver(1));
    raw.socket.destroy();
    expect(backend.seen.length).toBe(before);
    await until(() => staged.gateway.guard.snapshot().inFlight === 0);
  });

  it('has no more headers than others', async () => {
    const many: Fields = [...GET, ...Array.from({ length: 300 }, (_, i) => [`x-${i}`, 'a'] as const)];
    expect(await tell(many)).toEqual({ isRefused: true, seen: 0 });
    const long: Fields = [
      ...GET,
      ...Array.from({ length: 4 }, (_, i) => [`x-${i}`, 'a'.repeat(10_000)] as const),
    ];
    expect((await tell(long)).seen).toBe(0);
  });
});
