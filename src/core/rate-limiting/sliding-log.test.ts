import { describe, expect, it } from 'vitest';
import { createAlgorithm, createInPlaceAlgorithm } from './create-algorithm.js';
import { describeAlgorithm } from './rate-algorithm.contract.js';
import type { RateState } from './rate-algorithm.js';

describeAlgorithm({ algorithm: 'sliding-log' }, ({ limit }) => limit);
describeAlgorithm({ algorithm: 'sliding-log', countRefused: true }, ({ limit }) => limit);

const at = (hour: number, minute: number, second: number) => ((hour * 60 + minute) * 60 + second) * 1_000;

describe('SlidingLog', () => {
  const twoAMinute = (countRefused: boolean) =>
    createAlgorithm({ algorithm: 'sliding-log', limit: 2, windowMs: 60_000, countRefused });

  function passing(countRefused: boolean, times: readonly number[]) {
    const log = twoAMinute(countRefused);
    let state: RateState | undefined;
    const allowed = times.map((now) => {
      const taken = log.take(state, now, 1);
      state = taken.state;
      return taken.decision.allowed;
    });
    return { allowed, state };
  }

  const times = [at(1, 0, 1), at(1, 0, 30), at(1, 0, 50), at(1, 1, 40)];

  it('of 2 a minute refuses the third, and writes it down if refused ones count', () => {
    const { allowed, state } = passing(true, times);
    expect(allowed).toEqual([true, true, false, true]);
    // The first two are a minute old by then; the refused one is not.
    expect(state).toEqual([at(1, 0, 50), 1, at(1, 1, 40), 1]);
    expect(passing(true, [...times, at(1, 1, 45)]).allowed.at(-1)).toBe(false);
  });

  it('of 2 a minute counts only what passed by default', () => {
    const { allowed, state } = passing(false, times);
    expect(allowed).toEqual([true, true, false, true]);
    expect(state).toEqual([at(1, 1, 40), 1]);
    expect(passing(false, [...times, at(1, 1, 45)]).allowed.at(-1)).toBe(true);
  });

  it('passes two more in the next minute, when both are forgotten', () => {
    expect(passing(false, [0, 0, 1, 59_999, 60_000, 60_000, 60_000]).allowed).toEqual([
      true,
      true,
      false,
      false,
      true,
      true,
      false,
    ]);
  });

  it('refuses for good one that asks too often, if refused ones count', () => {
    const every20s = Array.from({ length: 30 }, (_, index) => index * 20_000);
    expect(passing(true, every20s).allowed.filter(Boolean)).toHaveLength(2);
    expect(passing(false, every20s).allowed.filter(Boolean)).toHaveLength(20);
  });

  const log = createAlgorithm({ algorithm: 'sliding-log', limit: 10, windowMs: 1_000 });

  it('keeps one entry a millisecond, and drops what has left the window', () => {
    const first = log.take(undefined, 100, 2).state;
    const second = log.take(first, 100, 3).state;
    expect(second).toEqual([100, 5]);
    const third = log.take(second, 600, 1).state;
    expect(third).toEqual([100, 5, 600, 1]);
    expect(log.take(third, 50, 1).state).toEqual([100, 5, 600, 2]);
    expect(log.take(third, 1_099, 1).state).toEqual([100, 5, 600, 1, 1_099, 1]);
    expect(log.take(third, 1_100, 1).state).toEqual([600, 1, 1_100, 1]);
  });

  it('waits for as many of the oldest as are in the way', () => {
    const state = [100, 4, 200, 4, 300, 2];
    expect([1, 4, 5, 8, 9, 10].map((cost) => log.peek(state, 400, cost).retryAfterMs)).toEqual([
      700, 700, 800, 800, 900, 900,
    ]);
    expect(log.peek(state, 1_250, 9)).toMatchObject({ allowed: false, remaining: 8, retryAfterMs: 50 });
  });

  it('gives back what was taken then, or else the newest', () => {
    const state = [100, 4, 200, 4, 300, 2];
    expect(log.refund(state, 400, 3)).toEqual([100, 4, 200, 3]);
    expect(log.refund(state, 400, 3, 100.9)).toEqual([100, 1, 200, 4, 300, 2]);
    expect(log.refund(state, 400, 9, 200)).toEqual([100, 4, 300, 2]);
    expect(log.refund(state, 400, 3, 150)).toEqual(state);
    expect(log.refund(state, 1_150, 3, 100)).toEqual(state);
    expect(log.refund(state, 1_150, 99)).toEqual([100, 4]);
  });

  it('forgets the oldest for a debt, which decides alike', () => {
    const state = [100, 4, 200, 4, 300, 2];
    expect(log.settle(state, 400, 1, 6)).toEqual([200, 3, 300, 2, 400, 5]);
    expect(log.settle(state, 300, 1, 6)).toEqual([200, 3, 300, 7]);
    expect(log.settle(state, 400, 1, 1_000)).toEqual([400, 10]);
  });

  it('has no entry for a debt of nothing', () => {
    const cells = [100, 4];
    createInPlaceAlgorithm({ algorithm: 'sliding-log', limit: 10, windowMs: 1_000 }).chargeAt(
      cells,
      0,
      400,
      0,
    );
    expect(cells).toEqual([100, 4]);
  });

  it('writes down of a refused one what leaves no room, and no more', () => {
    const counting = createAlgorithm({
      algorithm: 'sliding-log',
      limit: 10,
      windowMs: 1_000,
      countRefused: true,
    });
    expect(counting.take([100, 4], 200, 8)).toEqual({
      decision: { allowed: false, limit: 10, remaining: 0, resetMs: 1_000, retryAfterMs: 1_000 },
      state: [100, 2, 200, 8],
    });
    expect(counting.take([100, 4], 200, 99).state).toEqual([200, 10]);
  });
});
