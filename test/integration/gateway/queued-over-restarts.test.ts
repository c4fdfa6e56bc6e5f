import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { RedisServer } from '../../redis/redis-server.js';
import { until } from '../client/until.js';
import { EchoBackend } from './echo-backend.js';
import { GatewayProcess } from './gateway-process.js';

/** Any key: no request here has one. */
const KEYS = `"sha256:${'0'.repeat(64)}": acme\n`;

let redis: RedisServer;
let backend: EchoBackend;
let folder: string;
let keys: string;
const gateways: GatewayProcess[] = [];

beforeEach(async () => {
  redis = await RedisServer.start();
  backend = await EchoBackend.start();
  folder = mkdtempSync(join(tmpdir(), 'plimsoll-queue-'));
  keys = join(folder, 'keys.yaml');
  writeFileSync(keys, KEYS);
});
afterEach(async () => {
  for (const gateway of gateways.splice(0)) await gateway.stop();
  await backend.stop();
  await redis.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Each request has one attempt: one that is lost is a dead letter. */
async function start(): Promise<GatewayProcess> {
  const settings = `
listen: 127.0.0.1:0
redis: { url: "\${REDIS_URL}", timeout: 5s } # the machine may be busy
queue: { attempts: 1 }
drain: { spread: 10ms, timeout: 100ms }
overload: { mode: dry-run }
identity: { apiKeys: { file: "${keys}" } }
limits: { slow: { rate: 2/s, burst: 20, key: ip, algorithm: leaking-bucket, onLimit: queue } }
routes: [{ path: /q, to: "${backend.url}", limits: [slow] }]
`;
  const gateway = await GatewayProcess.start(settings, { REDIS_URL: redis.url });
  gateways.push(gateway);
  return gateway;
}

/** Asks until so many have been told to wait; where what became of each can be read. */
async function queued(gateway: GatewayProcess, count: number): Promise<string[]> {
  const places: string[] = [];
  while (places.length < count) {
    const body = `later ${places.length}`;
    const answer = await fetch(gateway.url('/q'), { method: 'POST', body });
    if (answer.status === 202) places.push(answer.headers.get('location')!);
    // It is there before its connection to the queue is.
    if (answer.status === 503) await sleep(100);
  }
  return places;
}

/** What has become of one at last: `done`, or `failed`. */
async function endOf(gateway: GatewayProcess, place: string): Promise<string> {
  for (;;) {
    const { status } = (await (await fetch(gateway.url(place))).json()) as { status: string };
    if (status === 'done' || status === 'failed') return status;
    await sleep(50);
  }
}

it('lose no attempt by a gateway that begins slowly, or not at all', async () => {
  const first = await start();
  const places = await queued(first, 4);
  await first.stop();
  // Read by a gateway when all but its routes is there.
  rmSync(keys);
  execFileSync('mkfifo', [keys]);
  const startSlowly = async (said: string): Promise<GatewayProcess> => {
    const starting = start();
    const given = await open(keys, 'w');
    // All of them have had their turn by then.
    await sleep(2_500);
    await given.writeFile(said);
    await given.close();
    return await starting;
  };
  const failed = await startSlowly('no keys at all');
  expect(await failed.exited).not.toBe(0);
  const last = await startSlowly(KEYS);
  for (const place of places) expect(await endOf(last, place)).toBe('done');
}, 60_000);

it('are performed to their end, and once, when a gateway ends meanwhile', async () => {
  const held: ServerResponse[] = [];
  let cutOff = 0;
  backend.handler = (req, res) => {
    if (req.headers['idempotency-key'] === undefined) {
      res.end();
      return;
    }
    held.push(res);
    res.on('close', () => {
      if (!res.writableEnded) cutOff++;
    });
  };
  const first = await start();
  const [place] = await queued(first, 1);
  await until('its turn', () => held.length === 1);
  first.child.kill('SIGTERM');
  while (await fetch(first.url('/none')).then(isAnswered, () => false)) await sleep(50);
  // It would have been cut off by now.
  await sleep(1_000);
  held[0]!.end('done');
  expect(await first.exited).toBe(0);
  const next = await start();
  expect(await endOf(next, place!)).toBe('done');
  expect([held.length, cutOff]).toEqual([1, 0]);
}, 60_000);

function isAnswered(): boolean {
  return true;
}
