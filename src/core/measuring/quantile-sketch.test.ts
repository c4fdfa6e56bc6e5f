import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { QuantileSketch } from './quantile-sketch.js';

const LATENCIES = { min: 0.1, max: 100_000, windowMs: 60_000, slots: 6 };

describe('QuantileSketch', () => {
  it('estimates within the relative error', () => {
    // All six decades alike, which those of `fc.double` are not.
    const value = fc.nat(6_000).map((thousandths) => 10 ** (thousandths / 1_000 - 1));
    const values = fc.array(value, { minLength: 1, maxLength: 100, size: 'max' });
    const q = fc.nat(1_000).map((thousandths) => thousandths / 1_000);
    fc.assert(
      fc.property(values, q, fc.constantFrom(undefined, 0.001, 0.05, 0.5), (values, q, relativeError) => {
        const sketch = new QuantileSketch({ ...LATENCIES, ...(relativeError && { relativeError }) });
        for (const value of values) sketch.add(0, value);
        const rank = Math.max(1, Math.ceil(q * values.length - 1e-9));
        const exact = values.toSorted((a, b) => a - b)[rank - 1]!;
        // A value on a border may fall on either side of it by a rounding: a billionth of slack.
        const slack = (relativeError ?? 0.01) + 1e-9;
        expect(Math.abs(sketch.quantile(q, 0)! - exact)).toBeLessThanOrEqual(exact * slack);
      }),
      { numRuns: 100 },
    );
  });

  it('is within the error at both ends and on the borders of buckets', () => {
    const gamma = 1.01 / 0.99;
    for (const value of [0.1, 0.1 * gamma, 0.1 * gamma ** 2, 1, 99_999, 100_000]) {
      const sketch = new QuantileSketch(LATENCIES);
      sketch.add(0, value);
      expect(Math.abs(sketch.quantile(0.5, 0)! / value - 1)).toBeLessThanOrEqual(0.01 + 1e-9);
    }
  });

  it('counts values outside as min and max', () => {
    const sketch = new QuantileSketch({ ...LATENCIES, min: 1, max: 1_000 });
    for (const value of [Number.NEGATIVE_INFINITY, -3, 0, 0.9]) sketch.add(0, value);
    for (const value of [2_000, 1e300, Number.POSITIVE_INFINITY]) sketch.add(0, value);
    sketch.add(0, Number.NaN);
    expect(sketch.count(0)).toBe(7);
    expect(sketch.quantile(0, 0)).toBe(1);
    expect(sketch.quantile(4 / 7, 0)).toBe(1);
    expect(sketch.quantile(5 / 7, 0)).toBeGreaterThan(990);
    expect(sketch.quantile(1, 0)).toBeLessThanOrEqual(1_000);
    // What was counted outside the rows would be found in them later.
    expect(sketch.count(69_999)).toBe(7);
    expect(sketch.count(70_000)).toBe(0);
  });

  it('answers for one possible value', () => {
    const sketch = new QuantileSketch({ ...LATENCIES, min: 5, max: 5 });
    sketch.add(0, 7);
    expect(sketch.quantile(0.5, 0)).toBe(5);
  });

  it('forgets slot by slot', () => {
    const sketch = new QuantileSketch({ ...LATENCIES, windowMs: 1_000, slots: 4 });
    for (let i = 0; i < 9; i++) sketch.add(0, 500);
    sketch.add(300, 20);
    sketch.add(900, 10);
    expect(sketch.count(1_249)).toBe(11);
    expect(sketch.quantile(0.5, 1_249)! / 500).toBeCloseTo(1, 1);
    expect(sketch.count(1_250)).toBe(2);
    expect(sketch.quantile(1, 1_250)! / 20).toBeCloseTo(1, 1);
    expect(sketch.count(1_500)).toBe(1);
    expect(sketch.quantile(1, 1_500)! / 10).toBeCloseTo(1, 1);
    expect(sketch.count(2_000)).toBe(0);
    expect(sketch.quantile(1, 2_000)).toBeUndefined();
  });

  it('covers at least the window and less than one slot more, over many turns', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 60, size: 'max' }), (gaps) => {
        const sketch = new QuantileSketch({ min: 1, max: 10, windowMs: 1_000, slots: 4 });
        const seen: number[] = [];
        let now = 0;
        for (const gap of gaps) {
          now += gap;
          sketch.add(now, 1 + (now % 10));
          seen.push(now);
          const count = sketch.count(now);
          expect(count).toBeGreaterThanOrEqual(seen.filter((at) => at >= now - 1_000).length);
          expect(count).toBeLessThanOrEqual(seen.filter((at) => at > now - 1_250).length);
          // The rows and their sum agree: the last value is found where the count says it is.
          const young = seen.slice(-count).map((at) => 1 + (at % 10));
          expect(sketch.quantile(1, now)! / Math.max(...young)).toBeCloseTo(1, 1);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('is empty after an idle hour', () => {
    const sketch = new QuantileSketch(LATENCIES);
    expect(sketch.quantile(0.5, 0)).toBeUndefined();
    for (let now = 0; now < 60_000; now += 100) sketch.add(now, 40);
    expect(sketch.count(60_000 + 3_600_000)).toBe(0);
    sketch.add(60_000 + 3_600_000, 10);
    expect(sketch.quantile(1, 60_000 + 3_600_000)! / 10).toBeCloseTo(1, 1);
  });

  it('refuses what is impossible', () => {
    const make = (options: object) => () => new QuantileSketch({ ...LATENCIES, ...options });
    expect(make({ relativeError: 0 })).toThrow('relativeError must be from 0.0001 to 0.5, got 0');
    expect(make({ min: 0 })).toThrow('min must be a finite number > 0, got 0');
    expect(make({ max: 0.05 })).toThrow('max must be from 0.1 to');
    expect(make({ slots: 0 })).toThrow('slots must be an integer >= 1, got 0');
    expect(() => new QuantileSketch(LATENCIES).quantile(-1, 0)).toThrow(
      'quantile must be from 0 to 1, got -1',
    );
  });
});
