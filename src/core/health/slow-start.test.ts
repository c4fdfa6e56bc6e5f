import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evenly } from '../evenly.contract.js';
import { checkSlowStart, SLOW_START_DEFAULTS, slowStartFactor } from './slow-start.js';

describe('slow start', () => {
  it('is off unless a window is given', () => {
    expect(checkSlowStart()).toEqual(SLOW_START_DEFAULTS);
    expect(slowStartFactor(1_000, 1_000, checkSlowStart())).toBe(1);
  });

  it('rises in a straight line from a tenth to the whole', () => {
    const options = checkSlowStart({ windowMs: 10_000 });
    const factorAfter = (ms: number) => slowStartFactor(5_000, 5_000 + ms, options);
    expect(factorAfter(0)).toBe(0.1);
    expect(factorAfter(500)).toBe(0.1);
    expect(factorAfter(2_500)).toBe(0.25);
    expect(factorAfter(5_000)).toBe(0.5);
    expect(factorAfter(9_999)).toBeLessThan(1);
    expect(factorAfter(10_000)).toBe(1);
    expect(factorAfter(3_600_000)).toBe(1);
  });

  it('rises earlier with more aggression, later with less', () => {
    const halfway = (aggression: number) =>
      slowStartFactor(0, 5_000, checkSlowStart({ windowMs: 10_000, aggression }));
    expect(halfway(2)).toBeCloseTo(Math.SQRT1_2, 12);
    expect(halfway(0.5)).toBeCloseTo(0.25, 12);
  });

  it('does not touch a backend that was always there', () => {
    expect(slowStartFactor(Number.NEGATIVE_INFINITY, 0, checkSlowStart({ windowMs: 10_000 }))).toBe(1);
  });

  it('never falls, and stays between the minimum and 1, also for a `now` before it was ready', () => {
    const shares = evenly(0.001, 1);
    const instants = fc.integer({ min: -20_000, max: 20_000 });
    fc.assert(
      fc.property(shares, evenly(0.1, 10), instants, instants, (least, a, x, y) => {
        const options = checkSlowStart({ windowMs: 10_000, aggression: a, minimumShare: least });
        const earlier = slowStartFactor(0, Math.min(x, y), options);
        const later = slowStartFactor(0, Math.max(x, y), options);
        expect(earlier).toBeGreaterThanOrEqual(least);
        expect(later).toBeGreaterThanOrEqual(earlier);
        expect(later).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('refuses impossible options', () => {
    expect(() => checkSlowStart({ windowMs: -1 })).toThrow(
      new RangeError('windowMs must be a finite number >= 0, got -1'),
    );
    expect(() => checkSlowStart({ window: 1 } as object)).toThrow('slowStart has no option "window"');
    expect(() => checkSlowStart({ aggression: 0 })).toThrow('aggression must be a finite number > 0, got 0');
    expect(() => checkSlowStart({ minimumShare: 0 })).toThrow(
      'minimumShare must be a finite number > 0, got 0',
    );
    expect(() => checkSlowStart({ minimumShare: 1.5 })).toThrow('minimumShare must be from 0 to 1, got 1.5');
  });
});
