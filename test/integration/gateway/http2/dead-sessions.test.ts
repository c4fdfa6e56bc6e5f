import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Http2Acceptor, http2Limits } from '../../../../src/gateway/http2/index.js';
import { until } from '../../server/guarded-server.js';
import { expectNoMishaps } from '../../server/mishaps.js';
import { END_HEADERS, END_STREAM, FRAME, frame, GET, POST, RawHttp2 } from './raw-frames.js';

expectNoMishaps();

let server: Server;
let acceptor: Http2Acceptor;
let raw: RawHttp2;
let answer: () => void;

beforeEach(async () => {
  acceptor = new Http2Acceptor({
    limits: http2Limits({ askMs: 100, answerMs: 500 }),
    onStream: (_req, res) => {
      answer = () => res.end('fine');
    },
    isLeaving: () => false,
  });
  server = createServer(acceptor.accept);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  raw = await RawHttp2.open((server.address() as AddressInfo).port);
});
afterEach(() => {
  raw.socket.destroy();
  acceptor.close();
  server.close();
});

const open = () =>
  new Promise<number>((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );

describe('a connection with a stream', () => {
  it.each<[string, () => void]>([
    ['data after its end', () => raw.send(FRAME.data, 0, 1, Buffer.from('b'))],
    ['a frame that is too long', () => raw.send(FRAME.data, 0, 1, Buffer.alloc(20_000))],
    ['headers that cannot be unpacked', () => raw.send(FRAME.headers, 5, 3, Buffer.alloc(6, 0xff))],
    ['settings of a wrong length', () => raw.send(FRAME.settings, 1, 0, Buffer.alloc(6))],
  ])('is let go of after %s, though its client stays', async (_name, offend) => {
    raw.headers(1, POST, END_HEADERS);
    raw.send(FRAME.data, END_STREAM, 1, Buffer.from('a'));
    await until(() => acceptor.connections === 1 && answer !== undefined);
    offend();
    await until(() => acceptor.connections === 0);
    expect(await open()).toBe(0);
  });

  it('is let go of when its client has vanished, and kept while it answers', async () => {
    raw.headers(1, GET);
    await until(() => raw.of(FRAME.ping).length > 0);
    // As whoever speaks HTTP/2 does.
    const [ping] = raw.of(FRAME.ping);
    raw.socket.write(frame(FRAME.ping, 1, 0, ping!.payload));
    await until(() => raw.of(FRAME.ping).length > 1);
    expect(acceptor.connections).toBe(1);
    await until(() => acceptor.connections === 0);
  });
});
