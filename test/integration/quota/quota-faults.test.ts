import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import type { DedicatedCoordinatorSnapshot, Quota } from '../../../src/quota/index.js';
import { until } from '../client/until.js';
import { expectNoMishaps } from '../server/mishaps.js';
import { Child } from './child.js';
import { areFresh, LIMITS, QuotaBed } from './quota-bed.js';

expectNoMishaps();

const bed = new QuotaBed();

/** Time in which 100 a second are let in, and what was saved up: once by each backend's part, once by the coordinator. */
const mostOf = (seconds: number): number => 110 * (seconds + 4);

async function aCoordinator(url: string): Promise<Child> {
  const child = new Child('quota-coordinator', { redis: { url }, service: 'search', limits: LIMITS });
  bed.own(() => child.kill());
  await child.said();
  return child;
}

async function whoCoordinates(among: readonly Child[]): Promise<Child> {
  for (;;) {
    for (const child of among) {
      if ((await child.ask<DedicatedCoordinatorSnapshot>('snapshot')).isCoordinator) return child;
    }
    await sleep(10);
  }
}

/** Four backends that hear levels, with one customer far beyond its quota and one within. */
async function aFleet(url: string) {
  const quotas = await bed.quotas(4, url, { coordinates: false });
  await until('levels', () => areFresh(quotas));
  const traffic = bed.traffic();
  traffic.add('heavy', quotas, 800);
  traffic.add('light', quotas, 60);
  await sleep(5_000);
  traffic.take('heavy');
  traffic.take('light');
  return { quotas, traffic };
}

const published = (quotas: readonly Quota[]) => quotas.map((quota) => quota.snapshot().counts!.pushed);

describe('a coordinator', () => {
  it('that is killed is replaced within 2 s, and nobody within its quota notices', async () => {
    const { url } = await bed.redis();
    const coordinators = [await aCoordinator(url), await aCoordinator(url)];
    const { quotas, traffic } = await aFleet(url);
    const coordinator = await whoCoordinates(coordinators);
    const token = quotas[0]!.snapshot().token;
    const beganMs = performance.now();
    await coordinator.kill();
    await whoCoordinates(coordinators.filter((child) => child !== coordinator));
    expect(performance.now() - beganMs).toBeLessThan(2_000);
    await until('its levels', () => quotas.every((quota) => quota.snapshot().token > token));
    expect(areFresh(quotas)).toBe(true);
    await sleep(2_000);
    const seconds = (performance.now() - beganMs) / 1_000;
    expect(traffic.take('light').refused).toBe(0);
    expect(traffic.take('heavy').admitted).toBeLessThan(mostOf(seconds));
  });

  it('that stood still says nothing when it wakes up', async () => {
    const server = await bed.redis();
    const coordinators = [await aCoordinator(server.url), await aCoordinator(server.url)];
    const quotas = await bed.quotas(2, server.url, { coordinates: false });
    await until('levels', () => areFresh(quotas));
    const old = await whoCoordinates(coordinators);
    const { token } = quotas[0]!.snapshot();
    old.pause();
    await until('another one', () => quotas.every((quota) => quota.snapshot().token > token));
    const admin = bed.admin(server);
    const tokens: number[] = [];
    const look = setInterval(async () => {
      tokens.push(Number(await admin.hget('plimsoll:quota:{search}:levels', 'token').catch(() => 0)));
    }, 5);
    bed.own(() => clearInterval(look));
    old.resume();
    await sleep(1_000);
    clearInterval(look);
    expect(tokens.length).toBeGreaterThan(20);
    expect(Math.min(...tokens)).toBeGreaterThan(token);
    expect((await old.ask<DedicatedCoordinatorSnapshot>('snapshot')).isCoordinator).toBe(false);
    expect(areFresh(quotas)).toBe(true);
  });
});

describe('when pushed levels are lost', () => {
  it('they come with answers, and the listener connects anew', async () => {
    const server = await bed.redis();
    const quotas = await bed.quotas(2, server.url);
    await until('levels', () => areFresh(quotas));
    const admin = bed.admin(server);
    const stages: string[] = [];
    for (const quota of quotas) quota.on('stage', (stage) => stages.push(stage));
    const until5s = performance.now() + 4_000;
    while (performance.now() < until5s) {
      await admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
      await sleep(2);
    }
    expect(quotas.every((quota) => quota.snapshot().counts!.repaired > 4)).toBe(true);
    expect(stages).toEqual([]);
    const before = published(quotas);
    await until('pushed again', () => published(quotas).every((count, i) => count > before[i]! + 3));
  });

  it('for good, since nobody may listen or publish, answers are enough', async () => {
    const server = await bed.redis();
    await bed.admin(server).call('ACL', 'SETUSER', 'default', 'resetchannels');
    const quotas = await bed.quotas(2, server.url);
    await until('levels', () => areFresh(quotas));
    await sleep(3_500);
    expect(areFresh(quotas)).toBe(true);
    const { counts } = quotas[0]!.snapshot();
    expect(counts).toMatchObject({ pushed: 0, failed: 0 });
    expect(counts!.repaired).toBeGreaterThan(8);
  });
});

