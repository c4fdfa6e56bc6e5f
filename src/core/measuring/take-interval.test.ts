import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evenly } from '../evenly.contract.js';
import { TakeInterval } from './take-interval.js';

/** Takes at equal intervals with more waiting all the time, from `from` on; returns when the last was. */
function takeEvery(interval: TakeInterval, from: number, everyMs: number, forMs: number): number {
  let now = from;
  for (; now < from + forMs; now += everyMs) interval.onTake(now, true);
  return now - everyMs;
}

describe('TakeInterval', () => {
  it('knows nothing before something has been taken', () => {
    const interval = new TakeInterval();
    expect(interval.meanMs(0)).toBeUndefined();
    interval.onTake(5, false);
    expect(interval.meanMs(7)).toBeUndefined();
  });

  it('is exactly the interval when all are equal', () => {
    const interval = new TakeInterval();
    const last = takeEvery(interval, 100, 0.3, 60);
    expect(interval.meanMs(last)).toBeCloseTo(0.3, 12);
    const whole = new TakeInterval();
    expect(whole.meanMs(takeEvery(whole, 0, 2, 1_000))).toBe(2);
  });

  it('counts no time in which nothing waited', () => {
    const interval = new TakeInterval();
    interval.onTake(0, true);
    interval.onTake(2, false); // the last one: then the server waits for work
    interval.onTake(50, true);
    expect(interval.meanMs(50)).toBe(2);
    interval.onEmpty(); // the one that waited left
    interval.onTake(90, true);
    expect(interval.meanMs(90)).toBe(2);
    interval.onTake(94, true);
    const kept = Math.exp(-92 / 250);
    expect(interval.meanMs(94)).toBeCloseTo((2 * kept + 4) / (kept + 1), 12);
  });

  it('takes several at once for what they are', () => {
    const interval = new TakeInterval();
    for (const now of [0, 0, 0, 0, 10, 10, 10, 10, 20]) interval.onTake(now, true);
    // Eight intervals within 20 ms, the first four of them older by 10 and 20 ms than the last.
    expect(interval.meanMs(20)).toBeCloseTo(2.5, 0);
  });

  it('agrees with the weighted mean of all intervals', () => {
    const steps = fc.array(fc.record({ ms: evenly(0, 400), isMoreWaiting: fc.boolean() }), { maxLength: 80 });
    fc.assert(
      fc.property(steps, (takes) => {
        const interval = new TakeInterval();
        const seen: { at: number; ms: number }[] = [];
        let now = 1_000;
        let isBusy = false;
        for (const { ms, isMoreWaiting } of takes) {
          now += ms;
          if (isBusy) seen.push({ at: now, ms });
          isBusy = isMoreWaiting;
          interval.onTake(now, isMoreWaiting);
        }
        const weights = seen.map(({ at }) => Math.exp((at - now) / 250));
        const sum = weights.reduce((total, weight) => total + weight, 0);
        const mean = seen.reduce((total, { ms }, index) => total + ms * weights[index]!, 0) / sum;
        if (sum < 1e-9) expect(interval.meanMs(now)).toBeUndefined();
        else expect(interval.meanMs(now)).toBeCloseTo(mean, 6);
      }),
      { numRuns: 200 },
    );
  });

  it('follows when requests become slower, within a second, and faster, within a quarter', () => {
    const interval = new TakeInterval();
    const slowFrom = takeEvery(interval, 0, 2, 5_000);
    expect(interval.meanMs(takeEvery(interval, slowFrom + 20, 20, 980))).toBeGreaterThan(16);
    const fastFrom = takeEvery(interval, slowFrom + 1_020, 20, 4_000);
    expect(interval.meanMs(fastFrom)).toBeCloseTo(20, 5);
    expect(interval.meanMs(takeEvery(interval, fastFrom + 2, 2, 250))).toBeLessThan(3.2);
  });

  it('grows while a server hangs, instead of being forgotten', () => {
    const interval = new TakeInterval();
    const last = takeEvery(interval, 0, 2, 5_000);
    expect(interval.meanMs(last + 2)).toBe(2);
    // The 125 or so takes it remembers are outweighed the sooner the longer it hangs …
    expect(interval.meanMs(last + 200)).toBeGreaterThan(5);
    expect(interval.meanMs(last + 1_000)).toBeGreaterThan(200);
    expect(interval.meanMs(last + 3_600_000)).toBeCloseTo(3_600_000, 3);
    // … and what it says just before the next take is what it says just after.
    const before = interval.meanMs(last + 700)!;
    interval.onTake(last + 700, true);
    expect(interval.meanMs(last + 700)).toBeCloseTo(before, 9);
  });

  it('bounds a flood from the first take on', () => {
    const interval = new TakeInterval();
    interval.onTake(1_000, true);
    expect(interval.meanMs(1_003)).toBe(3);
  });

  it('has forgotten everything after an idle hour', () => {
    const interval = new TakeInterval();
    const last = takeEvery(interval, 0, 2, 5_000);
    interval.onEmpty();
    expect(interval.meanMs(last + 4_000)).toBe(2);
    expect(interval.meanMs(last + 3_600_000)).toBeUndefined();
    interval.onTake(last + 3_600_000, true);
    expect(interval.meanMs(last + 3_600_001)).toBe(1);
    interval.onTake(last + 3_600_007, true);
    expect(interval.meanMs(last + 3_600_007)).toBe(7);
  });

  it('is not misled by an event that arrives late', () => {
    const interval = new TakeInterval();
    interval.onTake(100, true);
    interval.onTake(90, true);
    interval.onTake(104, true);
    const kept = Math.exp(-4 / 250);
    expect(interval.meanMs(104)).toBeCloseTo(4 / (kept + 1), 12);
  });

  it('grows while a server hangs that had nothing waiting before', () => {
    const interval = new TakeInterval();
    const last = takeEvery(interval, 0, 2, 1_000);
    interval.onEmpty();
    interval.onTake(last + 10, false);
    interval.onWaiting(last + 50);
    expect(interval.meanMs(last + 51)).toBe(2);
    expect(interval.meanMs(last + 30_050)).toBeCloseTo(30_000, 0);
    interval.onEmpty();
    expect(interval.meanMs(last + 30_050)).toBeUndefined();
  });

  it('knows nothing before the first take, however long something waits', () => {
    const interval = new TakeInterval();
    interval.onWaiting(0);
    expect(interval.meanMs(10_000)).toBeUndefined();
  });
});
