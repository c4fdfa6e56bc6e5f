import { metrics } from '@opentelemetry/api';
import { expect, test, vi } from 'vitest';
import { createQuota, createQuotaCoordinator } from '../../../src/quota/index.js';
import { collectMetrics } from '../client/collected-metrics.js';
import { until } from '../client/until.js';
import { expectNoMishaps } from '../server/mishaps.js';
import { LIMITS, QuotaBed } from './quota-bed.js';

expectNoMishaps();

const bed = new QuotaBed();

const read = collectMetrics();

/** All series of an instrument as they are now: `service customer scope` → value. */
async function collect(name: string): Promise<Record<string, number>> {
  const series = await read(`plimsoll.quota.${name}`);
  return Object.fromEntries(series.map(({ labels, value }) => [Object.values(labels).join(' '), value]));
}

test('limit, use, demand and what is refused of it, here and of the fleet', async () => {
  const { url } = await bed.redis();
  const quota = await bed.quota(url);
  const traffic = bed.traffic();
  traffic.add('heavy', [quota], 400);
  await until('a line', () => traffic.take('heavy').refused > 0);
  await until('the fleet', () => (quota.snapshot().fleet?.customers.length ?? 0) > 0);
  expect(await collect('limit')).toEqual({ 'search heavy': 100 });
  expect((await collect('level'))['search heavy']).toBeLessThanOrEqual(100);
  const use = await collect('use');
  expect(Object.keys(use).sort()).toEqual(['search heavy backend', 'search heavy fleet']);
  expect(use['search heavy backend']).toBeGreaterThan(0);
  expect((await collect('demand'))['search heavy fleet']).toBeGreaterThan(150);
  expect((await collect('refused'))['search heavy backend']).toBeGreaterThan(0);
  const removed = vi.spyOn(metrics.getMeter('plimsoll'), 'removeBatchObservableCallback');
  await quota.close();
  expect(removed).toHaveBeenCalledTimes(1);
});

test('of the fleet from a coordinator that does nothing else', async () => {
  const { url } = await bed.redis();
  const provider = metrics.getMeterProvider();
  metrics.disable();
  // Of this one nothing is collected.
  const backend = await bed.quota(url, { coordinates: false });
  metrics.setGlobalMeterProvider(provider);
  const coordinator = await createQuotaCoordinator({ redis: { url }, service: 'search', limits: LIMITS });
  bed.own(() => coordinator.close());
  const traffic = bed.traffic();
  traffic.add('heavy', [backend], 400);
  await until('the fleet', () => (coordinator.snapshot().fleet?.customers.length ?? 0) > 0);
  await until('some use', () => (coordinator.snapshot().fleet?.customers[0]?.demandPerSecond ?? 0) > 50);
  expect(await collect('limit')).toEqual({ 'search heavy': 100 });
  expect(Object.keys(await collect('use'))).toEqual(['search heavy fleet']);
  expect((await collect('demand'))['search heavy fleet']).toBeGreaterThan(0);
  const removed = vi.spyOn(metrics.getMeter('plimsoll'), 'removeBatchObservableCallback');
  await coordinator.close();
  expect(removed).toHaveBeenCalledTimes(1);
});

test('who has no limit has no series of one, and there are never more than 200 customers', async () => {
  const unlimited = { everyoneElse: { perSecond: Number.POSITIVE_INFINITY } };
  const quota = await createQuota({ service: 'mail', limits: unlimited });
  bed.own(() => quota.close());
  const now = performance.now();
  for (let i = 0; i < 300; i++) {
    quota.enforcement.admit(`customer ${i}`, 'CRITICAL', 0, now);
    quota.enforcement.charge(`customer ${i}`, 'CRITICAL', i, now);
  }
  expect(await collect('limit')).toEqual({});
  expect(await collect('level')).toEqual({});
  const use = await collect('use');
  expect(Object.keys(use)).toHaveLength(200);
  expect(use).toHaveProperty(['mail customer 299 backend']);
  quota.setLimits(LIMITS);
  expect(Object.keys(await collect('limit'))).toHaveLength(200);
});
