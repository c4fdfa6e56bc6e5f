import { describe, expect, it } from 'vitest';
import { QuotaEnforcement } from './quota-enforcement.js';

describe('UsageTable: millions of names', () => {
  const named = { customers: [{ customer: 'named', perSecond: 5 }], everyoneElse: { perSecond: 5 } };

  /** Charges one request to each of many customers that come once. */
  function flood(quota: QuotaEnforcement, count: number, now: number): void {
    for (let name = 0; name < count; name++) {
      quota.admit(`name-${now}-${name}`, 'CRITICAL', 0, now);
      quota.charge(`name-${now}-${name}`, 'CRITICAL', 0.01, now);
    }
  }

  it('do not make it grow, nor let a greedy customer slip away', () => {
    const quota = new QuotaEnforcement(named, { maxCustomers: 50 });
    let count = 0;
    for (let now = 0; now < 6_000; now += 10) {
      flood(quota, 10, now);
      if (quota.admit('greedy', 'CRITICAL', 0.999, now) === 'refuse') continue;
      quota.charge('greedy', 'CRITICAL', 1, now);
      count++;
    }
    // 5 a second and the 10 saved up, of 600 that it wanted.
    expect(count).toBeLessThan(55);
    expect(quota.usage(6_000).customers).toHaveLength(50);
    expect(quota.usage(6_000).everyoneElse.usedPerSecond).toBeGreaterThan(8);
  });

  it('do not wipe out a debt', () => {
    const quota = new QuotaEnforcement(named, { maxCustomers: 50 });
    quota.charge('greedy', 'CRITICAL', 200, 0);
    for (let now = 0; now < 30_000; now += 100) flood(quota, 30, now);
    expect(quota.explain('greedy', 30_000).debt).toBeCloseTo(200 - 10 - 150, 9);
  });

  it('do not push out those who have a limit of their own, until they have lost it', () => {
    const quota = new QuotaEnforcement(named, { maxCustomers: 20 });
    const isKnown = (now: number) => quota.usage(now).customers.some(({ customer }) => customer === 'named');
    quota.charge('named', 'CRITICAL', 0.001, 0);
    flood(quota, 500, 0);
    expect(isKnown(0)).toBe(true);
    expect(quota.usage(0).customers).toHaveLength(21);
    quota.setLimits({ everyoneElse: { perSecond: 5 } });
    flood(quota, 500, 100);
    expect(isKnown(100)).toBe(false);
    expect(quota.usage(100).customers).toHaveLength(20);
  });

  it('do not push out one that was known before it got a limit of its own', () => {
    const quota = new QuotaEnforcement({ everyoneElse: { perSecond: 5 } }, { maxCustomers: 20 });
    quota.charge('named', 'CRITICAL', 0.001, 0);
    quota.setLimits(named);
    flood(quota, 500, 0);
    expect(quota.usage(0).customers[0]!.customer).toBe('named');
  });

  it('refuse nobody for what others did', () => {
    const quota = new QuotaEnforcement(named, { maxCustomers: 20 });
    for (let now = 0; now < 2_000; now += 10) {
      for (let name = 0; name < 20; name++) {
        expect(quota.admit(`${now}-${name}`, 'SHEDDABLE', 0, now)).toBe('admit');
        quota.charge(`${now}-${name}`, 'SHEDDABLE', 1, now);
      }
    }
  });
});
