import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evenly } from '../../core/evenly.contract.js';
import { RateCurve, type Stretch, type Wave } from './rate-curve.js';

const FLAT: Wave = { amplitude: 0, periodMs: 1, peakMs: 0 };

const anyWave: fc.Arbitrary<Wave> = fc.record({
  amplitude: fc.oneof(fc.constant(0), fc.constant(1), evenly(0, 1)),
  periodMs: evenly(10, 100_000),
  peakMs: evenly(0, 100_000),
});

const anyStretches: fc.Arbitrary<Stretch[]> = fc
  .array(
    fc.record({
      forMs: fc.integer({ min: 1, max: 5_000 }),
      factor: fc.oneof(fc.constant(0), evenly(0.001, 10)),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((parts) => {
    let fromMs = 0;
    return parts.map(({ forMs, factor }) => {
      const stretch = { fromMs, factor };
      fromMs += forMs;
      return stretch;
    });
  });

/** By Simpson's rule, stretch by stretch: it knows nothing of sines. */
function integrate(curve: RateCurve, stretches: readonly Stretch[], fromMs: number, toMs: number): number {
  const cuts = [fromMs, ...stretches.map((stretch) => stretch.fromMs), toMs].filter(
    (cut) => cut >= fromMs && cut <= toMs,
  );
  let sum = 0;
  for (let at = 1; at < cuts.length; at++) {
    const [from, to] = [cuts[at - 1]!, cuts[at]!];
    const parts = 400;
    const width = (to - from) / parts;
    for (let part = 0; part < parts; part++) {
      const start = from + part * width;
      // The end of a stretch belongs to the next one.
      const [first, middle, last] = [start, start + width / 2, start + width * 0.999_999_999];
      sum += ((curve.rateAt(first) + 4 * curve.rateAt(middle) + curve.rateAt(last)) * width) / 6;
    }
  }
  return sum;
}

describe('RateCurve', () => {
  it('counts the events between two instants as an integral of the rate does', () => {
    fc.assert(
      fc.property(
        anyStretches,
        anyWave.filter(({ periodMs }) => periodMs > 1_000),
        fc.integer({ min: 0, max: 10_000 }),
        fc.integer({ min: 0, max: 10_000 }),
        (stretches, wave, fromMs, forMs) => {
          const curve = new RateCurve(stretches, wave);
          const expected = integrate(curve, stretches, fromMs, fromMs + forMs);
          expect(Math.abs(curve.eventsBetween(fromMs, fromMs + forMs) - expected)).toBeLessThan(1e-4);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('finds the time of so many events: the inverse of counting them', () => {
    fc.assert(
      fc.property(
        anyStretches,
        anyWave,
        evenly(0, 20_000),
        evenly(0, 1_000),
        (stretches, wave, fromMs, events) => {
          const curve = new RateCurve(stretches, wave);
          const time = curve.timeOf(events, fromMs);
          if (time === Number.POSITIVE_INFINITY) {
            expect(stretches.at(-1)!.factor).toBe(0);
            expect(curve.eventsBetween(fromMs, 1e6)).toBeLessThan(events + 1e-6);
          } else {
            expect(time).toBeGreaterThanOrEqual(fromMs);
            expect(Math.abs(curve.eventsBetween(fromMs, time) - events)).toBeLessThan(1e-6);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it('starts a stretch at its instant', () => {
    const curve = new RateCurve(
      [0, 10, 20].map((fromMs) => ({ fromMs, factor: fromMs + 1 })),
      FLAT,
    );
    expect([0, 9.999, 10, 19.999, 20, 1e9].map((at) => curve.rateAt(at))).toEqual([1, 1, 11, 11, 21, 21]);
  });

  it('peaks at the peak and rests half a period later', () => {
    const curve = new RateCurve([{ fromMs: 0, factor: 10 }], {
      amplitude: 0.3,
      periodMs: 1_000,
      peakMs: 250,
    });
    expect(curve.rateAt(250)).toBeCloseTo(13, 12);
    expect(curve.rateAt(750)).toBeCloseTo(7, 12);
    expect(curve.eventsBetween(123, 1_123)).toBeCloseTo(10_000, 8);
  });

  it('steps over silence, and finds its way out of a trough', () => {
    const silent = new RateCurve(
      [
        { fromMs: 0, factor: 0 },
        { fromMs: 1e9, factor: 2 },
      ],
      FLAT,
    );
    expect(silent.timeOf(1, 0)).toBe(1e9 + 0.5);
    // A rate of 0 at the very start: 2π² / 3 · (t / period)³ · period events come in the first t.
    const trough = new RateCurve([{ fromMs: 0, factor: 1 }], { amplitude: 1, periodMs: 1e8, peakMs: 5e7 });
    expect(trough.timeOf(1, 0) / (3 / (2 * Math.PI ** 2 * 1e8)) ** (1 / 3) / 1e8).toBeCloseTo(1, 3);
    // No events are there at once, also where the rate is 0.
    expect(trough.timeOf(0, 0)).toBe(0);
    // Newton's first guess is the bottom of a trough, where the slope points to infinity.
    const steep = new RateCurve([{ fromMs: 0, factor: 1 }], { amplitude: 1, periodMs: 1_000, peakMs: 500 });
    expect(steep.eventsBetween(250, steep.timeOf(750, 250))).toBeCloseTo(750, 8);
  });
});
