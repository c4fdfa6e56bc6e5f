import { describe, expect, it } from 'vitest';
import { THRESHOLD_DEFAULTS } from '../admission/thresholds.js';
import { QUOTA_FROM, QuotaSuspension } from './quota-suspension.js';

describe('QuotaSuspension', () => {
  it('ends with the first reading at the mark, and begins again when none came for a while', () => {
    const suspension = new QuotaSuspension(0.7);
    expect(suspension.isSuspended(0.69, 0)).toBe(true);
    expect(suspension.isSuspended(0.7, 1_000)).toBe(false);
    expect(suspension.isSuspended(0.1, 10_999)).toBe(false);
    expect(suspension.isSuspended(0.1, 11_000)).toBe(true);
  });

  it('learns nothing from no number', () => {
    const suspension = new QuotaSuspension(0.7);
    expect(suspension.isSuspended(Number.NaN, 0)).toBe(true);
    suspension.isSuspended(1, 0);
    expect(suspension.isSuspended(Number.NaN, 1)).toBe(false);
  });

  it('is over before anybody is shed', () => {
    expect(QUOTA_FROM).toBeLessThan(THRESHOLD_DEFAULTS.SHEDDABLE.refuseFrom);
  });
});
