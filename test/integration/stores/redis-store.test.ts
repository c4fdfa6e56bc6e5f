import '../../properties.js';
import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALGORITHM_NAMES } from '../../../src/core/index.js';
import { describeRateStore } from '../../../src/stores/rate-store.contract.js';
import { createRateRule } from '../../../src/stores/rate-store.js';
import { createLink, type RedisLink } from '../../../src/stores/redis/redis-link.js';
import { RedisStore } from '../../../src/stores/redis/redis-store.js';
import { RedisServer } from '../../redis/redis-server.js';
import { sharedLink } from './shared-link.js';

let server: RedisServer;
let link: RedisLink;
let admin: Redis;

beforeAll(async () => {
  server = await RedisServer.start();
  link = await createLink({ url: server.url, connectMs: 20_000 });
  admin = new Redis(server.port, '127.0.0.1');
});

afterAll(async () => {
  admin.disconnect();
  await link.close();
  await server.stop();
});

/** A store on the one link, which stays open. */
function store(prefix = `${randomUUID()}:`, nowMs?: () => number): RedisStore {
  return new RedisStore({ link: sharedLink(link), prefix, nowMs });
}

describeRateStore('the Redis store', async (clock) => store(undefined, () => clock.wallMs()));

const MINUTE = 60_000;
const gcra = (limit: number, windowMs = MINUTE, name = 'api') =>
  createRateRule(name, { algorithm: 'gcra', limit, windowMs });

async function keysOf(prefix: string): Promise<string[]> {
  return (await admin.keys(`${prefix}*`)).sort();
}