describe('Redis', () => {
  it('that is killed and comes back empty changes nothing for who is within its quota', async () => {
    const server = await bed.redis();
    await aCoordinator(server.url);
    const { quotas, traffic } = await aFleet(server.url);
    const beganMs = performance.now();
    await server.kill();
    await until('parts as last known', () => quotas.every(({ stage }) => stage === 'holding'));
    await server.restart();
    await until('levels', () => areFresh(quotas));
    await sleep(1_000);
    const seconds = (performance.now() - beganMs) / 1_000;
    expect(traffic.take('light').refused).toBe(0);
    const { admitted } = traffic.take('heavy');
    expect(admitted).toBeLessThan(mostOf(seconds));
    expect(admitted).toBeGreaterThan(50 * seconds);
    expect(
      quotas[0]!
        .snapshot()
        .customers.map(({ customer }) => customer)
        .sort(),
    ).toEqual(['heavy', 'light']);
  });

  it('that stands still for 3 s changes nothing either', async () => {
    const server = await bed.redis();
    await aCoordinator(server.url);
    const { quotas, traffic } = await aFleet(server.url);
    const beganMs = performance.now();
    server.pause();
    await sleep(3_000);
    server.resume();
    await until('levels', () => areFresh(quotas));
    await sleep(1_500);
    const seconds = (performance.now() - beganMs) / 1_000;
    expect(traffic.take('light').refused).toBe(0);
    expect(traffic.take('heavy').admitted).toBeLessThan(mostOf(seconds));
  });
});

describe('garbage', () => {
  it('in the keys and on the channel is ignored and counted', async () => {
    const server = await bed.redis();
    const quotas = await bed.quotas(2, server.url);
    await until('levels', () => areFresh(quotas));
    const [coordinator] = quotas.filter(({ isCoordinator }) => isCoordinator);
    const admin = bed.admin(server);
    const key = (part: string) => `plimsoll:quota:{search}:${part}`;
    for (let i = 0; i < 50; i++) {
      const bytes = randomBytes(i * 7);
      await admin.zadd(key('seen'), Date.now() * 1_000, `bogus ${i}`);
      await admin.hset(key('values'), `bogus ${i}`, bytes);
      await admin.hset(key('names'), `bogus ${i}`, bytes);
      await admin.hset(key('levels'), 'sequence', 'x', 'bytes', bytes);
      await admin.publish(key('pushed'), bytes);
      await sleep(20);
    }
    expect(areFresh(quotas)).toBe(true);
    expect(coordinator!.snapshot().coordinatorCounts!.unreadable).toBeGreaterThan(10);
    for (const quota of quotas) expect(quota.snapshot().counts!.unreadable).toBeGreaterThan(10);
    const before = published(quotas);
    await until('levels after that', () => published(quotas).every((count, i) => count > before[i]! + 2));
    expect(coordinator!.snapshot().fleet!.backends).toBe(2);
  });

  it('of another kind than expected stops everything but the requests', async () => {
    const server = await bed.redis();
    const [quota] = await bed.quotas(1, server.url);
    await until('levels', () => areFresh([quota!]));
    const admin = bed.admin(server);
    await admin.set('plimsoll:quota:{search}:seen', 'a text');
    await until('its part as last known', () => quota!.stage === 'holding');
    expect(quota!.snapshot().redis!.lastError).toMatch(/WRONGTYPE/);
    expect(quota!.enforcement.admit('light', 'CRITICAL', 0, performance.now())).toBe('admit');
    await admin.del('plimsoll:quota:{search}:seen');
    await until('levels', () => areFresh([quota!]));
  });
});

describe('close', () => {
  it('leaves no connection, no timer and no listener behind', async () => {
    const server = await bed.redis();
    const [first, second] = await bed.quotas(2, server.url);
    await until('levels', () => areFresh([first!, second!]));
    await Promise.all([first!.close(), second!.close(), second!.close()]);
    const admin = new Redis(server.port);
    bed.own(() => admin.disconnect());
    let clients: string[];
    do
      clients = String(await admin.client('LIST'))
        .trim()
        .split('\n');
    while (clients.length > 1);
    expect(first!.isCoordinator || second!.isCoordinator).toBe(false);
    expect(first!.snapshot().stage).toBe('fresh');
    // Who is coordinator gives that up, so that another one need not wait.
    expect(await admin.keys('*:holder')).toEqual([]);
  });
});
