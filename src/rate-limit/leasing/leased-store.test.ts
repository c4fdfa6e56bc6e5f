import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LedgerLeases } from '../../stores/ledger-leases.contract.js';
import { MemoryStore } from '../../stores/memory/memory-store.js';
import type { RateStore } from '../../stores/rate-store.js';
import { createLimiter } from '../limiter.js';

/** A store that also leases, by a ledger in this process. */
function leasingStore() {
  const ledger = new LedgerLeases(() => performance.now());
  const store = Object.assign(new MemoryStore(), {
    lease: ledger.lease.bind(ledger),
    // As of Redis: nothing is decided at once.
    takeNow: undefined,
    takeOneNow: undefined,
  });
  return { ledger, store: store as unknown as RateStore };
}

const OPTIONS = { algorithm: 'token-bucket', limit: 100, window: 'minute', lease: true } as const;

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['performance', 'setImmediate', 'setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'],
  });
});
afterEach(() => {
  vi.useRealTimers();
});

/** What a promise becomes when all has happened that is due. */
async function done<T>(promise: Promise<T>, ms = 0): Promise<T> {
  const ended = promise.catch((error: unknown) => error as T);
  await vi.advanceTimersByTimeAsync(ms);
  return await ended;
}

describe('a limiter with a lease', () => {
  it('decides by what it has leased', async () => {
    const { ledger, store } = leasingStore();
    const limiter = createLimiter({ ...OPTIONS, store });
    expect(await done(limiter.take('a', 40))).toMatchObject({ allowed: true, limit: 100, remaining: 60 });
    expect(await done(limiter.take('a', 61))).toMatchObject({ allowed: false, retryAfterMs: 600 });
    expect(limiter.takeNow('a').allowed).toBe(false);
    await done(Promise.resolve());
    expect(limiter.takeNow('a').allowed).toBe(true);
    expect(limiter.snapshot()).toMatchObject({ allowed: 2, refused: 2, undecided: 0 });
    expect(ledger.asked.length).toBe(3);
    await done(limiter.close());
  });

  it('gives back what a reservation did not use, and takes what it used beyond', async () => {
    const { store } = leasingStore();
    const limiter = createLimiter({ ...OPTIONS, store });
    const reservation = await done(limiter.reserve('a', 50));
    await reservation.settle(20);
    expect(limiter.takeNow('a', 30).allowed).toBe(true);
    const short = await done(limiter.reserve('a', 10));
    await short.settle(30);
    expect((await done(limiter.peek('a'))).remaining).toBe(20);
    await done(limiter.close());
  });

  it('does as the rule says when nobody answers', async () => {
    const { ledger, store } = leasingStore();
    ledger.isSilent = true;
    const limiter = createLimiter({ ...OPTIONS, store, onStoreFailure: 'refuse' });
    expect(await done(limiter.take('a'), 60)).toMatchObject({ allowed: false, retryAfterMs: 1_000 });
    expect(limiter.snapshot()).toMatchObject({ undecided: 1 });
    ledger.free();
    ledger.isFailing = true;
    expect(await done(limiter.take('b'), 60)).toMatchObject({ allowed: false });
    await done(limiter.close(), 60);
  });

  it('gives all back when it closes, and leaves the store open', async () => {
    const { ledger, store } = leasingStore();
    const limiter = createLimiter({ ...OPTIONS, store });
    limiter.takeNow('a', 10);
    await done(Promise.resolve());
    await done(limiter.close());
    expect(ledger.asked.at(-1)).toEqual([expect.objectContaining({ returns: 10 })]);
    expect(vi.getTimerCount()).toBe(0);
    await expect(store.peek([])).resolves.toEqual([]);
  });

  it('forgets a key, here and there', async () => {
    const { store } = leasingStore();
    const reset = vi.spyOn(store, 'reset');
    const limiter = createLimiter({ ...OPTIONS, store });
    await done(limiter.take('a'));
    await done(limiter.reset('a'));
    expect(reset).toHaveBeenCalledWith(expect.objectContaining({ options: expect.anything() }), 'a');
    await done(limiter.close());
  });

  it('has no queue, and no lease of what cannot be leased', async () => {
    const { store } = leasingStore();
    expect(() => createLimiter({ ...OPTIONS, store, algorithm: 'leaking-bucket' })).toThrow('with lease');
    expect(() => createLimiter(OPTIONS)).toThrow('lease must be left out with a store in memory');
  });
});
