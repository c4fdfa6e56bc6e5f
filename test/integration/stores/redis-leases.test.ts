import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLeaseLedger, type LeaseState } from '../../../src/core/index.js';
import { createRateRule, type RateRule } from '../../../src/stores/rate-store.js';
import { RedisLeases } from '../../../src/stores/redis/redis-leases.js';
import { createLink, type RedisLink } from '../../../src/stores/redis/redis-link.js';
import { scriptOf } from '../../../src/stores/redis/redis-script.js';
import { RedisServer } from '../../redis/redis-server.js';

let server: RedisServer;
let link: RedisLink;
beforeAll(async () => {
  server = await RedisServer.start();
  link = await createLink({ url: server.url, connectMs: 20_000 });
});
afterAll(async () => {
  await link.close();
  await server.stop();
});

let stores = 0;

function leasesOf(nowMs?: () => number): RedisLeases {
  const prefix = `lease-test:${stores++}:`;
  return new RedisLeases({
    link,
    nameOf: (rule: RateRule, key: string) => `${prefix}{${key}}:${rule.name}`,
    nowMs,
  });
}

const ask = fc.record({
  key: fc.constantFrom('a', 'b'),
  holder: fc.constantFrom('p', 'q', 'r'),
  turn: fc.nat(30),
  wants: fc.nat(40),
  urgent: fc.nat(20),
  needs: fc.nat(10),
  holds: fc.nat(40),
  returns: fc.nat(40),
  isOfNow: fc.boolean(),
  gapMs: fc.oneof(fc.nat(5), fc.nat(700)),
});

describe('leases in Redis', () => {
  it.each(['token-bucket', 'gcra', 'fixed-window'] as const)(
    'are granted as the ledger of core grants them: %s',
    async (algorithm) => {
      const options = fc.record({
        limit: fc.integer({ min: 1, max: 60 }),
        windowMs: fc.constantFrom(7, 250, 1_000, 60_000),
      });
      await fc.assert(
        fc.asyncProperty(options, fc.array(ask, { maxLength: 30 }), async (given, asks) => {
          let now = 1_700_000_000_000;
          const leases = leasesOf(() => now);
          const rule = createRateRule('leased', { algorithm, ...given });
          const ledger = createLeaseLedger(rule.options);
          const states = new Map<string, LeaseState>();
          let epochMs = 0;
          for (const { key, isOfNow, gapMs, ...each } of asks) {
            now += gapMs;
            const asked = {
              ...each,
              wants: Math.max(each.wants, each.needs),
              epochMs: isOfNow ? epochMs : 0,
            };
            const { grant, state } = ledger.grant(states.get(key), now, asked);
            states.set(key, state);
            const [granted] = await leases.lease([{ rule, key, ...asked }]);
            expect(granted).toEqual(grant);
            epochMs = grant.epochMs;
          }
        }),
        { numRuns: 40 },
      );
    },
  );

  it('are granted for many keys at once, and each in its place', async () => {
    const leases = leasesOf();
    const rule = createRateRule('leased', { algorithm: 'token-bucket', limit: 1_000, windowMs: 60_000 });
    const base = { rule, holder: 'p', turn: 1, urgent: 0, needs: 0, holds: 0, returns: 0, epochMs: 0 };
    const grants = await leases.lease(
      Array.from({ length: 200 }, (_, i) => ({ ...base, key: `${i}`, wants: i })),
    );
    expect(grants.map((grant) => grant?.granted)).toEqual(Array.from({ length: 200 }, (_, i) => i));
  });

  it('leave other keys alone when one cannot be read', async () => {
    const leases = new RedisLeases({ link, nameOf: (_, key) => `broken:${key}` });
    await link.run(scriptOf('spoil', "return redis.call('HSET', KEYS[1], '', 'garbage')"), ['broken:a'], []);
    const rule = createRateRule('leased', { algorithm: 'gcra', limit: 10, windowMs: 60_000 });
    const base = {
      rule,
      holder: 'p',
      turn: 1,
      wants: 1,
      urgent: 1,
      needs: 1,
      holds: 0,
      returns: 0,
      epochMs: 0,
    };
    const grants = await leases.lease([
      { ...base, key: 'a' },
      { ...base, key: 'b' },
    ]);
    expect(grants).toEqual([undefined, expect.objectContaining({ granted: 1, remaining: 9 })]);
  });

  it('are forgotten by themselves', async () => {
    const leases = new RedisLeases({ link, nameOf: (_, key) => `short:${key}` });
    const rule = createRateRule('leased', { algorithm: 'gcra', limit: 10, windowMs: 200 });
    await leases.lease([
      {
        rule,
        key: 'a',
        holder: 'p',
        turn: 1,
        wants: 1,
        urgent: 1,
        needs: 1,
        holds: 0,
        returns: 0,
        epochMs: 0,
      },
    ]);
    const ttl = scriptOf('ttl', "return redis.call('PTTL', KEYS[1])");
    const left = (await link.run(ttl, ['short:a'], [])) as number;
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(200);
  });
});
