import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { aRedis, contents, endAfterEach, until } from '../rate-limit/queue-bed.js';
import { expectNoMishaps } from '../server/mishaps.js';
import { EchoBackend } from './echo-backend.js';
import { RunningGateway } from './running-gateway.js';

expectNoMishaps();
endAfterEach();

let backend: EchoBackend;
let gateway: RunningGateway;
let redisPort: number;

beforeEach(async () => {
  backend = await EchoBackend.start();
});
afterEach(async () => {
  await gateway.stop();
  await backend.stop();
});

const SECRETS = {
  'x-auth-token': 's3cret-token',
  'x-pass': 's3cret-pass',
  'x-session-id': 's3cret-session',
};

/** Limits by headers with secrets, of which one is called so by `identity` alone. `rate` is that of the one that queues. */
async function start(rate: string): Promise<void> {
  const redis = await aRedis();
  redisPort = redis.port;
  gateway = await RunningGateway.start(`
redis: { url: "${redis.url}", timeout: 5s } # the machine may be busy
overload: { mode: dry-run }
identity: { jwt: { secret: "0123456789abcdef0123456789abcdef", algorithms: [HS256], header: X-Pass } }
limits:
  slow: { rate: ${rate}, burst: 20, key: "header:x-auth-token", algorithm: leaking-bucket, onLimit: queue }
  by-pass: { rate: 1000/h, key: ["header:x-pass", method] }
  by-device: { rate: 1000/h, key: "header:x-device" }
routes:
  - { name: q, path: /q, to: "${backend.url}", limits: [by-pass, by-device, slow] }`);
}

/** A gateway on a busy machine is there before its connection to the queue is, and says so. */
async function post(body: string): Promise<number> {
  for (;;) {
    const headers = { ...SECRETS, 'x-device': 'phone', 'x-hub-signature': 'sha1=0a' };
    const { status } = await gateway.ask('/q', { method: 'POST', headers, body });
    if (status !== 503) return status;
    await sleep(100);
  }
}

it('leaves no secret in Redis that requests are counted by, nor with those that are queued', async () => {
  await start('1/h');
  expect([await post('now'), await post('later')]).toEqual([200, 202]);
  const text = await contents(redisPort);
  for (const limit of [/\{[\w-]{22}\}:slow/, /\{[\w-]{22}\|POST\}:by-pass/, /\{phone\}:by-device/])
    expect(text).toMatch(limit);
  expect(text).toContain('x-device');
  expect(text).not.toContain('s3cret');
});

it('performs what was queued without them, and with what proves whose it is', async () => {
  await start('2/s');
  expect([await post('now'), await post('later')]).toEqual([200, 202]);
  await until('both are there', () => backend.seen.length === 2);
  const [now, later] = backend.seen;
  expect(now!.headers).toMatchObject(SECRETS);
  expect(later!.headers).toMatchObject({ 'x-device': 'phone', 'x-hub-signature': 'sha1=0a' });
  expect(JSON.stringify(later)).not.toContain('s3cret');
});
