import { describe, expect, it } from 'vitest';
import { QuotaEnforcement } from './quota-enforcement.js';
import { LimitBook, type QuotaLimit, type QuotaLimits } from './quota-limits.js';

const { POSITIVE_INFINITY } = Number;

describe('LimitBook', () => {
  it('has the limits of SRE ch. 21, which add up to more than the 10,000 there are', () => {
    const book = new LimitBook({
      customers: [
        { customer: 'gmail', perSecond: 4_000 },
        { customer: 'calendar', perSecond: 4_000 },
        { customer: 'android', perSecond: 3_000 },
        { customer: 'google+', perSecond: 2_000 },
      ],
      everyoneElse: { perSecond: 500 },
    });
    expect(book.of('gmail')[3]).toBe(4_000);
    expect(book.of('google+')[3]).toBe(2_000);
    expect(book.of('photos')[3]).toBe(500);
    expect(book.of('__proto__')[3]).toBe(500);
    expect(['gmail', 'photos', '__proto__'].map((customer) => book.isNamed(customer))).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('has steps by criticality, the whole limit at the top', () => {
    const book = new LimitBook({
      customers: [{ customer: 'gmail', perSecond: 4_000, upTo: { SHEDDABLE: 0, CRITICAL: 3_000 } }],
      everyoneElse: { perSecond: POSITIVE_INFINITY },
    });
    expect(book.of('gmail')).toEqual([0, POSITIVE_INFINITY, 3_000, 4_000]);
    expect(book.of('other')).toEqual(new Array(4).fill(POSITIVE_INFINITY));
  });

  it('needs only a limit for everyone', () => {
    expect(new LimitBook({ everyoneElse: { perSecond: 5 } }).of('gmail')[3]).toBe(5);
  });

  it('refuses what cannot be', () => {
    const limitOf = (limit: object) => () => new LimitBook({ everyoneElse: limit as QuotaLimit });
    expect(limitOf({ perSecond: -1 })).toThrow(
      'perSecond in the limit of everyone else must be from 0 to Infinity, got -1',
    );
    expect(limitOf({})).toThrow(
      'perSecond in the limit of everyone else must be from 0 to Infinity, got NaN',
    );
    expect(limitOf({ perSecond: 1, upto: {} })).toThrow('the limit of everyone else has no option "upto"');
    expect(limitOf({ perSecond: 1, upTo: { CRITICAL_PLUS: 1 } })).toThrow(
      'upTo in the limit of everyone else has no option "CRITICAL_PLUS"',
    );
    expect(() => new LimitBook({} as QuotaLimits)).toThrow('perSecond in the limit of everyone else');
    expect(() => new LimitBook({ everyone: 1 } as unknown as QuotaLimits)).toThrow(
      'limits has no option "everyone"',
    );
  });

  it('refuses a customer that is there twice', () => {
    const customer = { customer: 'gmail', perSecond: 1 };
    const limits = { customers: [customer, customer], everyoneElse: { perSecond: 1 } };
    expect(() => new LimitBook(limits)).toThrow('customers must be distinct, got "gmail" twice');
  });

  it('refuses a step that is higher than one above it', () => {
    const stepsOf = (upTo: QuotaLimit['upTo'] & object) => () =>
      new LimitBook({
        customers: [{ customer: 'gmail', perSecond: 10, upTo }],
        everyoneElse: { perSecond: 1 },
      });
    expect(stepsOf({ SHEDDABLE: 10, CRITICAL: 10 })).not.toThrow();
    expect(stepsOf({ CRITICAL: 11 })).toThrow(
      'CRITICAL in the limit of "gmail" must be from 0 to 10, got 11',
    );
    expect(stepsOf({ SHEDDABLE: 6, CRITICAL: 5 })).toThrow(
      'SHEDDABLE in the limit of "gmail" must be from 0 to 5, got 6',
    );
    expect(stepsOf({ SHEDDABLE_PLUS: -1 })).toThrow('SHEDDABLE_PLUS in the limit of "gmail"');
  });
});

describe('limits that change', () => {
  /** Wants 20 a second; how much of it is served in the tenth second from now. */
  function served(quota: QuotaEnforcement, customer: string, from: number): number {
    let count = 0;
    for (let now = from; now < from + 10_000; now += 50) {
      if (quota.admit(customer, 'CRITICAL', ((now / 50) % 20) / 20, now) === 'refuse') continue;
      quota.charge(customer, 'CRITICAL', 1, now);
      if (now >= from + 9_000) count++;
    }
    return count;
  }

  it('hold from the next update on, for customers known and unknown', () => {
    const quota = new QuotaEnforcement({ everyoneElse: { perSecond: 100 } });
    expect(served(quota, 'a', 0)).toBe(20);
    quota.setLimits({ customers: [{ customer: 'a', perSecond: 5 }], everyoneElse: { perSecond: 10 } });
    expect(Math.abs(served(quota, 'a', 10_000) - 5)).toBeLessThanOrEqual(1);
    expect(Math.abs(served(quota, 'b', 20_000) - 10)).toBeLessThanOrEqual(1);
    quota.setLimits({ everyoneElse: { perSecond: 0 } });
    expect(served(quota, 'a', 40_000)).toBe(0);
    expect(served(quota, 'c', 40_000)).toBe(0);
  });

  it('stay as they were when the new ones are impossible', () => {
    const quota = new QuotaEnforcement({ everyoneElse: { perSecond: 5 } });
    expect(() => quota.setLimits({ everyoneElse: { perSecond: Number.NaN } })).toThrow(RangeError);
    expect(quota.explain('a', 0).limits.CRITICAL_PLUS).toBe(5);
  });

  it('do not pay a debt', () => {
    const quota = new QuotaEnforcement({ everyoneElse: { perSecond: 10 } });
    quota.charge('a', 'CRITICAL', 220, 0);
    expect(quota.explain('a', 1_000).debt).toBeCloseTo(190, 9);
    quota.setLimits({ everyoneElse: { perSecond: 20 } });
    expect(quota.explain('a', 2_000).debt).toBeCloseTo(170, 9);
  });
});
