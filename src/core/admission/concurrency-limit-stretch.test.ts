import { describe, expect, test } from 'vitest';
import { StretchTally } from './concurrency-limit-stretch.js';

/** A limit of 3, requests that take 10 ms. Each step: until when, how many in flight, whether one was done. */
function tallied(...steps: readonly (readonly [untilMs: number, inFlight: number, isDone: boolean])[]) {
  const stretches = new StretchTally();
  let since = 0;
  const atLimit = steps.map(([now, inFlight, isDone]) => {
    const isAtLimit = stretches.add(since, { now, inFlight, isDone, latencyMs: isDone ? 10 : 0 }, 3, 10);
    since = now;
    return isAtLimit;
  });
  return { stretches, atLimit, ms: stretches.tally.ms, done: stretches.tally.done };
}

describe('StretchTally', () => {
  test('counts from one moment at the limit to the next', () => {
    const { atLimit, ms, done } = tallied(
      [5, 3, true],
      [8, 2, false],
      [20, 3, true],
      [22, 2, false],
      [30, 3, false],
    );
    expect(atLimit).toEqual([true, false, true, false, true]);
    // Up to when the last piece at the limit began: whether the stretch goes on after it is not known yet.
    expect(ms).toBe(22);
    expect(done).toBe(2);
  });

  test('over the limit is at the limit', () => {
    expect(tallied([5, 4, true], [9, 3, true]).atLimit).toEqual([true, true]);
  });

  test('below the limit for as long as a request takes is still one stretch, longer is not', () => {
    expect(tallied([5, 3, true], [15, 2, false], [20, 3, true]).ms).toBe(15);
    const { ms, done } = tallied([5, 3, true], [15.1, 2, false], [20, 3, true], [25, 3, true]);
    expect(ms).toBeCloseTo(4.9, 10);
    expect(done).toBe(1);
  });

  test('light load is not counted at all', () => {
    const { ms, done } = tallied([5, 1, true], [9, 2, true], [20, 1, true], [30, 2, true]);
    expect(ms).toBe(0);
    expect(done).toBe(0);
  });

  test('what comes before the first moment at the limit does not count', () => {
    expect(tallied([5, 2, true], [10, 3, false], [12, 3, false]).ms).toBe(5);
  });

  test('stretches add up, unless they are 10 s apart: idle for an hour means empty', () => {
    const apart = (gapMs: number) =>
      tallied(
        [10, 3, true],
        [20, 3, true],
        [20 + gapMs, 1, true],
        [30 + gapMs, 3, true],
        [40 + gapMs, 3, true],
      );
    expect(apart(10_000)).toMatchObject({ ms: 20, done: 2 });
    expect(apart(10_001)).toMatchObject({ ms: 10, done: 1 });
    expect(apart(3_600_000)).toMatchObject({ ms: 10, done: 1 });
  });

  test('cleared, the stretch goes on', () => {
    const { stretches } = tallied([10, 3, true], [20, 3, true]);
    stretches.clear();
    expect(stretches.tally.ms).toBe(0);
    stretches.add(20, { now: 30, inFlight: 3, isDone: true, latencyMs: 10 }, 3, 10);
    expect(stretches.tally).toMatchObject({ ms: 10, done: 1 });
  });
});