describe('the Redis store', () => {
  it('looks at the clock of Redis', async () => {
    const before = Number((await admin.time())[0]) * 1_000;
    const { takenAtMs } = await store().take([{ rule: gcra(5), key: 'a', cost: 1 }]);
    expect(Number.isInteger(takenAtMs)).toBe(true);
    expect(takenAtMs).toBeGreaterThanOrEqual(before);
    expect(takenAtMs).toBeLessThan(before + 10_000);
  });

  it.each(ALGORITHM_NAMES)('has keys of %s that expire when they say nothing more', async (algorithm) => {
    const prefix = `${randomUUID()}:`;
    const rule = createRateRule('short', { algorithm, limit: 5, windowMs: 1_000 });
    const tested = store(prefix);
    // A window may end before one looks.
    let found: string[] = [];
    let resetMs = 0;
    while (found.length === 0) {
      resetMs = (await tested.take([{ rule, key: 'a', cost: 5 }])).decisions[0]!.resetMs;
      found = await keysOf(prefix);
    }
    expect(found).toEqual([expect.stringMatching(`^${prefix}{a}:short:`)]);
    const ttlMs = await admin.pttl(found[0]!);
    // Buckets are given twice the time, and a second: then most requests need not change it.
    const isExact = algorithm.startsWith('fixed') || algorithm.startsWith('sliding');
    const mostMs = isExact ? resetMs : 2 * resetMs + 1_000;
    expect([ttlMs === -1, ttlMs <= mostMs]).toEqual([false, true]);
    await expect.poll(() => keysOf(prefix), { timeout: 20_000 }).toEqual([]);
  });

  it('writes nothing for who is refused or costs nothing', async () => {
    const prefix = `${randomUUID()}:`;
    const tested = store(prefix);
    for (const algorithm of ALGORITHM_NAMES) {
      const rule = createRateRule(algorithm, { algorithm, limit: 2, windowMs: MINUTE });
      await tested.take([{ rule, key: 'free', cost: 0 }]);
      await tested.take([{ rule, key: 'dear', cost: 3 }]);
      await tested.peek([{ rule, key: 'asked', cost: 1 }]);
    }
    await tested.schedule({ rule: gcra(5), key: 'dear', cost: 6 });
    expect(await keysOf(prefix)).toEqual([]);
  });

  it('shares states by prefix and options, and nothing else', async () => {
    const prefix = `${randomUUID()}:`;
    const take = async (in_: RedisStore, rule = gcra(5)) =>
      (await in_.take([{ rule, key: 'a', cost: 3 }])).decisions[0]!.remaining;
    expect(await take(store(prefix))).toBe(2);
    expect(await take(store(`${prefix}other:`))).toBe(2);
    // Who changes a limit begins anew.
    expect(await take(store(prefix), gcra(6))).toBe(3);
    expect(await take(store(prefix), gcra(5, MINUTE, 'b'))).toBe(2);
    expect((await store(prefix).peek([{ rule: gcra(5), key: 'a', cost: 1 }]))[0]!.remaining).toBe(1);
  });

  it('decides batches of any length, each request by itself', async () => {
    const tested = store();
    const rules = [
      gcra(500, 86_400_000),
      createRateRule('all', { algorithm: 'fixed-window', limit: 700, windowMs: 3_600_000 }),
    ];
    const take = (key: string) => tested.take(rules.map((rule) => ({ rule, key, cost: 1 })));
    const answers = await Promise.all(Array.from({ length: 1_200 }, (_, i) => take(`key-${i % 2}`)));
    expect(answers.filter(({ allowed }) => allowed)).toHaveLength(1_000);
    expect(answers.slice(0, 1_000).every(({ allowed }) => allowed)).toBe(true);
    const wide = Array.from({ length: 200 }, (_, i) => ({
      rule: gcra(5, MINUTE, `wide-${i}`),
      key: 'a',
      cost: 1,
    }));
    const { allowed, decisions } = await tested.take(wide);
    expect([allowed, decisions.map(({ remaining }) => remaining)]).toEqual([true, wide.map(() => 4)]);
    expect((await tested.take([])).allowed).toBe(true);
  });

  it('goes on when Redis forgets its scripts', async () => {
    const tested = store();
    const rule = gcra(100_000);
    for (let round = 0; round < 20; round++) {
      if (round % 2 === 1) await admin.script('FLUSH');
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => tested.take([{ rule, key: 'a', cost: 1 }])),
      );
      expect(answers.every(({ allowed }) => allowed)).toBe(true);
    }
  });

  it.each([
    ['another text', (key: string) => admin.set(key, 'garbage')],
    ['too many digits', (key: string) => admin.set(key, `${'9'.repeat(400)} 1`)],
    ['another type', (key: string) => admin.hset(key, 'field', 'value')],
    ['a set of others', (key: string) => admin.zadd(key, 5, 'x:y')],
  ])('finds %s in a key: an error for that request, nothing for others', async (_, spoil) => {
    for (const algorithm of ALGORITHM_NAMES) {
      const prefix = `${randomUUID()}:`;
      const tested = store(prefix);
      const rule = createRateRule('spoiled', { algorithm, limit: 5, windowMs: MINUTE });
      const other = gcra(5, MINUTE, 'other');
      await tested.take([{ rule, key: 'a', cost: 1 }]);
      const [key] = await keysOf(prefix);
      await admin.del(key!);
      await spoil(key!);
      const answers = await Promise.allSettled([
        tested.take([{ rule: other, key: 'b', cost: 1 }]),
        tested.take([
          { rule: other, key: 'a', cost: 1 },
          { rule, key: 'a', cost: 1 },
        ]),
        tested.take([{ rule, key: 'b', cost: 1 }]),
      ]);
      expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      const { reason } = answers[1] as PromiseRejectedResult;
      expect(String(reason)).toMatch(/^Error: the state of rule (other|spoiled) cannot be read: /);
      // Nothing was taken from the rule beside it.
      expect((await tested.peek([{ rule: other, key: 'a', cost: 0 }]))[0]!.remaining).toBe(5);
      await expect(tested.peek([{ rule, key: 'a', cost: 1 }])).rejects.toThrow('cannot be read');
      const settlement = { rule, key: 'a', reserved: 1, actual: 2, takenAtMs: 0 };
      await expect(tested.settle([settlement])).rejects.toThrow('cannot be read');
      await tested.reset(rule, 'a');
      expect((await tested.take([{ rule, key: 'a', cost: 1 }])).decisions[0]!.remaining).toBe(4);
    }
  });

  it('finds garbage where a queue should be, until that is reset', async () => {
    const prefix = `${randomUUID()}:`;
    const tested = store(prefix);
    const request = {
      rule: createRateRule('queue', { algorithm: 'leaking-bucket', limit: 5, windowMs: MINUTE }),
      key: 'a',
      cost: 1,
    };
    await tested.schedule(request);
    const [key] = await keysOf(prefix);
    await admin.set(key!, 'garbage');
    const failures = Array.from({ length: 20 }, () => tested.schedule(request));
    for (const each of failures)
      await expect(each).rejects.toThrow('the queue of rule queue cannot be read: it is');
    // Redis is well: others are decided.
    expect((await tested.take([request])).allowed).toBe(true);
    await tested.reset(request.rule, 'a');
    expect((await tested.schedule(request)).retryAfterMs).toBe(0);
  });

  it('refuses what cannot be, before it asks', async () => {
    const tested = store();
    const rule = gcra(5);
    await expect(tested.take([{ rule, key: 'a', cost: -1 }])).rejects.toThrow('cost must be an integer >= 0');
    await expect(tested.peek([{ rule, key: 'a', cost: 0.5 }])).rejects.toThrow(RangeError);
    await expect(tested.schedule({ rule, key: 'a', cost: Number.NaN })).rejects.toThrow(RangeError);
    const settlement = { rule, key: 'a', reserved: 1, actual: 0, takenAtMs: Number.NaN };
    await expect(tested.settle([settlement])).rejects.toThrow('takenAtMs must be a finite number >= 0');
  });

  it('sends away who waits to be sent when it closes', async () => {
    const tested = store();
    const waiting = tested.take([{ rule: gcra(5), key: 'a', cost: 1 }]);
    const closing = tested.close();
    await expect(waiting).rejects.toThrow('closed');
    await closing;
    await expect(tested.peek([])).rejects.toThrow('closed');
    await expect(tested.settle([])).rejects.toThrow('closed');
    await expect(tested.reset(gcra(5), 'a')).rejects.toThrow('closed');
    await expect(tested.schedule({ rule: gcra(5), key: 'a', cost: 1 })).rejects.toThrow('closed');
  });

  it('says so when Redis cannot write', async () => {
    const tested = store();
    await admin.config('SET', 'maxmemory', '1');
    try {
      await expect(tested.take([{ rule: gcra(5), key: 'a', cost: 1 }])).rejects.toThrow('OOM');
    } finally {
      await admin.config('SET', 'maxmemory', '0');
    }
    expect((await tested.take([{ rule: gcra(5), key: 'a', cost: 1 }])).decisions[0]!.remaining).toBe(4);
  });
});
