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
      decide(customer, [10, 0, 40, 0], 0, 3_000);
      for (let now = 3_000; now < 10_000; now += 250)
        customer.decide([step / 4, 0, 10, 0], 0.25, [10, 0, 40, 0], true, now);
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

  it('does not owe what it used while most of what it wants was not reported yet', () => {
    const { reactionMs } = QUOTA_COORDINATOR_DEFAULTS;
    const customer = new FleetCustomer('a', PLAIN, QUOTA_COORDINATOR_DEFAULTS);
    // All that it has saved up, at once.
    customer.decide([0, 0, 250, 0], 0.25, [0, 0, 300, 0], true, 1_000);
    expect(customer.isHeld).toBe(true);
    customer.decide([0, 0, 250, 0], 0.25, [0, 0, 1_000, 0], true, 1_250);
    // Counted from the first levels this would be owed.
    customer.decide([0, 0, 125, 0], 0.25, [0, 0, 1_200, 0], true, 1_250 + reactionMs);
    expect(customer.savings).toBe(0);
    // It is known by now.
    customer.decide([0, 0, 125, 0], 0.25, [0, 0, 3_000, 0], true, 1_500 + reactionMs);
    expect(customer.savings).toBe(-100);
  });

  it('is not held by a step of nothing of which nothing is wanted', () => {
    const customer = new FleetCustomer('a', [0, POSITIVE_INFINITY, POSITIVE_INFINITY, 100], {
      ...QUOTA_COORDINATOR_DEFAULTS,
    });
    decide(customer, [0, 0, 50, 0], 0, 5_000);
    expect(customer.isHeld).toBe(false);
    expect(customer.room).toBe(POSITIVE_INFINITY);
    decide(customer, [1, 0, 50, 0], 5_000, 5_250);
    expect(customer).toMatchObject({ isHeld: true, rank: 0, room: 0 });
    // Nor any more.
    decide(customer, [0, 0, 50, 0], 5_250, 5_500);
    expect(customer).toMatchObject({ isHeld: false, room: POSITIVE_INFINITY });
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

  describe('whose requests cost seconds of its limit', () => {
    /** One of ten seconds' worth passes while it is held. */
    function overdrawn(limits: readonly number[], used: readonly number[]): FleetCustomer {
      const customer = new FleetCustomer('a', limits, QUOTA_COORDINATOR_DEFAULTS);
      decide(customer, used, 0, 250);
      decide(customer, [0, 0, 0, 0], 250, 1_500);
      decide(customer, used, 1_500, 1_750);
      return customer;
    }

    it('waits until most of one is paid before the next one passes, also while nothing is wanted', () => {
      const customer = overdrawn(PLAIN, [0, 0, 4_000, 0]);
      expect(customer).toMatchObject({ isHeld: true, rank: 2, room: 0 });
      // 1,000 less what is saved up while held and that is due, until 300 are left.
      decide(customer, [0, 0, 0, 0], 1_750, 7_500);
      expect(customer).toMatchObject({ isHeld: true, rank: 2, room: 0 });
      decide(customer, [0, 0, 0, 0], 7_500, 8_750);
      expect(customer).toMatchObject({ isHeld: true, room: POSITIVE_INFINITY });
    });

    it('waits for a minute at the most', () => {
      const customer = overdrawn(PLAIN, [0, 0, 400_000, 0]);
      decide(customer, [0, 0, 0, 0], 1_750, 58_500);
      expect(customer.room).toBe(0);
      decide(customer, [0, 0, 0, 0], 58_500, 59_500);
      expect(customer.room).toBe(POSITIVE_INFINITY);
    });

    it('does not wait with those that are more critical', () => {
      const limits = [5, POSITIVE_INFINITY, POSITIVE_INFINITY, 100];
      expect(overdrawn(limits, [200, 0, 0, 0])).toMatchObject({ rank: 0, room: 0 });
      expect(overdrawn(PLAIN, [4_000, 0, 0, 0])).toMatchObject({ rank: 0, room: 0 });
    });
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
    decide(customer, [50, 0, 0, 0], 0, 500);
    decide(customer, [1, 0, 150, 0], 500, 1_000);
    expect(customer).toMatchObject({ isHeld: true, rank: 0, room: POSITIVE_INFINITY });
    expect(customer.told).toEqual({ rank: 0, level: FITS });
  });
});
