import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LedgerLeases } from '../../stores/ledger-leases.contract.js';
import { MemoryStore } from '../../stores/memory/memory-store.js';
import { createRateRule } from '../../stores/rate-store.js';
import { StoreCalls } from '../store-calls.js';
import { checkLease, LEASE_DEFAULTS } from './lease-options.js';
import { LeasedKeys } from './leased-keys.js';

const RULE = createRateRule('leased', { algorithm: 'token-bucket', limit: 100, windowMs: 60_000 });

function setUp(maxKeys = LEASE_DEFAULTS.maxKeys, rule = RULE, ledger?: LedgerLeases) {
  const store = ledger ?? new LedgerLeases(() => performance.now());
  const calls = new StoreCalls(new MemoryStore(), 50);
  const leased = new LeasedKeys(rule, store, calls, { maxKeys });
  return { store, calls, leased };
}

const ofRate = (algorithm: 'token-bucket' | 'gcra' | 'fixed-window', limit: number, windowMs: number) =>
  createRateRule('leased', { algorithm, limit, windowMs });

/** Lets everything happen that is due. */
async function settle(ms = 0): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
}

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['performance', 'setImmediate', 'setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'],
  });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('keys that are leased', () => {
  it('wait for the first lease, ask for all who wait at once, and then decide by themselves', async () => {
    const { store, leased } = setUp();
    const takes = Array.from({ length: 20 }, () => leased.take('a', 1));
    await settle();
    expect((await Promise.all(takes)).every((decision) => decision?.allowed)).toBe(true);
    expect(store.asked.map((asks) => asks.map(({ key, wants }) => [key, wants]))).toEqual([[['a', 20]]]);
    const more = leased.take('a', 5);
    await settle();
    expect(await more).toMatchObject({ allowed: true, limit: 100 });
  });

  it('are asked for together, whatever their keys', async () => {
    const { store, leased } = setUp();
    const takes = ['a', 'b', 'c'].map((key) => leased.take(key, 1));
    await settle();
    await Promise.all(takes);
    expect(store.asked).toHaveLength(1);
    expect(leased.size).toBe(3);
  });

  it('never let more pass than there is, and say when to come again', async () => {
    const { store, leased } = setUp();
    const takes = Array.from({ length: 150 }, () => leased.take('a', 1));
    await settle(30);
    const decisions = await Promise.all(takes);
    expect(decisions.filter((decision) => decision?.allowed).length).toBe(100);
    expect(decisions.at(-1)).toMatchObject({ allowed: false, remaining: 0, retryAfterMs: 600 });
    const asked = store.asked.length;
    // Known to be empty: nobody is asked.
    expect(leased.takeNow('a', 1).allowed).toBe(false);
    await settle();
    expect(store.asked.length).toBe(asked);
  });

  it('refuse at once what they have no lease for, and ask for as much', async () => {
    const { leased, store } = setUp();
    for (let i = 0; i < 5; i++)
      expect(leased.takeNow('a', 3)).toMatchObject({ allowed: false, retryAfterMs: 1 });
    await settle();
    expect(store.asked.flat()).toEqual([expect.objectContaining({ needs: 3, wants: 15 })]);
    for (let i = 0; i < 5; i++) expect(leased.takeNow('a', 3).allowed).toBe(true);
  });

  it('never pass what costs more than all there is', async () => {
    const { leased, store } = setUp();
    expect(await leased.take('a', 101)).toMatchObject({
      allowed: false,
      retryAfterMs: Number.POSITIVE_INFINITY,
    });
    expect(leased.takeNow('a', 101).allowed).toBe(false);
    expect(store.asked).toEqual([]);
  });

  it('go back when nobody comes for them, and are forgotten', async () => {
    const { leased, store } = setUp();
    for (let i = 0; i < 16; i++) leased.takeNow('a', 1);
    await settle();
    expect(leased.takeNow('a', 1).allowed).toBe(true);
    await settle(1_400);
    expect(store.asked.at(-1)).toEqual([expect.objectContaining({ wants: 0, returns: 15 })]);
    expect(leased.size).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('go back when it closes', async () => {
    const { leased, store, calls } = setUp();
    leased.takeNow('a', 10);
    await settle();
    const closed = leased.close();
    await settle();
    await closed;
    calls.close();
    expect(store.asked.at(-1)).toEqual([expect.objectContaining({ returns: 10 })]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('do not hang when nobody answers: after timeoutMs it is for others to decide', async () => {
    const { leased, store, calls } = setUp();
    store.isSilent = true;
    const take = leased.take('a', 1);
    await settle(60);
    expect(await take).toBeUndefined();
    expect(calls.late).toBeGreaterThan(0);
    // What comes late counts as spent; the next ask is another one.
    store.free();
    const next = leased.take('a', 1);
    await settle(60);
    expect(await next).toMatchObject({ allowed: true });
    store.isFailing = true;
    const failed = leased.take('b', 1);
    await settle();
    expect(await failed).toBeUndefined();
  });

  it('take back what a reservation did not use', async () => {
    const { leased } = setUp();
    leased.takeNow('a', 10);
    await settle();
    const turn = leased.turnOf('a');
    expect(leased.takeNow('a', 10).allowed).toBe(true);
    leased.settle('a', 10, 4, turn);
    expect(leased.peek('a', 6).allowed).toBe(true);
    expect(leased.takeNow('a', 6).allowed).toBe(true);
    leased.reset('a');
    expect(leased.size).toBe(0);
    expect(leased.turnOf('a')).toBe(0);
  });

  it('are no more than they may be: the oldest that nobody waits for goes, and gives back what it has', async () => {
    const { leased, store } = setUp(2);
    for (const key of ['a', 'b']) leased.takeNow(key, 2);
    await settle();
    leased.takeNow('c', 1);
    expect(leased.size).toBe(2);
    await settle();
    expect(store.asked.flat()).toContainEqual(expect.objectContaining({ key: 'a', returns: 2 }));
  });
});

describe('keys that few come for', () => {
  it.each(['token-bucket', 'gcra', 'fixed-window'] as const)(
    'are not starved by their own leases: %s',
    async (algorithm) => {
      for (const everyMs of [350, 1_100]) {
        const { leased } = setUp(10, ofRate(algorithm, 20, 1_000));
        for (let i = 0; i < 60; i++) {
          const take = leased.take('a', 1);
          await settle();
          expect((await take)?.allowed).toBe(true);
          await settle(everyMs);
        }
      }
    },
  );

  it('pass at once too, after the first, if they come every other second at the latest', async () => {
    const { leased } = setUp(10, ofRate('token-bucket', 1_000, 1_000));
    const passed: boolean[] = [];
    for (let i = 0; i < 20; i++) {
      passed.push(leased.takeNow('a', 1).allowed);
      await settle(330);
    }
    expect(passed.filter((each) => !each)).toHaveLength(1);
  });

  it('are not pushed out by others that are not busy', async () => {
    const { leased } = setUp(50);
    for (let i = 0; i < 40; i++) leased.takeNow('hot', 1);
    await settle();
    let refused = 0;
    for (let i = 0; i < 30; i++) {
      for (let junk = 0; junk < 20; junk++) leased.takeNow(`junk:${i}:${junk}`, 1);
      await settle();
      if (!leased.takeNow('hot', 1).allowed) refused++;
    }
    expect(refused).toBe(0);
  });
});

describe('a key that is forgotten and comes again', () => {
  it('goes on with its turns: an ask of the one before must not be taken for a later one', async () => {
    const { leased, store } = setUp();
    for (let round = 0; round < 3; round++) {
      leased.takeNow('a', 20);
      await settle();
      expect(leased.takeNow('a', 1).allowed).toBe(true);
      await settle(2_000);
      expect(leased.size).toBe(0);
    }
    const turns = store.asked.flat().map(({ turn }) => turn);
    expect(turns).toEqual([...turns.keys()].map((i) => i + 1));
  });
});

describe('what is settled later', () => {
  it('is not given back in another window', async () => {
    const { leased } = setUp(10, ofRate('fixed-window', 100, 2_000));
    const first = leased.take('a', 100);
    await settle();
    expect((await first)?.allowed).toBe(true);
    const turn = leased.turnOf('a');
    await settle(2_000);
    const second = leased.take('a', 100);
    await settle();
    expect((await second)?.allowed).toBe(true);
    leased.settle('a', 100, 0, turn);
    const third = leased.take('a', 1);
    await settle();
    expect((await third)?.allowed).toBe(false);
  });

  it('is a debt that is not forgotten while nobody comes, of one limit at the most', async () => {
    const { leased } = setUp(10, ofRate('token-bucket', 100, 60_000));
    let used = 0;
    for (let i = 0; i < 6; i++) {
      const take = leased.take('a', 1);
      await settle(20);
      if ((await take)?.allowed) {
        leased.settle('a', 1, 100_000, leased.turnOf('a'));
        used++;
      }
      await settle(1_500);
    }
    expect(used).toBe(1);
    // All is used, and one limit more, which leaks in a minute.
    await settle(40_000);
    expect((await leased.peek('a', 1)).allowed).toBe(false);
    await settle(15_000);
    const later = leased.take('a', 1);
    await settle(20);
    expect((await later)?.allowed).toBe(true);
  });
});

describe('what one process gives back', () => {
  it('is there for another that was refused, a second later', async () => {
    const { leased: one, store } = setUp();
    const { leased: other } = setUp(10, RULE, store);
    const all = one.take('a', 100);
    await settle();
    expect((await all)?.allowed).toBe(true);
    const none = other.take('a', 1);
    await settle();
    expect(await none).toMatchObject({ allowed: false });
    one.settle('a', 100, 0, one.turnOf('a'));
    await settle(1_500);
    const some = other.take('a', 1);
    await settle();
    expect((await some)?.allowed).toBe(true);
  });

  it('includes what comes while it closes', async () => {
    const { leased, store } = setUp();
    leased.takeNow('a', 5);
    await settle();
    leased.takeNow('a', 5);
    leased.takeNow('b', 3);
    const closed = leased.close();
    await settle();
    await closed;
    const asked = store.asked.flat();
    expect(asked.some(({ key }) => key === 'b')).toBe(false);
    leased.takeNow('c', 1);
    await settle();
    expect(store.asked.flat()).toEqual(asked);
  });
});

describe('checkLease', () => {
  const store = Object.assign(new MemoryStore(), { lease: async () => [] });
  const options = { algorithm: 'gcra', limit: 1, windowMs: 1 } as const;

  it('says what can be leased', () => {
    expect(checkLease(undefined, options, store)).toBeUndefined();
    expect(checkLease(false, options, store)).toBeUndefined();
    expect(checkLease(true, options, store)).toEqual(LEASE_DEFAULTS);
    expect(checkLease({ maxKeys: 5 }, options, store)).toEqual({ maxKeys: 5 });
    expect(() => checkLease({ maxKeys: 0 }, options, store)).toThrow('maxKeys must be an integer >= 1');
    expect(() => checkLease(true, { ...options, algorithm: 'sliding-log' }, store)).toThrow(
      'algorithm must be one of token-bucket, gcra, fixed-window with lease, got sliding-log',
    );
    expect(() => checkLease(true, options, undefined)).toThrow(
      'lease must be left out with a store in memory',
    );
    expect(() => checkLease(true, options, new MemoryStore())).toThrow(RangeError);
  });
});
