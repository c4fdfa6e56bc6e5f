import { describe, expect, it } from 'vitest';
import { rateScale } from './rate-scale.js';

describe('rateScale', () => {
  it('finds the smallest whole numbers for a rate', () => {
    expect(rateScale({ limit: 300, windowMs: 7_000 })).toEqual({
      perMs: 3,
      unit: 70,
      burst: 300,
      capacity: 21_000,
    });
    expect(rateScale({ limit: 2_000_000, windowMs: 1_000, burst: 5 })).toEqual({
      perMs: 2_000,
      unit: 1,
      burst: 5,
      capacity: 5,
    });
    expect(rateScale({ limit: 1, windowMs: 1_000 })).toMatchObject({ perMs: 1, unit: 1_000 });
  });

  it('refuses a burst that would not be exact', () => {
    // A million and three a month; a million is no trouble.
    const month = 30 * 86_400_000;
    expect(rateScale({ limit: 1_000_000, windowMs: month }).unit).toBe(2_592);
    expect(() => rateScale({ limit: 1_000_003, windowMs: month })).toThrow(
      'burst must be an integer from 1 to 868749, got 1000003',
    );
    expect(rateScale({ limit: 1_000_003, windowMs: month, burst: 868_749 }).perMs).toBe(1_000_003);
  });
});
