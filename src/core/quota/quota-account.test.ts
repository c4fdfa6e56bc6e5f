import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evenlyBelow1 } from '../evenly.contract.js';
import { QuotaAccount } from './quota-account.js';
import type { LimitLadder } from './quota-limits.js';
import { RateGrid } from './rate-grid.js';
import { ReportSheet } from './report-sheet.js';
import { DEMAND_AT, REPORT_STRIDE } from './usage-report.js';

const { POSITIVE_INFINITY } = Number;
const OPTIONS = {
  burstMs: 0,
  repayMs: 2_000,
  maxDebtMs: 60_000,
  costDecayMs: 10_000,
  sheet: new ReportSheet(100, 500),
};
const GRID = new RateGrid(100, 2_000);
const [SHEDDABLE, SHEDDABLE_PLUS, CRITICAL, CRITICAL_PLUS] = [0, 1, 2, 3] as const;
const ALL = [SHEDDABLE, SHEDDABLE_PLUS, CRITICAL, CRITICAL_PLUS];

const atMost = (perSecond: number): LimitLadder => [
  POSITIVE_INFINITY,
  POSITIVE_INFINITY,
  POSITIVE_INFINITY,
  perSecond,
];

function account(limits: LimitLadder, options: Partial<typeof OPTIONS> = {}): QuotaAccount {
  return new QuotaAccount('gmail', 0, GRID, limits, { ...OPTIONS, ...options });
}

/**
 * By rank, so many requests in each of so many slots, evenly spread over the order of refusal. Each costs 1, at once.
 */
function offer(customer: QuotaAccount, perSlot: readonly number[], slots: number): number[] {
  const served = [0, 0, 0, 0];
  const last = customer.slot + slots;
  for (let slot = customer.slot + 1; slot <= last; slot++) {
    customer.roll(slot);
    for (const [rank, count] of perSlot.entries()) {
      for (let request = 0; request < count; request++) {
        if (!customer.admit(rank, (request + 0.5) / count)) continue;
        customer.charge(rank, 1, slot * 100);
        served[rank]! += 1;
      }
    }
  }
  return served;
}

const shares = (customer: QuotaAccount) => ALL.map((rank) => customer.refusedShare(rank));

