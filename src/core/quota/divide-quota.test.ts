import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { divideQuota } from './divide-quota.js';

describe('divideQuota', () => {
  it('gives every backend what is asked of it, and an equal part of the rest', () => {
    expect(divideQuota(100, [10, 30, 0, 0])).toEqual([25, 45, 15, 15]);
  });

  it('is max-min fair when more is asked for than there is', () => {
    expect(divideQuota(120, [1_000, 60, 10])).toEqual([55, 55, 10]);
  });

  it('divides equally while nothing is known', () => {
    expect(divideQuota(100, [0, 0, 0, 0])).toEqual([25, 25, 25, 25]);
  });

  it('refuses an impossible quota', () => {
    expect(() => divideQuota(-1, [1])).toThrow('perSecond must be a finite number >= 0, got -1');
  });

  it('gives away all of it, and never more', () => {
    const amount = fc.double({ min: 0, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(amount, fc.array(amount, { minLength: 1 }), (quota, demands) => {
        const parts = divideQuota(quota, demands);
        expect(parts.every((part) => part >= 0)).toBe(true);
        expect(parts.reduce((sum, part) => sum + part, 0)).toBeCloseTo(quota, 4);
      }),
    );
  });
});
