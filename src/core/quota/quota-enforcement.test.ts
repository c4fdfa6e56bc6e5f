import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CRITICALITIES } from '../criticality.js';
import { evenlyBelow1 } from '../evenly.contract.js';
import { NOTHING_ASSUMED } from './assumption.js';
import {
  QUOTA_ENFORCEMENT_DEFAULTS,
  QuotaEnforcement,
  type QuotaEnforcementOptions,
} from './quota-enforcement.js';

const HOUR = 3_600_000;

function each(perSecond: number, options?: Partial<QuotaEnforcementOptions>): QuotaEnforcement {
  return new QuotaEnforcement({ everyoneElse: { perSecond } }, options);
}

/** All numbers in plain data, in order. */
function numbersIn(value: object): number[] {
  return Object.values(value).flatMap((inner) =>
    typeof inner === 'number' ? [inner] : typeof inner === 'object' ? numbersIn(inner) : [],
  );
}

describe('QuotaEnforcement', () => {
  it('leaves no trace of one that was admitted and given back', () => {
    const call = fc.record({
      kind: fc.constantFrom('admit', 'charge', 'given back'),
      customer: fc.constantFrom('a', 'b'),
      criticality: fc.constantFrom(...CRITICALITIES),
      order: evenlyBelow1(),
      cost: fc.nat(20),
      gap: fc.oneof(fc.nat(60), fc.nat(3_000)),
    });
    fc.assert(
      fc.property(fc.array(call, { maxLength: 150 }), (calls) => {
        const touched = each(20, { burstMs: 500, maxDebtMs: 3_000 });
        const untouched = each(20, { burstMs: 500, maxDebtMs: 3_000 });
        let now = 0;
        for (const { kind, customer, criticality, order, cost, gap } of calls) {
          now += gap;
          if (kind === 'charge') {
            for (const quota of [touched, untouched]) quota.charge(customer, criticality, cost, now);
            continue;
          }
          const decision = touched.admit(customer, criticality, order, now);
          if (kind === 'given back' && decision === 'admit') touched.cancel(customer, criticality, now);
          else expect(untouched.admit(customer, criticality, order, now)).toBe(decision);
        }
        for (const customer of ['a', 'b']) {
          for (const at of [now, now + 100, now + 2_000]) {
            const expected = numbersIn(untouched.explain(customer, at));
            // To rounding: the one may have been brought up to date in more steps than the other.
            const isOther = (number: number, index: number) =>
              number !== expected[index] && !(Math.abs(number - expected[index]!) < 1e-9);
            expect(numbersIn(touched.explain(customer, at)).filter(isOther)).toEqual([]);
          }
        }
      }),
    );
  });

  it('starts anew after an idle hour', () => {
    const quota = each(1);
    for (let now = 0; now < 10_000; now += 10) {
      for (const criticality of CRITICALITIES) {
        quota.admit('a', criticality, 0, now);
        quota.charge('a', criticality, 50, now);
      }
    }
    expect(quota.explain('a', 10_000).refusedShares.CRITICAL_PLUS).toBe(1);
    expect(quota.explain('a', 10_000 + HOUR)).toEqual(each(1).explain('a', 0));
    expect(quota.usage(10_000 + HOUR)).toEqual(each(1).usage(0));
    for (const criticality of CRITICALITIES) {
      expect(quota.admit('a', criticality, 0, 10_000 + HOUR)).toBe('admit');
    }
  });

  it('explains itself', () => {
    const quota = new QuotaEnforcement({
      customers: [{ customer: 'a', perSecond: 10, upTo: { SHEDDABLE: 2 } }],
      everyoneElse: { perSecond: 1 },
    });
    const limits = { SHEDDABLE: 2, SHEDDABLE_PLUS: Infinity, CRITICAL: Infinity, CRITICAL_PLUS: 10 };
    expect(quota.explain('a', 0)).toMatchObject({ customer: 'a', limits, debt: -20, demandPerSecond: 0 });
    for (let now = 0; now < 20_000; now += 10) {
      // 30 a second critical, of which 10 are served, and 10 a second sheddable, of which none.
      if (quota.admit('a', 'CRITICAL', ((now * 37) % 1_000) / 1_000, now) === 'admit')
        quota.charge('a', 'CRITICAL', 0.3, now);
      if (quota.admit('a', 'SHEDDABLE', 0.5, now) === 'admit') quota.charge('a', 'SHEDDABLE', 0.1, now);
    }
    const { refusedShares, usedPerSecond, demandPerSecond, byCriticality, debt } = quota.explain('a', 20_000);
    expect(refusedShares).toMatchObject({ SHEDDABLE: 1, SHEDDABLE_PLUS: 1, CRITICAL_PLUS: 0 });
    expect(refusedShares.CRITICAL).toBeCloseTo(2 / 3, 1);
    expect(usedPerSecond).toBeCloseTo(10, 0);
    expect(Math.abs(demandPerSecond - 40)).toBeLessThan(2);
    expect(Math.abs(byCriticality.SHEDDABLE.demandPerSecond - 10)).toBeLessThan(0.5);
    // The sheddable ones have had something beyond the limit before there was a line, and since then no room to pay.
    expect(debt).toBeGreaterThan(0);
    expect(debt).toBeLessThan(10);
  });

  it('does not open an account for who is only asked about, or gives back what it never had', () => {
    const quota = each(5, { maxCustomers: 1 });
    quota.charge('a', 'CRITICAL', 1, 0);
    expect(quota.explain('b', 0)).toMatchObject({ customer: 'b', debt: -10 });
    quota.cancel('c', 'CRITICAL', 0);
    expect(quota.usage(0).customers.map(({ customer }) => customer)).toEqual(['a']);
  });

  it('lets go of who is no longer restrained, whether it was ever here or not', () => {
    const quota = each(100);
    quota.restrain(
      new Map([
        ['here', { rank: 3, level: 0, top: 3, share: Number.POSITIVE_INFINITY }],
        ['elsewhere', { rank: 3, level: 0, top: 3, share: Number.POSITIVE_INFINITY }],
      ]),
    );
    expect(quota.admit('here', 'CRITICAL_PLUS', 0.9, 0)).toBe('refuse');
    expect(quota.explain('here', 0).refusedShares.CRITICAL).toBe(1);
    quota.restrain(new Map());
    for (const customer of ['here', 'elsewhere'])
      expect(quota.admit(customer, 'SHEDDABLE', 0, 0)).toBe('admit');
  });

  it('gives back to a level what did not run, and keeps what it has when the level moves', () => {
    const quota = each(100);
    quota.charge('a', 'CRITICAL', 1, 0);
    quota.restrain(new Map([['a', { rank: 2, level: 1, top: 3, share: Number.POSITIVE_INFINITY }]]));
    const passes = (now: number) => quota.admit('a', 'CRITICAL', 0.999, now) === 'admit';
    expect(passes(100)).toBe(false);
    quota.restrain(new Map([['a', { rank: 2, level: 1.1, top: 3, share: Number.POSITIVE_INFINITY }]]));
    expect([passes(1_500), passes(1_500)]).toEqual([true, false]);
    quota.cancel('a', 'CRITICAL', 1_500);
    expect(passes(1_500)).toBe(true);
  });

  it('refuses nobody while it is suspended, and what is used then is not owed', () => {
    const quota = each(10);
    quota.isSuspended = true;
    for (let now = 0; now < 10_000; now += 10) {
      expect(quota.admit('a', 'CRITICAL', 0, now)).toBe('admit');
      quota.charge('a', 'CRITICAL', 1, now);
    }
    quota.isSuspended = false;
    // But for the first one, of which nobody knew what it costs.
    expect(quota.explain('a', 10_000).debt).toBeLessThan(-18);
    expect(quota.explain('a', 10_000).usedPerSecond).toBeCloseTo(100, -1);
  });

  it('refuses impossible options, limits and costs', () => {
    expect(() => each(-1)).toThrow('perSecond in the limit of everyone else');
    expect(() => each(1, { burstMs: -1 })).toThrow('burstMs must be a finite number >= 0, got -1');
    expect(() => each(1, { repayMs: 0 })).toThrow('repayMs must be a finite number > 0, got 0');
    expect(() => each(1, { maxDebtMs: 0 })).toThrow('maxDebtMs must be a finite number > 0, got 0');
    expect(() => each(1, { maxCustomers: 0.5 })).toThrow('maxCustomers must be an integer >= 1, got 0.5');
    expect(() => each(1, { updateMs: 0 })).toThrow('updateMs must be a finite number > 0, got 0');
    expect(() => each(1, { burst: 1 } as object)).toThrow('quotaEnforcement has no option "burst"');
    expect(() => each(1).charge('a', 'CRITICAL', -1, 0)).toThrow('cost must be a finite number >= 0, got -1');
    expect(Object.isFrozen(QUOTA_ENFORCEMENT_DEFAULTS)).toBe(true);
  });

  it('takes back what it assumed of a request, not what it would assume now', () => {
    const quota = each(1_000);
    const cheap = (from: number, to: number) => {
      for (let now = from; now < to; now += 10) {
        quota.admit('a', 'CRITICAL', 0.5, now);
        quota.charge('a', 'CRITICAL', 0.01, now, quota.assumed);
      }
    };
    for (let now = 0; now < 5_000; now += 50) {
      quota.admit('a', 'CRITICAL', 0.5, now);
      quota.charge('a', 'CRITICAL', 10, now, quota.assumed);
    }
    const long = Array.from({ length: 100 }, () => {
      quota.admit('a', 'CRITICAL', 0.5, 5_000);
      return quota.assumed;
    });
    cheap(5_000, 65_000);
    const before = quota.explain('a', 65_000).debt;
    for (const assumed of long) quota.charge('a', 'CRITICAL', 10, 65_000, assumed);
    // They cost what was assumed: nothing is left to pay.
    expect(long[0]!.cost).toBeCloseTo(10, 6);
    expect(quota.explain('a', 65_100).debt).toBeCloseTo(before, 3);
    for (const assumed of long) quota.cancel('a', 'CRITICAL', 65_100, assumed);
    expect(quota.explain('a', 65_200).debt).toBe(-2_000);
  });

  it('is owed nothing by one that was let in while it was suspended, whenever that ends', () => {
    const quota = each(10);
    quota.isSuspended = true;
    const running = Array.from({ length: 50 }, (_, index) => {
      quota.admit('a', 'CRITICAL', 0.5, index * 100);
      return quota.assumed;
    });
    quota.isSuspended = false;
    for (const assumed of running.slice(1)) quota.charge('a', 'CRITICAL', 10, 6_000, assumed);
    quota.cancel('a', 'CRITICAL', 6_000, running[0]!);
    expect(quota.explain('a', 6_300).debt).toBe(-20);
    // What nobody was asked about is owed.
    quota.charge('a', 'CRITICAL', 100, 6_300, NOTHING_ASSUMED);
    expect(quota.explain('a', 6_400).debt).toBeCloseTo(79, 6);
  });

  it('keeps all numbers finite, whatever a request is said to have cost', () => {
    const quota = each(10);
    for (let request = 0; request < 3; request++) {
      quota.admit('a', 'CRITICAL', 0.5, 0);
      quota.charge('a', 'CRITICAL', 1e308, 0, quota.assumed);
    }
    const { limits: _, ...told } = quota.explain('a', 100);
    expect(numbersIn(told).filter((value) => !Number.isFinite(value))).toEqual([]);
    expect(quota.admit('a', 'CRITICAL', 0.5, 100)).toBe('refuse');
    // A minute's worth is owed, and no more.
    expect(quota.admit('a', 'CRITICAL', 0.5, 600_000)).toBe('admit');
  });

  it('holds one that is restrained to its share, whatever its level is', () => {
    const quota = each(1_000);
    quota.charge('a', 'CRITICAL', 1, 0);
    quota.restrain(new Map([['a', { rank: 0, level: Number.POSITIVE_INFINITY, top: 3, share: 20 }]]));
    let passed = 0;
    for (let now = 100; now < 10_100; now += 5) {
      if (quota.admit('a', 'CRITICAL_PLUS', 0.5, now) === 'refuse') continue;
      passed++;
      quota.charge('a', 'CRITICAL_PLUS', 1, now, quota.assumed);
    }
    expect(Math.abs(passed - 220)).toBeLessThan(5);
    expect(quota.admit('a', 'SHEDDABLE', 0.999, 10_100)).toBe('refuse');
    quota.restrain(new Map());
    expect(quota.admit('a', 'SHEDDABLE', 0.999, 10_100)).toBe('admit');
  });

  it('takes from a level what a request cost beyond what was assumed', () => {
    const quota = each(1_000);
    quota.charge('a', 'CRITICAL', 1, 0);
    const free = { top: 3, share: Number.POSITIVE_INFINITY };
    quota.restrain(new Map([['a', { rank: 2, level: 10, ...free }]]));
    quota.admit('a', 'CRITICAL', 0, 100);
    expect(quota.admit('a', 'CRITICAL', 0.999, 500)).toBe('admit');
    quota.charge('a', 'CRITICAL', 51, 500, quota.assumed);
    expect(quota.admit('a', 'CRITICAL', 0.999, 4_000)).toBe('refuse');
    expect(quota.admit('a', 'CRITICAL', 0.999, 9_000)).toBe('admit');
  });
});
