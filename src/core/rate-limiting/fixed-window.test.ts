import { describe, expect, it } from 'vitest';
import { createAlgorithm } from './create-algorithm.js';
import { describeAlgorithm } from './rate-algorithm.contract.js';
import type { AlgorithmName, RateState } from './rate-algorithm.js';

describeAlgorithm({ algorithm: 'fixed-window' }, ({ limit, windowMs }) => (windowMs === 1 ? 1 : 2) * limit);

/** How many of four at 1.999 s and four at 2.001 s pass, of 3 a second. */
function aroundTheBoundary(algorithm: AlgorithmName): number {
  const rate = createAlgorithm({ algorithm, limit: 3, windowMs: 1_000 });
  let state: RateState | undefined;
  let count = 0;
  for (const now of [1_999, 1_999, 1_999, 1_999, 2_001, 2_001, 2_001, 2_001]) {
    const taken = rate.take(state, now, 1);
    state = taken.state;
    if (taken.decision.allowed) count++;
  }
  return count;
}

describe('FixedWindow', () => {
  it('of 3 a second lets 6 through around a boundary; the sliding ones and the buckets do not', () => {
    expect(aroundTheBoundary('fixed-window')).toBe(6);
    expect(aroundTheBoundary('sliding-log')).toBe(3);
    expect(aroundTheBoundary('sliding-counter')).toBe(3);
    expect(aroundTheBoundary('token-bucket')).toBe(3);
    expect(aroundTheBoundary('leaking-bucket')).toBe(3);
    expect(aroundTheBoundary('gcra')).toBe(3);
  });

  const window = createAlgorithm({ algorithm: 'fixed-window', limit: 3, windowMs: 1_000 });

  it('of 3 a second drops the fourth, until the next second begins', () => {
    const { state } = window.take(undefined, 5_300, 3);
    expect(state).toEqual([3, 5_000]);
    expect(window.peek(state, 5_900, 1)).toEqual({
      allowed: false,
      limit: 3,
      remaining: 0,
      resetMs: 100,
      retryAfterMs: 100,
    });
    expect(window.take(state, 6_000, 1)).toEqual({
      decision: { allowed: true, limit: 3, remaining: 2, resetMs: 1_000, retryAfterMs: 0 },
      state: [1, 6_000],
    });
  });

  it('gives back only in the window in which it was taken', () => {
    expect(window.refund([3, 5_000], 5_900, 2)).toEqual([1, 5_000]);
    expect(window.refund([3, 5_000], 5_900, 2, 5_000.5)).toEqual([1, 5_000]);
    expect(window.refund([3, 5_000], 5_900, 2, 4_999)).toEqual([3, 5_000]);
    expect(window.refund([3, 5_000], 6_100, 2, 5_999)).toEqual([3, 5_000]);
    expect(window.refund([3, 5_000], 6_100, 2)).toEqual([0, 6_000]);
    expect(window.expiryMs([0, 6_000])).toBe(0);
    expect(() => window.refund([3, 5_000], 5_900, 2, -1)).toThrow('now must be');
  });

  it('owes within its window only', () => {
    const owing = window.settle([2, 5_000], 5_100, 1, 100);
    expect(owing).toEqual([6, 5_000]);
    expect(window.peek(owing, 5_100, 1)).toMatchObject({ allowed: false, remaining: 0, retryAfterMs: 900 });
    expect(window.peek(owing, 6_000, 3).allowed).toBe(true);
  });
});
