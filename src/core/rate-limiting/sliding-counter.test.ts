import { describe, expect, it } from 'vitest';
import { createAlgorithm } from './create-algorithm.js';
import { describeAlgorithm } from './rate-algorithm.contract.js';
import type { RateState } from './rate-algorithm.js';

// All of a window in its last millisecond weighs 2 / windowMs at the last but one of the next.
describeAlgorithm(
  { algorithm: 'sliding-counter' },
  ({ limit, windowMs }) => limit + Math.floor((limit * Math.max(0, windowMs - 2)) / windowMs),
);

describe('SlidingCounter', () => {
  const minute = (limit: number) =>
    createAlgorithm({ algorithm: 'sliding-counter', limit, windowMs: 60_000 });

  it('weighs 42 of the last minute and 18 of this one, 15 s into it, as 42 × 45/60 + 18 = 49.5', () => {
    const begin = 120_000;
    const state = [18, 42, begin];
    // One more makes 50.5.
    expect(minute(50).peek(state, begin + 15_000, 1)).toMatchObject({ allowed: false, remaining: 0 });
    expect(minute(51).peek(state, begin + 15_000, 1)).toMatchObject({ allowed: true, remaining: 0 });
    expect(minute(51).peek(state, begin + 15_000, 2).allowed).toBe(false);
    // 42 weigh 31 after 15,714.3 ms.
    expect(minute(50).peek(state, begin + 15_000, 1).retryAfterMs).toBe(715);
    expect(minute(50).peek(state, begin + 15_715, 1).allowed).toBe(true);
  });

  it('counts by windows of the clock', () => {
    const counter = minute(10);
    const first = counter.take(undefined, 119_999, 4).state;
    expect(first).toEqual([4, 0, 60_000]);
    const second = counter.take(first, 120_000, 1).state;
    expect(second).toEqual([1, 4, 120_000]);
    expect(counter.take(second, 240_000, 1).state).toEqual([1, 0, 240_000]);
    expect(counter.take(second, 100_000, 1).state).toEqual([2, 4, 120_000]);
  });

  it('says when a full window has faded enough, or gone', () => {
    const counter = minute(10);
    const state = [10, 0, 60_000];
    expect(counter.peek(state, 60_000, 1)).toMatchObject({ retryAfterMs: 66_000, resetMs: 120_000 });
    expect(counter.peek(state, 60_000, 10).retryAfterMs).toBe(120_000);
    expect(counter.peek([0, 10, 60_000], 60_000, 1)).toMatchObject({ retryAfterMs: 6_000, resetMs: 60_000 });
    expect(counter.peek([4, 10, 60_000], 60_000, 6).retryAfterMs).toBe(60_000);
    // All of the limit, when nothing has come yet in this window.
    expect(counter.peek([0, 10, 60_000], 60_000, 10).retryAfterMs).toBe(60_000);
    expect([state, [0, 10, 60_000]].map((each) => counter.expiryMs(each))).toEqual([180_000, 120_000]);
  });

  it('passes almost twice the limit when all of a window came at its end', () => {
    const counter = createAlgorithm({ algorithm: 'sliding-counter', limit: 10, windowMs: 1_000 });
    let state: RateState = counter.take(undefined, 999, 10).state;
    let count = 10;
    for (let now = 1_000; now < 1_999; now++) {
      const taken = counter.take(state, now, 1);
      state = taken.state;
      if (taken.decision.allowed) count++;
    }
    expect(count).toBe(19);
  });

  it('gives back in the window in which it was taken', () => {
    const counter = minute(10);
    const state = [3, 5, 120_000];
    expect(counter.refund(state, 130_000, 2)).toEqual([1, 5, 120_000]);
    expect(counter.refund(state, 130_000, 2, 120_000)).toEqual([1, 5, 120_000]);
    expect(counter.refund(state, 130_000, 2, 119_999)).toEqual([3, 3, 120_000]);
    expect(counter.refund(state, 130_000, 9, 60_000)).toEqual([3, 0, 120_000]);
    expect(counter.refund(state, 130_000, 2, 59_999)).toEqual(state);
    expect(counter.refund(state, 180_000, 2, 130_000)).toEqual([0, 1, 180_000]);
  });

  it('carries a debt on into the next window', () => {
    const counter = minute(10);
    const owing = counter.settle([3, 0, 60_000], 60_000, 1, 1_000);
    expect(owing).toEqual([20, 0, 60_000]);
    expect(counter.peek(owing, 120_000, 1).retryAfterMs).toBe(33_000);
  });

  it('refuses a limit that would not be exact', () => {
    const make = (limit: number) => () =>
      createAlgorithm({ algorithm: 'sliding-counter', limit, windowMs: 86_400_000 });
    expect(make(52_124_995)).not.toThrow();
    expect(make(53_000_000)).toThrow('limit must be an integer from 1 to 52124995, got 53000000');
  });
});
