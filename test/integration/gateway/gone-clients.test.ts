import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RedisServer } from '../../redis/redis-server.js';
import { until } from '../client/until.js';
import { expectNoMishaps } from '../server/mishaps.js';
import { EchoBackend } from './echo-backend.js';
import { RunningGateway } from './running-gateway.js';

expectNoMishaps();

const CLIENTS = 20;

let redis: RedisServer;
let backend: EchoBackend;
let gateway: RunningGateway;

beforeAll(async () => {
  redis = await RedisServer.start();
});
beforeEach(async () => {
  backend = await EchoBackend.start();
  gateway = await RunningGateway.start(`
redis: { url: "${redis.url}", timeout: 5s }
limits: { ok: { rate: 100000/s, key: ip } }
services: { own: { backends: ["${backend.url}"] } }
routes:
  - { name: stale, path: /stale/*, to: own, limits: [ok], stale: true }
  - { name: batch, path: /batch/*, to: own, limits: [ok], batch: {} }
  - { name: plain, to: own, limits: [ok] }
`);
});
afterEach(async () => {
  await gateway.stop();
  await backend.stop();
});
afterAll(() => redis.stop());

const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`;
const post = (path: string, more: string) => `POST ${path} HTTP/1.1\r\nhost: a\r\n${more}`;
const chunked = (path: string, body: string) => post(path, `transfer-encoding: chunked\r\n\r\n${body}`);

const WHOLE = '5\r\nhello\r\n0\r\n\r\n';
/** No length of a chunk is written so: Node ends the connection. */
const BROKEN = '5\r\nhello\r\nzz\r\n';

const active = () => gateway.gateway.generation.services.get('own')!.client.snapshot().active;

/** Requests that come in one piece, and so before Redis has said anything of the first. */
async function send(text: string, resets: boolean): Promise<void> {
  const sockets = Array.from({ length: CLIENTS }, () => {
    const socket = connect(gateway.port, '127.0.0.1').on('error', () => {});
    socket.write(text, () => resets && socket.resetAndDestroy());
    return socket;
  });
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.resume().on('close', resolve))));
}

describe.each(['/a', '/stale/a', '/batch/a'])(
  'a client of %s that goes while a limit is asked for',
  (path) => {
    it.each([
      ['a broken body behind a whole one', chunked(path, WHOLE) + chunked(path, BROKEN)],
      ['a broken body behind a question', get(path) + chunked(path, BROKEN)],
      ['a broken body behind several', get(path).repeat(3) + chunked(path, BROKEN)],
      ['a broken body', chunked(path, BROKEN)],
      ['a body that stops behind a question', get(path) + post(path, 'content-length: 9\r\n\r\nhello'), true],
      ['pieces that stop behind a question', get(path) + chunked(path, '5\r\nhello\r\n'), true],
    ])('takes no place with %s', async (_what, text, resets = false) => {
      await send(text, resets);
      // All that was asked for has been decided on, and settings are no longer kept for it.
      let isDecided = false;
      gateway.gateway.generation.retire(() => {
        isDecided = true;
      });
      await until('decisions', () => isDecided, 5_000);
      await until('places', () => active() === 0 && gateway.gateway.guard.snapshot().inFlight === 0, 5_000);
      const { batch } = gateway.gateway.snapshot().routes['batch']!;
      expect(batch).toMatchObject({ waiting: 0, underWay: 0 });
      // Whoever has gone before it was known whether it may is not sent on.
      if (!resets) expect(backend.seen).toEqual([]);
      expect((await gateway.ask(path)).status).toBe(200);
    });
  },
);
