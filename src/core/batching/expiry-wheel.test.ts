import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExpiryWheel } from './expiry-wheel.js';
import { BatchPlace, JobLane } from './job-lane.js';

const lane = new JobLane<string>('a');

function placeAt(expiryMs: number): BatchPlace<string> {
  return new BatchPlace('r', lane, 0, expiryMs, false);
}

/** All that are due, taken out. */
function release(wheel: ExpiryWheel<string>, now: number): BatchPlace<string>[] {
  const released: BatchPlace<string>[] = [];
  for (let place = wheel.due(now); place !== undefined; place = wheel.due(now)) {
    wheel.remove(place);
    released.push(place);
  }
  return released;
}

describe('ExpiryWheel', () => {
  it('refuses a longest wait that is none', () => {
    expect(() => new ExpiryWheel(0)).toThrow('longestMs must be a finite number > 0, got 0');
  });

  it('tells nobody too early, and everybody within a 512th of the longest wait', () => {
    const step = fc.record({ passMs: fc.nat(400), waitMs: fc.integer({ min: 1, max: 1_000 }) });
    fc.assert(
      fc.property(fc.array(step), fc.nat(100_000), (steps, startMs) => {
        const wheel = new ExpiryWheel<string>(1_000);
        const waiting = new Set<BatchPlace<string>>();
        let now = startMs;
        for (const { passMs, waitMs } of steps) {
          now += passMs;
          for (const place of release(wheel, now)) {
            expect(place.expiryMs).toBeLessThanOrEqual(now);
            expect(waiting.delete(place)).toBe(true);
          }
          for (const { expiryMs } of waiting) expect(expiryMs).toBeGreaterThan(now - 1_000 / 512);
          const place = placeAt(now + waitMs);
          waiting.add(place);
          wheel.add(place);
        }
      }),
    );
  });

  it('lets anyone go from among others', () => {
    const wheel = new ExpiryWheel<string>(1_000);
    const leaving = (expiryMs: number, ...leavers: number[]) => {
      const places = [0, 1, 2].map(() => placeAt(expiryMs));
      for (const place of places) wheel.add(place);
      for (const at of leavers) wheel.remove(places[at]!);
      return release(wheel, expiryMs + 5).map((place) => places.indexOf(place));
    };
    expect(leaving(5, 1)).toEqual([2, 0]);
    expect(leaving(15, 2, 0)).toEqual([1]);
    expect(leaving(25, 0, 1, 2)).toEqual([]);
  });

  it('remembers nothing after an hour, and forgets nobody in it', () => {
    const wheel = new ExpiryWheel<string>(1_000);
    const early = placeAt(1_000);
    wheel.add(early);
    expect(wheel.due(999)).toBeUndefined();
    expect(release(wheel, 3_600_000)).toEqual([early]);
    const late = placeAt(3_600_500);
    wheel.add(late);
    expect(release(wheel, 3_600_499)).toEqual([]);
    expect(release(wheel, 3_600_502)).toEqual([late]);
  });
});
