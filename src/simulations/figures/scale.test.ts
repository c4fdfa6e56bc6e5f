import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evenly } from '../../core/evenly.contract.js';
import { logScale, spanScale, valueScale } from './scale.js';

describe('the upright axis', () => {
  it('starts at 0 and ends at a round number', () => {
    expect(valueScale([0.2, 1.28], 0.2)).toEqual({
      min: 0,
      max: 1.5,
      ticks: [0, 0.25, 0.5, 0.75, 1, 1.25, 1.5],
    });
    expect(valueScale([15, 50], 0.2)).toEqual({ min: 0, max: 50, ticks: [0, 10, 20, 30, 40, 50] });
    expect(valueScale([0.3], 0.2).ticks).toEqual([0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3]);
  });

  it('shows small differences of lines large, with room at both ends, but never of bars', () => {
    expect(valueScale([0.994, 0.998], 0.2)).toEqual({
      min: 0.993,
      max: 0.999,
      ticks: [0.993, 0.994, 0.995, 0.996, 0.997, 0.998, 0.999],
    });
    expect(valueScale([0.994, 0.998], 0)).toMatchObject({ min: 0, max: 1 });
    expect(valueScale([0.9, 0.998], 0.02)).toMatchObject({ min: 0, max: 1 });
    expect(valueScale([-99, -98], 0.2)).toMatchObject({ min: -99.2, max: -97.8 });
  });

  it('has room for what is below 0', () => {
    expect(valueScale([-10, 30], 0.2)).toEqual({ min: -20, max: 40, ticks: [-20, -10, 0, 10, 20, 30, 40] });
    expect(valueScale([-30, -10], 0.2)).toMatchObject({ max: 0 });
  });

  it('is there for nothing, too', () => {
    const any = { min: 0, max: 1, ticks: [0, 0.5, 1] };
    expect(valueScale([], 0.2)).toEqual(any);
    expect(valueScale([0, 0], 0.2)).toEqual(any);
    expect(valueScale([Number.NaN, Number.POSITIVE_INFINITY], 0.2)).toEqual(any);
  });

  it('holds all values, on about five steps', () => {
    const values = fc.array(evenly(-1e9, 1e9), { minLength: 1 });
    fc.assert(
      fc.property(values, fc.constantFrom(0, 0.02, 0.2), (all, spread) => {
        const given = all.map((value) => (Math.abs(value) < 1e-9 ? 0 : value));
        const { min, max, ticks } = valueScale(given, spread);
        const slack = (max - min) * 1e-6;
        for (const value of given) {
          expect(value).toBeGreaterThanOrEqual(min - slack);
          expect(value).toBeLessThanOrEqual(max + slack);
        }
        expect(ticks.length).toBeGreaterThanOrEqual(3);
        expect(ticks.length).toBeLessThanOrEqual(11);
        expect([ticks[0], ticks.at(-1)]).toEqual([min, max]);
      }),
    );
  });
});

describe('the axis below', () => {
  it('shows what there is, with round numbers in it', () => {
    expect(spanScale([0, 250, 599])).toEqual({ min: 0, max: 600, ticks: [0, 100, 200, 300, 400, 500, 600] });
    expect(spanScale([0, 20]).ticks).toEqual([0, 5, 10, 15, 20]);
    expect(spanScale([0.75, 1.74])).toEqual({ min: 0.75, max: 1.74, ticks: [0.8, 1, 1.2, 1.4, 1.6] });
  });

  it('starts at 0 when it nearly does', () => {
    expect(spanScale([1, 60])).toEqual({ min: 0, max: 60, ticks: [0, 10, 20, 30, 40, 50, 60] });
    expect(spanScale([4, 60]).min).toBe(0);
    expect(spanScale([10, 60]).min).toBe(10);
  });

  it('is there for a single point, and for none', () => {
    expect(spanScale([5])).toMatchObject({ min: 4, max: 6 });
    expect(spanScale([])).toMatchObject({ min: 0, max: 1 });
  });
});

describe('a logarithmic axis', () => {
  it('has 1, 2, 5 in every decade while there are few', () => {
    expect(logScale([80, 4_900])).toEqual({
      min: 50,
      max: 5_000,
      ticks: [50, 100, 200, 500, 1_000, 2_000, 5_000],
    });
    expect(logScale([0.3, 0.9]).ticks).toEqual([0.2, 0.5, 1]);
  });

  it('has decades only, and not all of them, when there are many', () => {
    expect(logScale([67, 123_456])).toEqual({ min: 50, max: 200_000, ticks: [100, 1_000, 10_000, 100_000] });
    expect(logScale([1, 1e12]).ticks).toEqual([1, 100, 1e4, 1e6, 1e8, 1e10, 1e12]);
  });

  it('ends at values that are round', () => {
    expect(logScale([10, 1_000])).toMatchObject({ min: 10, max: 1_000 });
    expect(logScale([10])).toEqual({ min: 10, max: 20, ticks: [10, 20] });
  });

  it('leaves out what has no place on it', () => {
    expect(logScale([0, -5, 10, 100])).toMatchObject({ min: 10, max: 100 });
    expect(logScale([0])).toEqual({ min: 1, max: 10, ticks: [1, 10] });
  });

  it('holds all values', () => {
    fc.assert(
      fc.property(fc.array(evenly(1e-6, 1e9), { minLength: 1 }), (values) => {
        const { min, max, ticks } = logScale(values);
        expect(Math.min(...values)).toBeGreaterThanOrEqual(min * (1 - 1e-6));
        expect(Math.max(...values)).toBeLessThanOrEqual(max * (1 + 1e-6));
        expect(min).toBeLessThan(max);
        expect(ticks.length).toBeGreaterThanOrEqual(2);
        expect(ticks.length).toBeLessThanOrEqual(11);
      }),
    );
  });
});
