import { describe, expect, it } from 'vitest';
import { LimitBook } from '../../../core/quota/quota-limits.js';
import { limitsOf, quotaSchema } from './quota-spec.js';

describe('a quota', () => {
  it('is a number for each customer, or steps by criticality', () => {
    const steps = { perSecond: 5, upTo: { SHEDDABLE: 1, CRITICAL: 5 } };
    const spec = quotaSchema.parse({ customers: { one: 3, two: steps }, everyoneElse: { perSecond: 2 } });
    expect(spec.everyMs).toBe(250);
    expect(limitsOf(spec)).toEqual({
      customers: [
        { customer: 'one', perSecond: 3 },
        { customer: 'two', ...steps },
      ],
      everyoneElse: { perSecond: 2, upTo: {} },
    });
  });

  it('has steps that never go down, as those who decide want them', () => {
    const isGiven = (limit: object) => quotaSchema.safeParse({ everyoneElse: limit }).success;
    const isDecidable = (limit: { perSecond: number }) => {
      try {
        new LimitBook({ everyoneElse: limit });
        return true;
      } catch {
        return false;
      }
    };
    for (const upTo of [
      {},
      { SHEDDABLE: 4, SHEDDABLE_PLUS: 4, CRITICAL: 4 },
      { SHEDDABLE: 1, CRITICAL: 2 },
      { SHEDDABLE: 2, CRITICAL: 1 },
      { SHEDDABLE_PLUS: 5 },
      { SHEDDABLE: 3, SHEDDABLE_PLUS: 2 },
    ]) {
      const limit = { perSecond: 4, upTo };
      expect([limit, isGiven(limit)]).toEqual([limit, isDecidable(limit)]);
    }
    const { error } = quotaSchema.safeParse({ everyoneElse: { perSecond: 4, upTo: { SHEDDABLE: 5 } } });
    expect(JSON.stringify(error)).toContain('no step of upTo may allow more than the next');
  });
});
