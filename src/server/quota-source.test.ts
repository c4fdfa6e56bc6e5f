import { describe, expect, it } from 'vitest';
import { QuotaEnforcement } from '../core/index.js';
import { type LocalQuota, quotaSourceOf } from './quota-source.js';

const LIMITS = { customers: [{ customer: 'gmail', perSecond: 5 }], everyoneElse: { perSecond: 1 } };

describe('quotaSourceOf', () => {
  it('makes quotas of this backend alone from limits', () => {
    const source = quotaSourceOf(LIMITS);
    expect(source).toMatchObject({ unit: 'cpu', enforce: 'always' });
    expect(source.enforcement.explain('gmail', 0).limits.CRITICAL_PLUS).toBe(5);
    expect(source.enforcement.explain('another', 0).limits.CRITICAL_PLUS).toBe(1);
    expect(source.snapshot().stage).toBe('alone');
  });

  it('takes a unit, and when to enforce', () => {
    const source = quotaSourceOf({ ...LIMITS, unit: 'tokens', enforce: 'when-overloaded' });
    expect(source).toMatchObject({ unit: 'tokens', enforce: 'when-overloaded' });
  });

  it('passes on what somebody else looks after', () => {
    const given = {
      enforcement: new QuotaEnforcement(LIMITS),
      unit: 'cpu',
      enforce: 'always',
      snapshot: () => ({ stage: 'fresh' as const, token: 1, backends: 2, customers: [] }),
    } as const;
    expect(quotaSourceOf(given)).toBe(given);
  });

  it('refuses what would be guessed at', () => {
    expect(() => quotaSourceOf({ ...LIMITS, enforce: 'sometimes' } as never)).toThrow(
      'enforce must be one of always, when-overloaded, got "sometimes"',
    );
    expect(() => quotaSourceOf({} as LocalQuota)).toThrow('everyone else');
    expect(() => quotaSourceOf({ ...LIMITS, burst: 1 } as never)).toThrow('burst');
    const customers = [{ customer: 'a\tb', perSecond: 5 }];
    expect(() => quotaSourceOf({ ...LIMITS, customers })).toThrow('the name of a customer must have');
  });
});
