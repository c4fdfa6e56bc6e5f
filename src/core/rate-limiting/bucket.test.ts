import { describe, expect, it } from 'vitest';
import { createAlgorithm, createInPlaceAlgorithm } from './create-algorithm.js';
import { describeAlgorithm } from './rate-algorithm.contract.js';
import type { RateState } from './rate-algorithm.js';
import type { TestedOptions } from './rate-trace.contract.js';

// What is full at the first millisecond of a window gets the inflow of all but that one.
const bound = ({ burst, limit, windowMs }: TestedOptions) =>
  burst + Math.floor((limit * (windowMs - 1)) / windowMs);

describeAlgorithm({ algorithm: 'token-bucket' }, bound);
describeAlgorithm({ algorithm: 'leaking-bucket' }, bound);

describe.each(['token-bucket', 'leaking-bucket'] as const)('Bucket as %s', (algorithm) => {
  const make = (limit: number, windowMs: number, burst?: number) => {
    const bucket = createAlgorithm({ algorithm, limit, windowMs, burst });
    let state: RateState | undefined;
    return {
      take: (now: number, cost = 1) => {
        const taken = bucket.take(state, now, cost);
        state = taken.state;
        return taken.decision;
      },
      settle: (now: number, reserved: number, actual: number) => {
        state = bucket.settle(state!, now, reserved, actual);
      },
      state: () => state,
    };
  };

  it('of size 4, refilled at 2 a second: four at once, the fifth is dropped', () => {
    const bucket = make(2, 1_000, 4);
    expect(bucket.take(0)).toEqual({
      allowed: true,
      limit: 4,
      remaining: 3,
      resetMs: 500,
      retryAfterMs: 0,
    });
    expect([1, 2, 3].map(() => bucket.take(0).allowed)).toEqual([true, true, true]);
    expect(bucket.take(0)).toEqual({
      allowed: false,
      limit: 4,
      remaining: 0,
      resetMs: 2_000,
      retryAfterMs: 500,
    });
    expect(bucket.take(499).allowed).toBe(false);
    expect(bucket.take(500).allowed).toBe(true);
    expect(bucket.take(500).allowed).toBe(false);
    // A second later there are two, and never more than four however long it waits.
    expect([1, 2, 3].map(() => bucket.take(1_500).allowed)).toEqual([true, true, false]);
    expect([1, 2, 3, 4, 5].map(() => bucket.take(86_400_000).allowed)).toEqual([
      true,
      true,
      true,
      true,
      false,
    ]);
  });

  it('reaches its bound, and holds the limit as burst by default', () => {
    const bucket = make(3, 1_000);
    let count = 0;
    for (let now = 0; now < 1_000; now++) while (bucket.take(now).allowed) count++;
    expect(count).toBe(5);
  });

  it('does not drift: a third of a second is neither 333 ms nor 334 ms', () => {
    const bucket = make(3, 1_000, 1);
    const passed: number[] = [];
    for (let now = 0; now <= 3_000; now++) if (bucket.take(now).allowed) passed.push(now);
    // From the instant that it passed, not from when it could have.
    expect(passed.slice(0, 4)).toEqual([0, 334, 668, 1_002]);
    const steady = make(3, 1_000, 2);
    let count = 0;
    for (let now = 0; now <= 300_000; now++) if (steady.take(now).allowed) count++;
    expect(count).toBe(902);
  });

  it('owes what a reservation was too small by', () => {
    const bucket = make(10, 1_000);
    expect(bucket.take(0, 4).remaining).toBe(6);
    bucket.settle(0, 4, 14);
    expect(bucket.take(0)).toMatchObject({ allowed: false, remaining: 0, resetMs: 1_400, retryAfterMs: 500 });
    expect(bucket.take(500).allowed).toBe(true);
    bucket.settle(500, 0, 1_000);
    expect(bucket.take(500)).toMatchObject({ resetMs: 2_000, retryAfterMs: 1_100 });
  });

  it('keeps the grains of the level and the latest time', () => {
    const bucket = make(300, 7_000);
    bucket.take(100, 2);
    expect(bucket.state()).toEqual([140, 100]);
    bucket.take(110, 1);
    expect(bucket.state()).toEqual([140 - 30 + 70, 110]);
    bucket.take(50, 1);
    expect(bucket.state()).toEqual([250, 110]);
    bucket.settle(50, 4, 0);
    expect(bucket.state()).toEqual([0, 110]);
    expect(bucket.take(50, 0).resetMs).toBe(0);
  });

  it('undoes no more than is still there, also when now has gone back', () => {
    const bucket = createInPlaceAlgorithm({ algorithm, limit: 10, windowMs: 1_000 });
    const cells = [0, 0];
    bucket.takeAt(cells, 0, 1_000, 4);
    bucket.takeAt(cells, 0, 1_200, 5);
    // 2 of the 4 have leaked in the state's own time. Without them there would be 5 of 10 left.
    bucket.undoAt(cells, 0, 1_000, 4, 1_000);
    expect(bucket.takeAt(cells, 0, 1_200, 0).remaining).toBe(5);
  });
});
