import { describe, expect, it, vi } from 'vitest';
import { createQuota, type Quota } from '../../../src/quota/index.js';
import { RedisQuotaExchange } from '../../../src/stores/redis/quota-exchange.js';
import { createLink } from '../../../src/stores/redis/redis-link.js';
import { freePort } from '../../redis/redis-server.js';
import { until } from '../client/until.js';
import { expectNoMishaps } from '../server/mishaps.js';
import { areFresh, LIMITS, QuotaBed } from './quota-bed.js';

expectNoMishaps();

const bed = new QuotaBed();

const LEVELS = 'plimsoll:quota:{search}:levels';
const COUNTER = 'plimsoll:quota:master:{search}:token';

const tokenOf = (quotas: readonly Quota[]) => Math.max(...quotas.map((quota) => quota.snapshot().token));

describe('levels in Redis', () => {
  it('have an age, by the clock of Redis, and none if that was set back', async () => {
    const server = await bed.redis();
    const admin = bed.admin(server);
    const link = await createLink({ url: server.url, connectMs: 10_000 });
    bed.own(() => link.close());
    const exchange = new RedisQuotaExchange(link, 'plimsoll:quota:', 'search');
    const bytes = Uint8Array.of(1);
    await exchange.publish({ token: 1, sequence: 1, backends: 1, bytes });
    const said = { backend: 'a', values: bytes, namesVersion: 1, names: undefined, known: undefined };
    const ageMs = async () => (await exchange.report(said)).levels!.ageMs;
    expect(await ageMs()).toBeLessThan(5_000);
    const at = Number(await admin.hget(LEVELS, 'at'));
    await admin.hset(LEVELS, 'at', at - 100_000_000);
    expect(await ageMs()).toBeGreaterThanOrEqual(100_000);
    for (const unknown of [at + 100_000_000, 'x', '']) {
      await admin.hset(LEVELS, 'at', unknown);
      expect(await ageMs()).toBe(Number.POSITIVE_INFINITY);
    }
    await admin.hdel(LEVELS, 'at');
    expect(await ageMs()).toBe(Number.POSITIVE_INFINITY);
  });

  it('that are old tell who starts how many there were, and restrain nobody', async () => {
    const server = await bed.redis();
    const first = await bed.quotas(3, server.url);
    const traffic = bed.traffic();
    traffic.add('heavy', first, 1_000);
    const isHeld = (quota: Quota) =>
      quota.snapshot().customers.some(({ customer, level }) => customer === 'heavy' && level < 100);
    await until('it is held', () => first.every(isHeld));
    traffic.stop();
    for (const quota of first) await quota.close();
    const admin = bed.admin(server);
    await admin.hincrby(LEVELS, 'at', -10_000_000);
    const late = await bed.quota(server.url, { coordinates: false });
    await until('it has heard of them', () => late.stage === 'safe');
    late.enforcement.admit('heavy', 'CRITICAL', 0.5, performance.now());
    expect(late.snapshot()).toMatchObject({ backends: 3, counts: { stale: 1, repaired: 0 } });
    expect(isHeld(late)).toBe(false);
  });
});

describe('a coordinator', () => {
  it.each(['lost', 'behind'])('is heard though the count of terms is %s', async (kind) => {
    const server = await bed.redis();
    const admin = bed.admin(server);
    // Three terms.
    for (let term = 1; term < 3; term++) {
      const quota = await bed.quota(server.url);
      await until('levels', () => quota.stage === 'fresh');
      await quota.close();
    }
    const quotas = await bed.quotas(2, server.url);
    await until('levels', () => areFresh(quotas));
    const before = tokenOf(quotas);
    expect(before).toBeGreaterThanOrEqual(3);
    for (const quota of quotas) await quota.close();
    if (kind === 'lost') await admin.del(COUNTER);
    // The next term has the number of the last.
    else await admin.set(COUNTER, before - 1);
    const next = await bed.quotas(2, server.url);
    await until('later levels', () => areFresh(next) && tokenOf(next) > before);
  });

  it('stays one though listeners throw, and is told of to whoever listens from the start', async () => {
    const { url } = await bed.redis();
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    bed.own(() => warn.mockRestore());
    const quota = await bed.quota(url);
    const told: unknown[] = [];
    quota.on('coordinator', (is) => {
      told.push(is);
      throw new Error('a listener of coordinator');
    });
    quota.on('stage', (stage) => {
      told.push(stage);
      throw new Error('a listener of stage');
    });
    await until('levels', () => quota.stage === 'fresh');
    const { published } = quota.snapshot().coordinatorCounts!;
    await until('more of them', () => quota.snapshot().coordinatorCounts!.published > published + 8);
    expect(told).toEqual([true, 'fresh']);
    expect(warn).toHaveBeenCalledTimes(2);
    await quota.close();
  });
});

describe('a quota that cannot be made', () => {
  it('leaves no connection behind', async () => {
    const server = await bed.redis();
    const admin = bed.admin(server);
    const clients = async () =>
      String(await admin.client('LIST'))
        .trim()
        .split('\n').length;
    const before = await clients();
    // The second connection cannot be made.
    const { Redis } = await import('ioredis');
    const given = new Redis(server.port);
    bed.own(() => given.disconnect());
    let copies = 0;
    const client = {
      options: given.options,
      duplicate: (...overrides: never[]) => {
        if (copies++ > 0) throw new Error('no second one');
        return given.duplicate(...overrides);
      },
    };
    const options = { redis: { client }, service: 'search', limits: LIMITS };
    await expect(createQuota(options)).rejects.toThrow('no second one');
    given.disconnect();
    await vi.waitFor(async () => expect(await clients()).toBe(before), { timeout: 10_000 });
  });
});

describe('what is told of Redis', () => {
  it('is its last error while it is gone', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    bed.own(() => warn.mockRestore());
    const url = `redis://127.0.0.1:${await freePort()}`;
    const quota = await bed.quota(url, { redis: { url, connectMs: 0 } });
    await until('an error', () => quota.snapshot().redis?.lastError?.includes('ECONNREFUSED') === true);
  });
});
