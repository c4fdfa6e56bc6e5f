import { afterEach, describe, expect, it, vi } from 'vitest';
import { ALGORITHM_NAMES } from '../../core/index.js';
import { VirtualClock } from '../../testing/index.js';
import { describeRateStore } from '../rate-store.contract.js';
import { createRateRule } from '../rate-store.js';
import { memoryStore } from './memory-store.js';

describeRateStore('memory', async (clock) => memoryStore({ environment: clock }));

const MINUTE = 60_000;

describe('MemoryStore', () => {
  afterEach(() => vi.useRealTimers());

  it('keeps 100,000 keys apart', () => {
    const store = memoryStore({ environment: new VirtualClock() });
    const rule = createRateRule('two', { algorithm: 'token-bucket', limit: 2, windowMs: MINUTE });
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 100_000; i++) {
        if (store.takeOneNow(rule, `10.0.${i >> 8}.${i & 255}`, 1).allowed !== round < 2) expect(i).toBe(-1);
      }
    }
    expect(store.snapshot()).toEqual({ keys: 100_000, evicted: 0, expired: 0 });
  });

  it('keeps no key that nothing was taken from', async () => {
    const store = memoryStore({ environment: new VirtualClock() });
    for (const algorithm of ALGORITHM_NAMES) {
      const rule = createRateRule(algorithm, { algorithm, limit: 2, windowMs: MINUTE });
      store.takeOneNow(rule, 'free', 0);
      store.takeOneNow(rule, 'dear', 3);
      await store.peek([{ rule, key: 'asked', cost: 1 }]);
      await store.settle([{ rule, key: 'back', reserved: 1, actual: 0, takenAtMs: 0 }]);
    }
    expect(store.snapshot().keys).toBe(0);
  });

  it.each(ALGORITHM_NAMES)('forgets expired keys of %s as new ones come', (algorithm) => {
    const clock = new VirtualClock();
    const store = memoryStore({ environment: clock });
    const rule = createRateRule('r', { algorithm, limit: 2, windowMs: 1_000 });
    for (let i = 0; i < 50_000; i++) {
      store.takeOneNow(rule, `key-${i}`, 1);
      clock.advance(1);
    }
    // At most 2,000 count (two windows), and less than as many again wait for the hand.
    expect(store.snapshot().keys).toBeLessThan(4_500);
  });

  it('does so when nobody comes, by one timer that ends with the last key', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const clock = new VirtualClock();
    const store = memoryStore({ environment: clock });
    const rule = createRateRule('r', { algorithm: 'gcra', limit: 2, windowMs: 1_000 });
    for (let i = 0; i < 25_000; i++) store.takeOneNow(rule, `key-${i}`, 1);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(3_000);
    expect(store.snapshot().keys).toBe(25_000);
    clock.advance(1_000);
    vi.advanceTimersByTime(3_000);
    expect(store.snapshot()).toEqual({ keys: 0, evicted: 0, expired: 25_000 });
    expect(vi.getTimerCount()).toBe(0);
    store.takeOneNow(rule, 'again', 1);
    expect(vi.getTimerCount()).toBe(1);
    await store.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each(ALGORITHM_NAMES)('keeps those of %s that are at their limit, when too many come', (algorithm) => {
    const store = memoryStore({ environment: new VirtualClock({ seed: 5 }), maxKeys: 1_000 });
    const rule = createRateRule('r', { algorithm, limit: 3, windowMs: MINUTE });
    for (let i = 0; i < 300; i++) store.takeOneNow(rule, `limited-${i}`, 3);
    for (let i = 0; i < 20_000; i++) store.takeOneNow(rule, `flood-${i}`, 1);
    expect(store.snapshot()).toMatchObject({ keys: 1_000, evicted: 19_300 });
    let free = 0;
    for (let i = 0; i < 300; i++) if (store.takeOneNow(rule, `limited-${i}`, 1).allowed) free++;
    // All of eight drawn are at the limit in 0.3^8 = 0.007 % of evictions: about one.
    expect(free).toBeLessThan(10);
  });

  it('takes room from the rule that has most', () => {
    const store = memoryStore({ environment: new VirtualClock(), maxKeys: 100 });
    const one = createRateRule('one', { algorithm: 'fixed-window', limit: 3, windowMs: MINUTE });
    const other = createRateRule('other', { algorithm: 'fixed-window', limit: 3, windowMs: MINUTE });
    for (let i = 0; i < 10; i++) store.takeOneNow(other, `key-${i}`, 1);
    for (let i = 0; i < 1_000; i++) store.takeOneNow(one, `key-${i}`, 1);
    for (let i = 0; i < 10; i++) expect(store.takeOneNow(other, `key-${i}`, 1).remaining).toBe(1);
    expect(store.snapshot().keys).toBe(100);
  });

  it('reads the clock of the process by itself', async () => {
    const store = memoryStore();
    const rule = createRateRule('r', { algorithm: 'fixed-window', limit: 1, windowMs: 3_600_000 });
    const { takenAtMs } = await store.take([{ rule, key: 'a', cost: 1 }]);
    expect(Math.abs(takenAtMs - Date.now())).toBeLessThan(5_000);
    await store.close();
  });

  it('refuses impossible options', () => {
    expect(() => memoryStore({ maxKeys: 0 })).toThrow('maxKeys must be an integer from 1 to');
    expect(() => memoryStore({ maxKey: 5 } as object)).toThrow('memoryStore has no option "maxKey"');
  });
});
