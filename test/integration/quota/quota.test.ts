import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createQuota, createQuotaCoordinator } from '../../../src/quota/index.js';
import { RedisCluster } from '../../redis/redis-cluster.js';
import { freePort } from '../../redis/redis-server.js';
import { until } from '../client/until.js';
import { expectNoMishaps } from '../server/mishaps.js';
import { areFresh, LIMITS, QuotaBed } from './quota-bed.js';

expectNoMishaps();

const bed = new QuotaBed();

/** Longer than it takes until a customer is held to its quota, its savings included. */
const SETTLING_MS = 5_000;

describe('quotas of a fleet', () => {
  it('hold a customer to its quota over all backends, and no other', async () => {
    const { url } = await bed.redis();
    const quotas = await bed.quotas(4, url);
    await until('levels', () => areFresh(quotas));
    const traffic = bed.traffic();
    traffic.add('heavy', quotas, 800);
    // All of its traffic is at one of four: an equal part of its quota would not do.
    traffic.add('light', quotas.slice(0, 1), 80);
    await sleep(SETTLING_MS);
    traffic.take('heavy');
    const beganMs = performance.now();
    await sleep(4_000);
    const seconds = (performance.now() - beganMs) / 1_000;
    const perSecond = traffic.take('heavy').admitted / seconds;
    expect(perSecond).toBeGreaterThan(90);
    expect(perSecond).toBeLessThan(110);
    const { refused, admitted } = traffic.take('light');
    expect({ refused, isServed: admitted > 300 }).toEqual({ refused: 0, isServed: true });
    const coordinators = quotas.filter(({ isCoordinator }) => isCoordinator);
    expect(coordinators).toHaveLength(1);
    const { fleet, customers, coordinatorCounts, counts, redis } = coordinators[0]!.snapshot();
    expect(fleet).toMatchObject({ backends: 4, isLearning: false });
    const heavy = fleet!.customers.find(({ customer }) => customer === 'heavy')!;
    expect(heavy).toMatchObject({ limitPerSecond: 100, isHeld: true });
    expect(heavy.demandPerSecond).toBeGreaterThan(600);
    // Of the last moments only, and what passed is counted in whole requests: far from what it asks for is what it says.
    expect(heavy.usedPerSecond).toBeLessThan(200);
    expect(customers.find(({ customer }) => customer === 'heavy')!.level).toBeLessThan(40);
    expect(coordinatorCounts).toMatchObject({ fenced: 0, failed: 0, unreadable: 0 });
    expect(counts).toMatchObject({ failed: 0, unreadable: 0 });
    expect(redis).toEqual({ isReady: true, lastError: undefined });
  });

  it('may be changed while they hold', async () => {
    const { url } = await bed.redis();
    const quotas = await bed.quotas(2, url);
    const traffic = bed.traffic();
    traffic.add('heavy', quotas, 400);
    await sleep(SETTLING_MS);
    expect(() => quotas[0]!.setLimits({ everyoneElse: { perSecond: -1 } })).toThrow(RangeError);
    expect(() => quotas[0]!.report(0)).toThrow('reports to Redis');
    for (const quota of quotas) quota.setLimits({ everyoneElse: { perSecond: 250 } });
    await sleep(SETTLING_MS);
    traffic.take('heavy');
    const beganMs = performance.now();
    await sleep(3_000);
    const perSecond = (traffic.take('heavy').admitted * 1_000) / (performance.now() - beganMs);
    expect(perSecond).toBeGreaterThan(220);
    expect(perSecond).toBeLessThan(280);
  });

  it('are coordinated by processes that do nothing else', async () => {
    const { url } = await bed.redis();
    const options = { redis: { url }, service: 'search', limits: LIMITS };
    const dedicated = await createQuotaCoordinator(options);
    bed.own(() => dedicated.close());
    const turns: boolean[] = [];
    dedicated.on('coordinator', (isCoordinator) => turns.push(isCoordinator));
    const quotas = await bed.quotas(2, url, { coordinates: false });
    const stages: string[] = [];
    quotas[0]!.on('stage', (stage) => stages.push(stage));
    await until('levels', () => areFresh(quotas));
    expect(quotas.map(({ isCoordinator }) => isCoordinator)).toEqual([false, false]);
    await until('both', () => dedicated.snapshot().fleet?.backends === 2);
    expect(dedicated.snapshot()).toMatchObject({ service: 'search', isCoordinator: true, token: 1 });
    expect(() => dedicated.setLimits({ everyoneElse: { perSecond: -1 } })).toThrow(RangeError);
    dedicated.setLimits(LIMITS);
    await dedicated.close();
    await dedicated.close();
    await until('parts as last known', () => quotas.every(({ stage }) => stage === 'holding'));
    expect(stages).toEqual(['fresh', 'holding']);
    expect(turns).toEqual([true]);
  });

  it('work on a Cluster', async () => {
    const cluster = await RedisCluster.start();
    bed.own(() => cluster.stop());
    const quotas = await bed.quotas(3, cluster.urls);
    await until('levels', () => areFresh(quotas));
    await until('all', () => quotas.some((quota) => quota.snapshot().fleet?.backends === 3));
    await until('pushed', () => quotas.every((quota) => quota.snapshot().counts!.pushed > 3));
  });

  it('are the same object in one process alone', async () => {
    const quota = await createQuota({ limits: LIMITS, unit: 'tokens' });
    const traffic = bed.traffic();
    traffic.add('heavy', [quota], 400);
    await sleep(SETTLING_MS);
    traffic.take('heavy');
    await sleep(1_000);
    expect(traffic.take('heavy').admitted).toBeLessThan(130);
    expect(quota.snapshot()).toMatchObject({
      stage: 'alone',
      unit: 'tokens',
      isCoordinator: false,
      redis: undefined,
      counts: undefined,
      fleet: undefined,
    });
    quota.setLimits({ everyoneElse: { perSecond: 1 } });
    await quota.close();
  });

  it('begin without Redis, and go on when it is there', async () => {
    const port = await freePort();
    const quota = await bed.quota(`redis://127.0.0.1:${port}`, {
      redis: { url: `redis://127.0.0.1:${port}`, connectMs: 50 },
    });
    expect(quota.snapshot()).toMatchObject({ stage: 'alone', redis: { isReady: false } });
    expect(quota.enforcement.admit('light', 'CRITICAL', 0, performance.now())).toBe('admit');
    const { RedisServer } = await import('../../redis/redis-server.js');
    const server = await RedisServer.start([], port);
    bed.own(() => server.stop());
    await until('levels', () => areFresh([quota]));
  });

  it('refuse what cannot work', async () => {
    const redis = { url: 'redis://127.0.0.1:1' };
    const wrong = (options: object) => createQuota({ redis, service: 'a', limits: LIMITS, ...options });
    await expect(wrong({ service: 'a b' })).rejects.toThrow('service must be');
    await expect(wrong({ everyMs: 5_000 })).rejects.toThrow('everyMs must be');
    await expect(wrong({ prefix: '{x}' })).rejects.toThrow('prefix must be');
    await expect(wrong({ limits: { everyoneElse: { perSecond: Number.NaN } } })).rejects.toThrow('perSecond');
    await expect(wrong({ redis: {} })).rejects.toThrow('one of url and client');
    await expect(wrong({ coordinator: { forgetMs: 0 } })).rejects.toThrow('forgetMs');
    await expect(wrong({ member: { freshMs: 0 } })).rejects.toThrow('freshMs');
  });
});
