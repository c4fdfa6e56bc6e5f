import { describe, expect, it } from 'vitest';
import { FleetCustomer } from './fleet-customer.js';
import { QUOTA_COORDINATOR_DEFAULTS } from './quota-coordinator.js';
import { FITS } from './quota-levels.js';

const { POSITIVE_INFINITY } = Number;
const PLAIN = [POSITIVE_INFINITY, POSITIVE_INFINITY, POSITIVE_INFINITY, 100];

/** All that is wanted is used, by rank, for so long. */
function decide(customer: FleetCustomer, demands: readonly number[], from: number, to: number): void {
  const used = demands.map((demand) => demand / 4);
  for (let now = from; now < to; now += 250) customer.decide(used, 0.25, demands, true, now);
}

describe('FleetCustomer', () => {
  it.each([0, 5])(
    'keeps its savings for critical requests while sheddable ones are over %s a second',
    (step) => {
      const limits = [step, POSITIVE_INFINITY, POSITIVE_INFINITY, 100];
      const customer = new FleetCustomer('a', limits, QUOTA_COORDINATOR_DEFAULTS);
      decide(customer, [10, 0, 40, 0], 0, 10_000);
      expect(customer.isHeld).toBe(true);
      expect(customer).toMatchObject({ rank: 0, room: expect.closeTo(step, -1) });
      // 1.4 s of its limit beyond it: from what it has saved up, also where it is held for the others.
      for (let now = 10_000; now < 11_000; now += 250) {
        customer.decide([step / 4, 0, 60, 0], 0.25, [10, 0, 240, 0], true, now);
        expect(customer.rank).toBe(0);
      }
      expect(customer.savings).toBeGreaterThan(0);
    },
  );

  it('is not held by a step of nothing of which nothing is wanted', () => {
    const customer = new FleetCustomer('a', [0, POSITIVE_INFINITY, POSITIVE_INFINITY, 100], {
      ...QUOTA_COORDINATOR_DEFAULTS,
    });
    decide(customer, [0, 0, 50, 0], 0, 5_000);
    expect(customer.isHeld).toBe(false);
    expect(customer.room).toBe(POSITIVE_INFINITY);
    decide(customer, [1, 0, 50, 0], 5_000, 5_250);
    expect(customer).toMatchObject({ isHeld: true, rank: 0, room: 0 });
  });

  it('stays held until what it overdrew is paid by what it leaves unused, without less room', () => {
    const customer = new FleetCustomer('a', PLAIN, QUOTA_COORDINATOR_DEFAULTS);
    // Half a second at 20 times its limit: 1,000, of which 200 are saved up and 50 its due.
    decide(customer, [0, 0, 2_000, 0], 0, 500);
    expect(customer).toMatchObject({ isHeld: true, rank: 2, room: 100 });
    decide(customer, [0, 0, 20, 0], 500, 9_000);
    expect(customer.isHeld).toBe(true);
    expect(customer.told).toEqual({ rank: 3, level: FITS });
    customer.fits();
    expect(customer.isHeld).toBe(true);
    decide(customer, [0, 0, 20, 0], 9_000, 10_500);
    expect(customer.isHeld).toBe(false);
    expect(customer.told.level).toBe(POSITIVE_INFINITY);
  });

  it('owes nothing for what was used where quotas do not count', () => {
    const customer = new FleetCustomer('a', PLAIN, QUOTA_COORDINATOR_DEFAULTS);
    for (let now = 0; now < 2_000; now += 250)
      customer.decide([0, 0, 500, 0], 0.25, [0, 0, 2_000, 0], false, now);
    expect(customer.isHeld).toBe(true);
    customer.decide([0, 0, 20, 0], 0.25, [0, 0, 80, 0], true, 2_000);
    expect(customer.isHeld).toBe(false);
  });

  it('is held to nothing but the step that it overdrew, while it spends savings of another', () => {
    const limits = [5, POSITIVE_INFINITY, POSITIVE_INFINITY, 100];
    const customer = new FleetCustomer('a', limits, QUOTA_COORDINATOR_DEFAULTS);
    decide(customer, [50, 0, 0, 0], 0, 3_000);
    decide(customer, [1, 0, 150, 0], 3_000, 3_500);
    expect(customer).toMatchObject({ isHeld: true, rank: 0, room: POSITIVE_INFINITY });
    expect(customer.told).toEqual({ rank: 0, level: FITS });
  });
});
