import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { until } from '../../client/until.js';
import { BatchBed, type Load } from './batch-bed.js';

const bed = new BatchBed();
afterEach(() => bed.close());

/** 40 places of 50 ms: 800 a second. */
const PLACES = 40;
const MEAN_MS = 50;
const CAPACITY = (PLACES * 1_000) / MEAN_MS;
const INTERACTIVE = 0.3 * CAPACITY;
const MEASURED_MS = 8_000;

async function p99(load: Load): Promise<number> {
  await load.counts();
  await sleep(MEASURED_MS);
  const { latencies } = await load.counts();
  expect(latencies.length).toBeGreaterThan(1_000);
  return latencies.sort((a, b) => a - b)[Math.ceil(0.99 * latencies.length) - 1]!;
}

it('leaves interactive requests of the same service as fast as they are without it, and takes what they leave', async () => {
  const service = await bed.service(PLACES);
  const { proxy, port } = await bed.proxy(service, { pace: { initialPerSecond: 100, maxUnderWay: 100 } });
  const alone = bed.load({ port: service, perSecond: INTERACTIVE, meanMs: MEAN_MS });
  await sleep(1_000);
  const before = await p99(alone);
  alone.stop();
  const beside = bed.load({ port: service, perSecond: INTERACTIVE, meanMs: MEAN_MS });
  const batch = bed.load({ port, connections: 3_000, meanMs: MEAN_MS, seed: 3 });
  await until('the batch is under way', () => proxy.snapshot().pace.ratePerSecond > 300, 30_000);
  await sleep(3_000);
  const first = await batch.counts();
  const during = await p99(beside);
  const { done, failed } = await batch.counts();
  const perSecond = ((done - first.done) * 1_000) / MEASURED_MS;
  expect(during / before).toBeLessThan(1.3);
  // Of .8 of the capacity; less where this machine has not enough of its own.
  expect(perSecond).toBeGreaterThan(0.75 * 0.5 * CAPACITY);
  expect(perSecond).toBeLessThan(1.2 * 0.5 * CAPACITY);
  expect(failed).toBe(0);
}, 120_000);
