import { metrics } from '@opentelemetry/api';
import { expect, test, vi } from 'vitest';
import { createLimiter, createRateLimits, type RateStore } from '../../../src/rate-limit/index.js';
import { collectMetrics } from '../client/collected-metrics.js';
import { expectNoMishaps } from '../server/mishaps.js';

expectNoMishaps();

const read = collectMetrics();

/** All series of an instrument as they are now: `rule outcome` → value. */
async function collect(name: string): Promise<Record<string, number>> {
  const series = await read(`plimsoll.ratelimit.${name}`);
  return Object.fromEntries(series.map(({ labels, value }) => [Object.values(labels).join(' '), value]));
}

const request = (address: string) => ({ method: 'GET', url: '/', address, header: () => undefined });

test('rules tell what they said, by name and outcome, and never by key', async () => {
  const removed = vi.spyOn(metrics.getMeter('plimsoll'), 'removeBatchObservableCallback');
  const limits = createRateLimits({
    rules: [
      { name: 'ip', key: 'ip', algorithm: 'fixed-window', rate: '2/d' },
      { name: 'trial', key: 'all', algorithm: 'sliding-log', rate: '1/d', onLimit: 'shadow' },
    ],
  });
  for (const address of ['1.1.1.1', '1.1.1.1', '1.1.1.1', '2.2.2.2']) await limits.decide(request(address));
  expect(await collect('decisions')).toEqual({
    'ip allowed': 3,
    'ip refused': 1,
    'ip shadow_refused': 0,
    'trial allowed': 1,
    'trial refused': 0,
    'trial shadow_refused': 3,
  });
  expect(await collect('undecided')).toEqual({ ip: 0, trial: 0 });
  await limits.close();
  await limits.close();
  expect(removed).toHaveBeenCalledOnce();
});

test('stores that fail or are late are seen', async () => {
  let isSilent = false;
  const fail = () => Promise.reject(new Error('gone'));
  const store: RateStore = {
    take: () => (isSilent ? new Promise(() => {}) : fail()),
    peek: fail,
    settle: fail,
    schedule: fail,
    reset: fail,
    close: fail,
  };
  const limiter = createLimiter({ name: 'a', algorithm: 'gcra', rate: '1/s', store, timeoutMs: 5 });
  await limiter.take('k');
  isSilent = true;
  await Promise.all([limiter.take('k'), limiter.take('k')]);
  expect(await collect('store.failures')).toEqual({ failed: 1, late: 2 });
  expect(await collect('undecided')).toEqual({ a: 3 });
  await limiter.close();
});

test('limiters of one name are counted together, and those that are closed stay counted', async () => {
  const make = () => createLimiter({ name: 'mail', algorithm: 'leaking-bucket', rate: '1/h' });
  const removed = vi.spyOn(metrics.getMeter('plimsoll'), 'removeBatchObservableCallback');
  const [one, other] = [make(), make()];
  await one.take('k');
  await one.take('k');
  await other.take('k');
  await other.schedule('q');
  const waiting = other.schedule('q').catch(() => {});
  const counted = { 'mail allowed': 4, 'mail refused': 1, 'mail shadow_refused': 0 };
  await expect.poll(() => collect('waiting')).toEqual({ mail: 1 });
  expect(await collect('decisions')).toEqual(counted);
  await one.close();
  await other.take('k');
  counted['mail refused']++;
  expect(await collect('decisions')).toEqual(counted);
  await other.close();
  await waiting;
  expect(removed).toHaveBeenCalledOnce();
  const third = make();
  await third.take('k');
  expect(await collect('decisions')).toEqual({ ...counted, 'mail allowed': 5 });
  await third.close();
  expect(removed).toHaveBeenCalledTimes(2);
});
