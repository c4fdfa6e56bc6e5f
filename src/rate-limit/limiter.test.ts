import { describe, expect, it, vi } from 'vitest';
import { ALGORITHM_NAMES } from '../core/index.js';
import { memoryStore } from '../stores/memory/memory-store.js';
import type { RateStore } from '../stores/rate-store.js';
import { VirtualClock } from '../testing/index.js';
import { createLimiter } from './limiter.js';

function limited(limit: number, windowMs = 60_000, options = {}) {
  const clock = new VirtualClock();
  const store = memoryStore({ environment: clock });
  return { clock, limiter: createLimiter({ algorithm: 'token-bucket', limit, windowMs, store, ...options }) };
}

/** A store that does as it is told, and fails at what it is not. */
function fakeStore(parts: Partial<RateStore>): RateStore {
  const fail = () => Promise.reject(new Error('not told'));
  const rest = { take: fail, peek: fail, settle: fail, schedule: fail, reset: fail, close: fail };
  return { ...rest, ...parts };
}

describe('Limiter', () => {
  it('takes, and says when to come again', async () => {
    const { clock, limiter } = limited(2, 1_000);
    expect(await limiter.take('a')).toEqual({
      allowed: true,
      limit: 2,
      remaining: 1,
      resetMs: 500,
      retryAfterMs: 0,
    });
    expect(limiter.takeNow('a')).toMatchObject({ allowed: true, remaining: 0 });
    expect(await limiter.take('a')).toMatchObject({ allowed: false, retryAfterMs: 500 });
    expect((await limiter.take('b')).allowed).toBe(true);
    clock.advance(500);
    expect((await limiter.take('a')).allowed).toBe(true);
  });

  it('looks without taking, and forgets when told to', async () => {
    const { limiter } = limited(1);
    expect((await limiter.peek('a')).allowed).toBe(true);
    expect((await limiter.peek('a')).allowed).toBe(true);
    await limiter.take('a');
    expect((await limiter.peek('a')).allowed).toBe(false);
    await limiter.reset('a');
    expect((await limiter.peek('a')).allowed).toBe(true);
  });

  it('lets exactly the limit through of a thousand at once, by every algorithm', async () => {
    for (const algorithm of ALGORITHM_NAMES) {
      const { limiter } = limited(5, 60_000, { algorithm });
      const decisions = await Promise.all(Array.from({ length: 1_000 }, () => limiter.take('a')));
      expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(5);
    }
  });

  it('settles what was reserved, once', async () => {
    const { limiter } = limited(10);
    const remaining = async () => (await limiter.peek('a', 0)).remaining;
    const reservation = await limiter.reserve('a', 6);
    expect([reservation.allowed, await remaining()]).toEqual([true, 4]);
    await reservation.settle(2);
    await reservation.settle(0);
    await reservation.refund();
    expect(await remaining()).toBe(8);
    await (await limiter.reserve('a', 8)).refund();
    expect(await remaining()).toBe(8);
    await (await limiter.reserve('a', 1)).settle(20);
    expect(await limiter.peek('a')).toMatchObject({ allowed: false, remaining: 0 });
    await expect(reservation.settle(-1)).rejects.toThrow('actual must be an integer >= 0, got -1');
  });

  it('gives nothing back of what was refused', async () => {
    const { limiter } = limited(10);
    await limiter.take('a', 6);
    const refused = await limiter.reserve('a', 5);
    await refused.refund();
    expect([refused.allowed, (await limiter.peek('a', 0)).remaining]).toEqual([false, 4]);
  });

  it('reads a rate as people write it', async () => {
    const limiter = createLimiter({ algorithm: 'fixed-window', rate: '300/3h' });
    expect((await limiter.take('a')).limit).toBe(300);
    const other = createLimiter({ algorithm: 'sliding-log', limit: 2, window: 'minute' });
    expect((await other.take('a')).resetMs).toBe(60_000);
    await limiter.close();
    await other.close();
  });

  it.each([
    [{ limit: 5 }, 'one of windowMs, window and rate must be given'],
    [{ limit: 5, windowMs: 5, window: 's' }, 'one of windowMs, window and rate must be given'],
    [{ limit: 5, rate: '5/s' }, 'limit must not be given beside rate, which says it, got 5'],
    [{ rate: 'many' }, 'rate must be like'],
    [{ limit: 0, windowMs: 5 }, 'limit must be an integer'],
    [{ limit: 5, windowMs: 5, burst: 0 }, 'burst must be an integer'],
    [{ rate: '5/s', algorithm: 'bucket' }, 'algorithm must be one of'],
    [{ rate: '5/s', timeoutMs: 0 }, 'timeoutMs must be a finite number > 0, got 0'],
    [{ rate: '5/s', onStoreFailure: 'wait' }, 'onStoreFailure must be one of allow, refuse, got "wait"'],
    [{ rate: '5/s', localShare: 2 }, 'localShare must be > 0 and <= 1, got 2'],
    [{ rate: '5/s', store: Promise.resolve() }, 'store must be a store, got a promise: await redisStore(…)'],
    [{ rate: '5/s', store: {} }, 'store must be a store, got something without take, peek'],
    [{ rate: '5/s', maxWaiting: 0 }, 'maxWaiting must be an integer >= 1, got 0'],
    [{ rate: '5/s', name: 'a "b"' }, 'name must be 1 to 64 of'],
    [{ rate: '5/s', brust: 5 }, 'limiter has no option "brust"'],
  ])('refuses %j', (options, message) => {
    expect(() => createLimiter({ algorithm: 'gcra', ...options } as never)).toThrow(message);
  });

  it('refuses impossible keys and costs', async () => {
    const { limiter } = limited(5);
    expect(() => limiter.takeNow('a', 0.5)).toThrow('cost must be an integer >= 0, got 0.5');
    await expect(limiter.take(undefined as never)).rejects.toThrow('key must be a text, got undefined');
    await expect(limiter.reserve('a', -1)).rejects.toThrow('cost must be');
  });

  it('counts together in one store by name, and not otherwise', async () => {
    const store = memoryStore({ environment: new VirtualClock() });
    const make = (name?: string) => createLimiter({ algorithm: 'gcra', rate: '1/h', store, name });
    expect((await make().take('a')).allowed).toBe(true);
    expect((await make().take('a')).allowed).toBe(false);
    expect((await make('logins').take('a')).allowed).toBe(true);
    const clash = createLimiter({ algorithm: 'gcra', rate: '2/h', store, name: 'logins' });
    await expect(clash.take('a')).rejects.toThrow(
      'limit of rule logins must be 1 as before in this store, got 2',
    );
    await expect(clash.peek('a')).rejects.toThrow(RangeError);
  });

  it('has another name by itself when it counts otherwise', async () => {
    const store = memoryStore({ environment: new VirtualClock() });
    const options = { algorithm: 'sliding-log', rate: '1/h', store } as const;
    const [one, other] = [createLimiter(options), createLimiter({ ...options, countRefused: true })];
    expect([(await one.take('a')).allowed, (await other.take('a')).allowed]).toEqual([true, true]);
  });

  it('needs a store in memory to decide at once', () => {
    const limiter = createLimiter({ algorithm: 'gcra', rate: '1/h', store: fakeStore({}) });
    expect(() => limiter.takeNow('a')).toThrow('takeNow needs a store in memory');
  });

  it.each(['allow', 'refuse'] as const)('does as told when the store fails: %s', async (onStoreFailure) => {
    const broken = fakeStore({
      take: () => Promise.reject(new Error('gone')),
      peek: () => {
        throw new Error('gone');
      },
      schedule: () => Promise.reject(new Error('gone')),
    });
    const limiter = createLimiter({
      algorithm: 'leaking-bucket',
      rate: '5/s',
      store: broken,
      onStoreFailure,
    });
    const allowed = onStoreFailure === 'allow';
    expect(await limiter.take('a')).toMatchObject({ allowed, limit: 5, retryAfterMs: allowed ? 0 : 1_000 });
    expect((await limiter.peek('a')).allowed).toBe(allowed);
    const reservation = await limiter.reserve('a', 3);
    expect(reservation.allowed).toBe(allowed);
    await reservation.settle(2);
    const scheduled = limiter.schedule('a').then(
      () => true,
      (error) => error.code,
    );
    expect(await scheduled).toBe(allowed || 'PLIMSOLL_LIMITED');
    expect(limiter.snapshot()).toEqual({
      waiting: 0,
      allowed: allowed ? 3 : 0,
      refused: allowed ? 0 : 3,
      undecided: 3,
      storeFailed: 4,
      storeLate: 0,
    });
  });

  it('decides by its share while the store fails, and by the store when it is back', async () => {
    const gone = () => Promise.reject(new Error('gone'));
    const decision = { allowed: true, limit: 10, remaining: 9, resetMs: 1, retryAfterMs: 0 };
    let isBack = false;
    const store = fakeStore({
      take: async () => (isBack ? { allowed: true, decisions: [decision], takenAtMs: 0 } : gone()),
      peek: gone,
      schedule: gone,
      reset: async () => {},
    });
    const limiter = createLimiter({
      algorithm: 'leaking-bucket',
      limit: 10,
      windowMs: 3_600_000,
      store,
      onStoreFailure: 'refuse',
      localShare: 0.2,
    });
    const take = async () => (await limiter.take('a')).allowed;
    expect([await take(), await take(), await take()]).toEqual([true, true, false]);
    expect((await limiter.peek('a')).allowed).toBe(false);
    const reservation = await limiter.reserve('b', 2);
    await reservation.settle(1);
    expect((await limiter.peek('b', 0)).remaining).toBe(1);
    await limiter.schedule('c');
    isBack = true;
    expect(await limiter.take('a')).toBe(decision);
    isBack = false;
    expect(await take()).toBe(false);
    await limiter.reset('a');
    expect(await take()).toBe(true);
    expect(limiter.snapshot()).toMatchObject({ allowed: 6, refused: 2, undecided: 7, storeLate: 0 });
    await limiter.close();
    expect(await take()).toBe(false);
  });

  it('does so when its own store is closed', async () => {
    const limiter = createLimiter({ algorithm: 'gcra', rate: '1/h' });
    await limiter.take('a');
    await limiter.close();
    await limiter.close();
    expect(limiter.takeNow('a').allowed).toBe(true);
  });

  it('does so when the store does not answer in time, and takes no notice of a late answer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] });
    try {
      const answers: ((answer: never) => void)[] = [];
      const silent = fakeStore({ take: () => new Promise((resolve) => answers.push(resolve)) });
      const limiter = createLimiter({ algorithm: 'gcra', rate: '5/s', store: silent, timeoutMs: 50 });
      const first = limiter.take('a');
      await vi.advanceTimersByTimeAsync(30);
      const second = limiter.take('a');
      await vi.advanceTimersByTimeAsync(21);
      expect((await first).remaining).toBe(5);
      expect(limiter.snapshot().storeLate).toBe(1);
      const decision = { allowed: false, limit: 5, remaining: 0, resetMs: 1, retryAfterMs: 1 };
      for (const answer of answers) answer({ allowed: false, decisions: [decision], takenAtMs: 0 } as never);
      expect(await second).toEqual(decision);
      const third = limiter.take('a');
      await vi.advanceTimersByTimeAsync(60);
      expect((await third).allowed).toBe(true);
      const fourth = limiter.take('a');
      await limiter.close();
      expect((await fourth).allowed).toBe(true);
      await vi.advanceTimersByTimeAsync(60);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});
