import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, expect, it } from 'vitest';
import { until } from '../../client/until.js';
import { BatchBed } from './batch-bed.js';

const bed = new BatchBed();
afterEach(() => bed.close());

function usedBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

it('gives a job of ten connections as much as one of three thousand, with little memory for those that wait', async () => {
  const service = await bed.service(8);
  const { proxy, client, port } = await bed.proxy(service, {
    job: { header: 'x-job' },
    pace: { maxUnderWay: 8, initialPerSecond: 400, targetUtilization: 2, latencyFactor: 10 },
  });
  const beforeBytes = usedBytes();
  const many = bed.load({ port, connections: 3_000, meanMs: 10, headers: 'x-job: many\r\n' });
  await until('all wait', () => proxy.snapshot().waiting > 2_900, 60_000);
  const perConnection = (usedBytes() - beforeBytes) / 3_000;
  const few = bed.load({ port, connections: 10, meanMs: 10, headers: 'x-job: few\r\n', seed: 2 });
  await until('the few have come', () => proxy.snapshot().jobs.some(({ job }) => job === 'few'), 60_000);
  await sleep(1_000);
  const first = await Promise.all([many.counts(), few.counts()]);
  await sleep(4_000);
  const last = await Promise.all([many.counts(), few.counts()]);
  const [byMany, byFew] = last.map(({ done }, at) => done - first[at]!.done) as [number, number];
  expect(byMany + byFew).toBeGreaterThan(200);
  expect(byFew / (byMany + byFew)).toBeGreaterThan(0.42);
  expect(byFew / (byMany + byFew)).toBeLessThan(0.58);
  expect(last.map(({ failed }) => failed)).toEqual([0, 0]);
  // One for each under way, and some that are being given back.
  expect(client.snapshot().backends[0]!.connections).toBeLessThan(30);
  // Of which Node's own socket, parser, request and response are nearly all.
  expect(perConnection).toBeLessThan(10_000);
  // A job that leaves takes its requests along.
  many.stop();
  await until('the many have left', () => proxy.snapshot().waiting <= 10, 30_000);
  expect(proxy.snapshot().counts.left).toBeGreaterThan(2_500);
});
