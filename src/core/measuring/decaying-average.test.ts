import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DecayingAverage } from './decaying-average.js';

const HOUR = 3_600_000;

describe('DecayingAverage', () => {
  it('weighs each value by its age', () => {
    const average = new DecayingAverage({ decayMs: 1_000 });
    average.observe(0, 100);
    expect(average.value(0)).toBe(100);
    // After ln 2 decays the first value weighs half as much as the second: (½ · 100 + 10) / 1½ = 40.
    average.observe(1_000 * Math.LN2, 10);
    expect(average.value(1_000 * Math.LN2)).toBeCloseTo(40, 10);
  });

  it('counts every one of many values in the same instant', () => {
    const average = new DecayingAverage({ decayMs: 1_000 });
    for (const value of [1, 2, 3, 4]) average.observe(5, value);
    expect(average.value(5)).toBeCloseTo(2.5, 12);
  });

  it('is the naive formula', () => {
    const sample = fc.record({
      gap: fc.nat(30_000).map((tenths) => tenths / 10),
      value: fc.integer({ min: -1_000, max: 1_000 }),
    });
    fc.assert(
      fc.property(
        fc.array(sample, { minLength: 1, maxLength: 60, size: 'max' }),
        fc.integer({ min: 1, max: 5_000 }),
        (samples, decayMs) => {
          const average = new DecayingAverage({ decayMs });
          const seen: { at: number; value: number }[] = [];
          let now = -500;
          for (const { gap, value } of samples) {
            now += gap;
            average.observe(now, value);
            seen.push({ at: now, value });
            let sum = 0;
            let weights = 0;
            for (const entry of seen) {
              const weight = Math.exp(-(now - entry.at) / decayMs);
              sum += weight * entry.value;
              weights += weight;
            }
            expect(Math.abs(average.value(now)! - sum / weights)).toBeLessThan(1e-5);
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  it('averages equal values to exactly themselves', () => {
    const average = new DecayingAverage({ decayMs: 1_000 });
    for (let now = 0; now < 5_000; now += 7) average.observe(now, 0.1);
    expect(average.value()).toBe(0.1);
  });

  it('stays as it is without news, and is empty after an idle hour', () => {
    const average = new DecayingAverage({ decayMs: 10_000 });
    expect(average.isEmpty()).toBe(true);
    expect(average.value()).toBeUndefined();
    expect(average.value(0)).toBeUndefined();
    average.observe(0, 42);
    expect(average.isEmpty()).toBe(false);
    expect(average.isEmpty(HOUR)).toBe(true);
    // ln(10^9) = 20.72 decays.
    expect(average.value(207_000)).toBe(42);
    expect(average.value(207_500)).toBeUndefined();
    expect(average.value(HOUR)).toBeUndefined();
    expect(average.value()).toBe(42);
  });

  it('believes only the next value after an idle hour, however many came before', () => {
    const average = new DecayingAverage({ decayMs: 10_000 });
    for (let now = 0; now < 10_000; now++) average.observe(now, 42);
    average.observe(10_000 + HOUR, 7);
    expect(average.value(10_000 + HOUR)).toBe(7);
    average.observe(10_000 + HOUR, 9);
    expect(average.value(10_000 + HOUR)).toBe(8);
  });

  it('keeps nothing of a value that was much larger, not even its rounding', () => {
    const average = new DecayingAverage({ decayMs: 10_000 });
    average.observe(0, 1e20);
    average.observe(HOUR, 7);
    expect(average.value(HOUR)).toBe(7);
  });

  it('takes a late value as one of now', () => {
    const average = new DecayingAverage({ decayMs: 1_000 });
    average.observe(5_000, 10);
    average.observe(4_000, 20);
    expect(average.value(4_500)).toBe(15);
    // Had the clock gone back, the next value would find a second more of decay.
    average.observe(5_000, 30);
    expect(average.value(5_000)).toBe(20);
  });

  it('refuses an impossible decay', () => {
    expect(() => new DecayingAverage({ decayMs: -5 })).toThrow('decayMs must be a finite number > 0, got -5');
  });
});
