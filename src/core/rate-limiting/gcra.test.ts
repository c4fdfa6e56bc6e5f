import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAlgorithm } from './create-algorithm.js';
import { describeAlgorithm } from './rate-algorithm.contract.js';
import type { RateState } from './rate-algorithm.js';

describeAlgorithm(
  { algorithm: 'gcra' },
  ({ burst, limit, windowMs }) => burst + Math.floor((limit * (windowMs - 1)) / windowMs),
);

describe('Gcra', () => {
  // redis-cell: CL.THROTTLE key 4 1 1, whose max_burst of 4 makes a limit of 5.
  it('of redis-cell, max_burst 4 at 1 a second: the sixth is limited, retry in 1 s, reset in 5 s', () => {
    const gcra = createAlgorithm({ algorithm: 'gcra', limit: 1, windowMs: 1_000, burst: 5 });
    let state: RateState | undefined;
    const take = (now: number, cost = 1) => {
      const taken = gcra.take(state, now, cost);
      state = taken.state;
      return taken.decision;
    };
    for (let nth = 1; nth <= 5; nth++) {
      expect(take(0)).toEqual({
        allowed: true,
        limit: 5,
        remaining: 5 - nth,
        resetMs: nth * 1_000,
        retryAfterMs: 0,
      });
    }
    expect(take(0)).toEqual({ allowed: false, limit: 5, remaining: 0, resetMs: 5_000, retryAfterMs: 1_000 });
    expect(take(0, 3).retryAfterMs).toBe(3_000);
    expect(take(999).allowed).toBe(false);
    expect(take(1_000).allowed).toBe(true);
    expect(take(6_000, 5)).toMatchObject({ allowed: true, remaining: 0, resetMs: 5_000 });
  });

  it('keeps the theoretical arrival time in ms, and its fraction in grains', () => {
    const gcra = createAlgorithm({ algorithm: 'gcra', limit: 3, windowMs: 1_000 });
    const first = gcra.take(undefined, 100, 1).state;
    expect(first).toEqual([433, 1]);
    const second = gcra.take(first, 110, 1).state;
    expect(second).toEqual([766, 2]);
    expect(gcra.take(second, 120, 1).state).toEqual([1_100, 0]);
  });

  it('goes on from what is taken when now goes back for years, and owes no less', () => {
    const gcra = createAlgorithm({ algorithm: 'gcra', limit: 1, windowMs: 1_000, burst: 5 });
    const { state } = gcra.take(undefined, 1e12, 1);
    expect(gcra.peek(state, 0, 1)).toEqual({
      allowed: false,
      limit: 5,
      remaining: 0,
      resetMs: 1e12 + 1_000,
      retryAfterMs: 1e12 - 4_000 + 1_000,
    });
    expect(gcra.refund(state, 0, 1)).toEqual([1e12, 0]);
    const thirds = createAlgorithm({ algorithm: 'gcra', limit: 3, windowMs: 1_000, burst: 1 });
    expect(thirds.settle([1e12, 1], 0, 0, 1)).toEqual([1e12, 1]);
    // 1.7e12 ms of them are too many grains for a double.
    const fine = createAlgorithm({ algorithm: 'gcra', limit: 999_983, windowMs: 100_000_000 });
    const first = fine.take(undefined, 1_700_000_000_123, 1).state;
    const second = fine.take(first, 1_700_000_000_123, 1).state;
    expect(fine.refund(second, 0, 1)).toEqual(first);
  });

  it('decides as a token bucket does, as long as now does not go back', () => {
    const request = fc.tuple(fc.nat(40), fc.nat(6), fc.nat(8));
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom(7, 60, 100),
        fc.integer({ min: 1, max: 6 }),
        fc.array(request),
        (limit, windowMs, burst, requests) => {
          const gcra = createAlgorithm({ algorithm: 'gcra', limit, windowMs, burst });
          const bucket = createAlgorithm({ algorithm: 'token-bucket', limit, windowMs, burst });
          let arrival = gcra.take(undefined, 0, 0).state;
          let level = bucket.take(undefined, 0, 0).state;
          let now = 0;
          for (const [gapMs, cost, actual] of requests) {
            now += gapMs;
            const byGcra = gcra.take(arrival, now, cost);
            const byBucket = bucket.take(level, now, cost);
            expect(byGcra.decision).toEqual(byBucket.decision);
            arrival = gcra.settle(byGcra.state, now, cost, actual);
            level = bucket.settle(byBucket.state, now, cost, actual);
          }
        },
      ),
    );
  });
});