describe('QuotaAccount', () => {
  it('refuses nobody within the limit', () => {
    const customer = account(atMost(100));
    expect(offer(customer, [2, 3, 4, 1], 100)).toEqual([200, 300, 400, 100]);
    expect(shares(customer)).toEqual([0, 0, 0, 0]);
  });

  it('refuses the least critical first, and one criticality in part', () => {
    const customer = account(atMost(100));
    offer(customer, [10, 10, 4, 1], 200);
    // 10 and 40 a second fit; of the next 100 a second, half; nothing of the rest.
    expect(customer.refusedShare(SHEDDABLE)).toBe(1);
    expect(customer.refusedShare(SHEDDABLE_PLUS)).toBeCloseTo(0.5, 1);
    expect(shares(customer).slice(CRITICAL)).toEqual([0, 0]);
    expect(offer(customer, [10, 10, 4, 1], 100)).toEqual([0, 500, 400, 100]);
  });

  it('refuses those with the smallest order, the same ones everywhere', () => {
    const customer = account(atMost(100));
    offer(customer, [0, 0, 20, 0], 200);
    expect(customer.refusedShare(CRITICAL)).toBeCloseTo(0.5, 1);
    expect([0, 0.2, 0.4].map((order) => customer.admit(CRITICAL, order))).toEqual([false, false, false]);
    expect([0.6, 0.8, 0.999].map((order) => customer.admit(CRITICAL, order))).toEqual([true, true, true]);
  });

  it('refuses a criticality altogether whatever the order says', () => {
    const nothing = account(atMost(0));
    for (const rank of ALL) {
      for (const order of [0, 0.999, 1, 7, Number.NaN]) expect(nothing.admit(rank, order)).toBe(false);
    }
    expect(shares(nothing)).toEqual([1, 1, 1, 1]);
  });

  it('lets all pass that has no limit', () => {
    const customer = account(atMost(POSITIVE_INFINITY));
    expect(offer(customer, [50, 50, 50, 50], 50)).toEqual([2_500, 2_500, 2_500, 2_500]);
    expect(customer.debt).toBe(0);
  });

  it('holds a criticality and the lower ones to their own step, though the whole limit has room', () => {
    const customer = account([10, 50, POSITIVE_INFINITY, 1_000]);
    offer(customer, [10, 4, 20, 20], 200);
    expect(offer(customer, [10, 4, 20, 20], 100)).toEqual([100, 400, 2_000, 2_000]);
    // Now the middle one takes its step alone.
    offer(customer, [10, 10, 20, 20], 200);
    expect(offer(customer, [10, 10, 20, 20], 100)).toEqual([0, 500, 2_000, 2_000]);
  });

  it('keeps the whole limit when the steps would leave more', () => {
    const customer = account([50, POSITIVE_INFINITY, POSITIVE_INFINITY, 100]);
    offer(customer, [10, 0, 8, 0], 200);
    expect(offer(customer, [10, 0, 8, 0], 100)).toEqual([200, 0, 800, 0]);
  });

  it('refuses nobody on a guess: until one is done, a request counts nothing', () => {
    const customer = account(atMost(1));
    for (let slot = 1; slot < 20; slot++) {
      customer.roll(slot);
      for (let request = 0; request < 50; request++) expect(customer.admit(CRITICAL, 0)).toBe(true);
    }
    customer.charge(CRITICAL, 5, 1_900);
    customer.roll(20);
    expect(customer.admit(CRITICAL, 0)).toBe(false);
  });

  it('counts a request as soon as it is let in, and later only what it cost more', () => {
    const customer = account(atMost(100));
    offer(customer, [0, 0, 1, 0], 100);
    // Let in 50 whose end is far away: 50 − 10 of this slot are owed.
    for (let request = 0; request < 50; request++) customer.admit(CRITICAL, 0.999);
    customer.roll(customer.slot + 1);
    expect(customer.debt).toBeCloseTo(41, 9);
    expect(customer.refusedShare(CRITICAL)).toBe(0);
    for (let request = 0; request < 50; request++) customer.charge(CRITICAL, 3, customer.slot * 100);
    customer.roll(customer.slot + 1);
    expect(customer.debt).toBeCloseTo(41 + 100 - 10, 9);
  });

  it('settles a slot when it ends and idle ones as they come, whoever looks in between', () => {
    const looked = account(atMost(100), { maxDebtMs: 1_000 });
    const left = account(atMost(100), { maxDebtMs: 1_000 });
    for (const customer of [looked, left]) {
      customer.admit(CRITICAL, 0.5);
      // Twice what is owed at most.
      customer.charge(CRITICAL, 200, 0);
    }
    for (const slot of [1, 2, 5]) looked.roll(slot);
    left.roll(5);
    expect(looked.debt).toBeCloseTo(60, 9);
    expect(left.debt).toBeCloseTo(60, 9);
  });

  it('lets the sheddable ones pay for what they used', () => {
    const customer = account(atMost(100));
    offer(customer, [1, 0, 5, 0], 100);
    // One of them costs ten seconds' worth.
    customer.charge(SHEDDABLE, 1_000, customer.slot * 100);
    const served = offer(customer, [1, 0, 5, 0], 100);
    expect(served[CRITICAL]).toBe(500);
    expect(served[SHEDDABLE]).toBe(0);
  });

  it('forgets a kind of request that is refused altogether, and refuses it still', () => {
    const customer = account(atMost(100));
    offer(customer, [5, 0, 20, 0], 4_000);
    expect(customer.meanCost(SHEDDABLE, customer.slot * 100)).toBeUndefined();
    expect(offer(customer, [5, 0, 20, 0], 100)[SHEDDABLE]).toBe(0);
  });

  it.each([
    // For so long, or ten requests if that is more, but not for longer than 30 s.
    [100, -500],
    [0.5, -10],
    [0.1, -3],
    [0, 0],
  ])('has saved up, under a limit of %s in requests of 1, when it is told how much: %s', (limit, debt) => {
    const customer = account(atMost(100));
    offer(customer, [0, 0, 1, 0], 5);
    customer.release(atMost(limit), { burstMs: 5_000, requests: 10, mostMs: 30_000 });
    expect(customer.debt).toBeCloseTo(debt, 9);
  });

  it('is worth keeping for what it owes', () => {
    const customer = account(atMost(1));
    customer.charge(CRITICAL, 50, 0);
    // 5 s later hardly anything of the demand is left, but nearly all of the debt.
    customer.roll(50);
    expect(customer.worth(5_000)).toBeGreaterThan(45);
    expect(account(atMost(100), { burstMs: 2_000 }).worth(0)).toBe(0);
  });

  it('takes back what is given back in a later slot', () => {
    const [given, never] = [account(atMost(100)), account(atMost(100))];
    for (const customer of [given, never]) offer(customer, [0, 0, 20, 0], 100);
    const debt = given.debt;
    for (let request = 0; request < 40; request++) given.admit(CRITICAL, 0.999);
    given.roll(given.slot + 1);
    expect(given.debt).toBeCloseTo(debt + 40, 0);
    for (let request = 0; request < 40; request++) given.cancel(CRITICAL);
    given.roll(given.slot + 1);
    never.roll(never.slot + 2);
    expect(given.debt).toBeCloseTo(never.debt, 9);
    // The demand of 40 requests, of which 5 % were gone after a slot, is overestimated by so much the other way.
    expect(given.refusedShare(CRITICAL)).toBeCloseTo(never.refusedShare(CRITICAL), 2);
  });

  it('does not go below zero when more is given back than it remembers', () => {
    const customer = account(atMost(100));
    offer(customer, [0, 0, 5, 0], 100);
    for (let request = 0; request < 1_000; request++) customer.cancel(CRITICAL);
    // All that is not critical would have more room than there is.
    expect(offer(customer, [20, 0, 0, 0], 50)[SHEDDABLE]).toBeLessThan(600);
  });

  it('refuses a criticality only when all lower ones are refused, whatever happened', () => {
    const event = fc.record({
      rank: fc.constantFrom(...ALL),
      count: fc.nat(60),
      cost: fc.oneof(fc.nat(3), fc.nat(300)),
      slots: fc.nat(4),
      order: evenlyBelow1(),
    });
    const step = fc.constantFrom(0, 5, 50, 500, POSITIVE_INFINITY);
    const ladder = fc.array(step, { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), ladder, (events, limits) => {
        const customer = account(limits, { burstMs: 1_000 });
        for (const { rank, count, cost, slots, order } of events) {
          if (slots > 0) customer.roll(customer.slot + slots);
          for (let request = 0; request < count; request++) {
            if (customer.admit(rank, order)) customer.charge(rank, cost, customer.slot * 100);
          }
          const refused = shares(customer);
          for (let lower = 0; lower < 3; lower++) {
            if (refused[lower + 1]! > 0) expect(refused[lower]).toBe(1);
          }
        }
      }),
    );
  });

  it('has a seat in reports from its first request on, and until it is forgotten', () => {
    const sheet = new ReportSheet(100, 500);
    const silent = account(atMost(100), { sheet });
    silent.close();
    expect(sheet.accounts).toEqual([]);
    const busy = account(atMost(100), { sheet });
    offer(busy, [1, 0, 0, 0], 1);
    expect(sheet.accounts).toEqual([busy]);
    busy.close();
    expect(sheet.accounts).toEqual([undefined]);
  });

  it('assumes nothing of what it has not seen for long', () => {
    const customer = account(atMost(100));
    customer.charge(CRITICAL, 5, 0);
    customer.roll(10);
    expect(customer.assumption(CRITICAL).cost).toBe(5);
    customer.roll(36_000);
    expect(customer.assumption(CRITICAL).cost).toBe(0);
  });

  it('leaves no debt and no savings of one that was let in while quotas did not count, and given back', () => {
    const [given, never] = [account(atMost(100)), account(atMost(100))];
    for (const customer of [given, never]) offer(customer, [0, 0, 20, 0], 50);
    for (const slots of [0, 1]) {
      const assumed = given.assumption(CRITICAL, false);
      for (let request = 0; request < 10; request++) given.admit(CRITICAL, 0, false);
      if (slots > 0) given.roll(given.slot + slots);
      for (let request = 0; request < 10; request++) given.cancel(CRITICAL, assumed);
      given.roll(given.slot + 1);
      never.roll(given.slot);
      expect(given.debt).toBeCloseTo(never.debt, 9);
    }
    expect(given.debt).toBeGreaterThan(0);
  });

  it('reports what was used since it began, without what was given back', () => {
    const sheet = new ReportSheet(100, 500);
    const customer = account(atMost(100), { sheet });
    customer.roll(49);
    offer(customer, [0, 0, 5, 0], 5);
    for (let request = 0; request < 5; request++) {
      customer.admit(CRITICAL, 0.999);
      customer.cancel(CRITICAL);
    }
    const rates = new Float32Array(REPORT_STRIDE);
    sheet.addTo(rates, new Uint8Array(1), 5_500);
    // 25 from 5 s on. Nothing is known yet of what was wanted before.
    expect(rates[CRITICAL]).toBeCloseTo(25 / 0.5, 3);
    expect(rates[DEMAND_AT + CRITICAL]).toBeCloseTo(25 / (0.5 + 0.5), 3);
  });

  describe('that is restrained', () => {
    const restraint = { rank: CRITICAL, level: 10, top: CRITICAL_PLUS, share: POSITIVE_INFINITY };

    /** Requests of 1, held to 10 a second; what it has saved up of that is spent. */
    function restrained(options?: Partial<typeof OPTIONS>): QuotaAccount {
      const customer = account(atMost(1_000), options);
      offer(customer, [0, 0, 1, 1], 100);
      customer.restrain(restraint);
      customer.admit(CRITICAL, 0.999);
      customer.roll(customer.slot + 20);
      drain(customer);
      return customer;
    }

    /** How many pass now. */
    function drain(customer: QuotaAccount): number {
      let passed = 0;
      while (customer.admit(CRITICAL, 0.999)) passed++;
      return passed;
    }

    it('takes nothing from its level for one let in while quotas did not count, nor for a more critical one', () => {
      const customer = restrained();
      const unowed = customer.assumption(CRITICAL, false);
      const now = customer.slot * 100;
      for (let request = 0; request < 5; request++) {
        customer.charge(CRITICAL, 1, now, { ...unowed, cost: 0 });
        customer.charge(CRITICAL_PLUS, 4, now);
        customer.cancel(CRITICAL, unowed);
      }
      expect(drain(customer)).toBe(0);
      customer.roll(customer.slot + 5);
      expect(drain(customer)).toBe(5);
    });

    it('owes no more than it may, of its level', () => {
      const customer = restrained({ maxDebtMs: 1_000 });
      const now = customer.slot * 100;
      for (let request = 0; request < 20; request++) customer.charge(CRITICAL, 51, now);
      // A thousand, a hundred seconds' worth. One second's worth and a request are left of it.
      customer.roll(customer.slot + 1);
      const cost = customer.assumption(CRITICAL).cost;
      customer.roll(customer.slot + 9 + Math.floor(cost));
      expect(customer.admit(CRITICAL, 0.999)).toBe(false);
      customer.roll(customer.slot + 3);
      expect(customer.admit(CRITICAL, 0.999)).toBe(true);
    });

    it('owes here what it owed before, until then paid back, and nothing that it uses meanwhile', () => {
      const [looked, left] = [account(atMost(100)), account(atMost(100))];
      for (const customer of [looked, left]) {
        customer.charge(CRITICAL, 100, 0);
        customer.roll(1);
        customer.roll(5);
      }
      expect(looked.debt).toBeCloseTo(50, 9);
      for (const customer of [looked, left]) {
        customer.restrain(restraint);
        expect(customer.debt).toBeCloseTo(50, 9);
        customer.charge(CRITICAL, 100, 500);
        customer.roll(10);
        expect(customer.debt).toBeCloseTo(50, 9);
      }
    });
  });
});
