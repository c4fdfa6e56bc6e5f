import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evenly } from '../../evenly.contract.js';
import { nextAllowance } from './allowance.js';

describe('nextAllowance', () => {
  const options = { targetUtilization: 0.9, probeShare: 0.03, fallMs: 1_000, growMs: 4_000 };
  const next = (allowance: number, utilization: number | undefined, taken = allowance, sinceMs = 1_000) =>
    nextAllowance(allowance, utilization, taken, sinceMs, options);

  it('goes half of the way down to what fits in a second, in ratios', () => {
    // 1.8 is twice too busy: 0.5 would fit.
    expect(next(1, 1.8)).toBeCloseTo(Math.SQRT1_2, 12);
    expect(next(1, 1.8, 1, 2_000)).toBeCloseTo(0.5 ** 0.75, 12);
    expect(next(1, 1.8, 1, 3_600_000)).toBeCloseTo(0.5, 12);
  });

  it('starts from what was taken, when that was less than allowed', () => {
    expect(next(1, 1.8, 0.2)).toBeCloseTo(0.2 * Math.SQRT1_2, 12);
  });

  it('stays when what was taken beyond the allowance is what made it busier than its target', () => {
    expect(next(0.9, 1, 1)).toBeCloseTo(0.9, 12);
    expect(next(0.5, 0.95, 0.55)).toBe(0.5);
  });

  it('grows by the ratio in four seconds, at most doubles, never above 1', () => {
    expect(next(0.2, 0.6, 0.2, 4_000)).toBeCloseTo(0.3, 12);
    expect(next(0.2, 0.1, 0.2, 4_000)).toBeCloseTo(0.4, 12);
    expect(next(0.2, 0, 0.2, 4_000)).toBeCloseTo(0.4, 12);
    expect(next(0.8, 0.1, 0.8, 4_000)).toBe(1);
    // Little traffic on a locality that is not busy is no reason to allow less.
    expect(next(0.8, 0.89, 0.01)).toBeGreaterThan(0.8);
  });

  it('has forgotten everything after an idle hour that left it idle', () => {
    expect(next(0.03, 0, 1, 3_600_000)).toBe(1);
  });

  it('learns nothing from no report, nor from the very target', () => {
    expect(next(0.3, undefined)).toBe(0.3);
    expect(next(0.3, 0.9)).toBe(0.3);
    expect(next(0.3, 0.9, 0.3, Number.POSITIVE_INFINITY)).toBe(0.3);
    expect(next(0.3, 0.9, 0.1)).toBe(0.3);
  });

  it('never falls below the probe share', () => {
    expect(next(0.04, 50)).toBe(0.03);
    expect(next(1, 0.95, 0.001)).toBe(0.03);
  });

  it('is bounded, and never moves the wrong way', () => {
    const shares = evenly(0.03, 1);
    const used = evenly(0, 100);
    fc.assert(
      fc.property(
        shares,
        used,
        shares,
        fc.nat({ max: 100_000 }),
        (allowance, utilization, taken, sinceMs) => {
          const after = next(allowance, utilization, taken, sinceMs);
          expect(after).toBeGreaterThanOrEqual(0.03);
          expect(after).toBeLessThanOrEqual(1);
          if (utilization > 0.9) expect(after).toBeLessThanOrEqual(allowance + 1e-12);
          else expect(after).toBeGreaterThanOrEqual(allowance);
        },
      ),
    );
  });
});
