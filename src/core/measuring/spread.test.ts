import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { spread } from './spread.js';

describe('spread', () => {
  it('measures how far a fleet is from the ideal case', () => {
    expect(spread([50, 100, 75, 75])).toEqual({
      min: 50,
      mean: 75,
      max: 100,
      maxOverMean: 100 / 75,
      minOverMean: 50 / 75,
      waste: 100,
    });
    expect(spread(new Float64Array([3, 0]))).toMatchObject({
      min: 0,
      mean: 1.5,
      maxOverMean: 2,
      minOverMean: 0,
      waste: 3,
    });
  });

  it('calls no backends, and backends without load, ideal', () => {
    const ideal = { min: 0, mean: 0, max: 0, maxOverMean: 1, minOverMean: 1, waste: 0 };
    expect(spread([])).toEqual(ideal);
    expect(spread([0, 0, 0])).toEqual(ideal);
  });

  it('calls equal loads exactly even, whatever they are', () => {
    expect(spread([0.1, 0.1, 0.1])).toEqual({
      min: 0.1,
      mean: 0.1,
      max: 0.1,
      maxOverMean: 1,
      minOverMean: 1,
      waste: 0,
    });
  });

  it('is the naive formula, in whatever order the loads come', () => {
    const loads = fc.array(
      fc.nat(1_000_000).map((thousandths) => thousandths / 1_000),
      { minLength: 1 },
    );
    fc.assert(
      fc.property(loads, (loads) => {
        const sum = loads.reduce((total, load) => total + load, 0);
        const max = Math.max(...loads);
        const found = spread(loads);
        expect(found.min).toBe(Math.min(...loads));
        expect(found.max).toBe(max);
        expect(found.mean).toBeCloseTo(sum / loads.length, 8);
        expect(found.waste).toBeCloseTo(max * loads.length - sum, 6);
        expect(found.maxOverMean).toBeGreaterThanOrEqual(1);
        expect(found.minOverMean).toBeLessThanOrEqual(1);
      }),
      { numRuns: 100 },
    );
  });
});
