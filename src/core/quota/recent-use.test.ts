import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CRITICALITIES } from '../criticality.js';
import { RateGrid } from './rate-grid.js';
import { RecentUse } from './recent-use.js';
import { UsageBook } from './usage-book.contract.js';

const HOUR = 3_600_000;

/** A request each 10 ms, for 20 s. */
function steady(each: (now: number) => void): number {
  for (let now = 0; now < 20_000; now += 10) each(now);
  return 20_000;
}

describe('RecentUse', () => {
  it('takes over what is left of the sums of another, though nobody has looked at them', () => {
    const grid = new RateGrid(100, 2_000);
    const [rest, other] = [new RecentUse('', 0, grid, 10_000), new RecentUse('a', 0, grid, 10_000)];
    other.charge(2, 10, 0);
    for (const each of [rest, other]) each.roll(20);
    rest.absorb(other);
    // 2 s are a decay.
    expect(rest.usedPerSecond(2, 2_000) * grid.steadySeconds).toBeCloseTo(10 / Math.E, 6);
  });
});

describe('UsageBook', () => {
  it('knows nobody at first', () => {
    const usage = new UsageBook();
    expect(usage.usedPerSecond('gmail', 0)).toBe(0);
    expect(usage.demandPerSecond('gmail', 'CRITICAL', 0)).toBe(0);
    const nothing = { usedPerSecond: 0, demandPerSecond: 0 };
    const byCriticality = Object.fromEntries(CRITICALITIES.map((criticality) => [criticality, nothing]));
    expect(usage.snapshot(0)).toEqual({ customers: [], everyoneElse: { ...nothing, byCriticality } });
  });

  it('measures rates by customer and criticality', () => {
    const usage = new UsageBook();
    const now = steady((at) => {
      usage.record('gmail', 'CRITICAL', 0.02, at);
      usage.record('gmail', 'SHEDDABLE', 0.01, at);
      usage.record('calendar', 'CRITICAL_PLUS', 0.05, at);
    });
    expect(usage.usedPerSecond('gmail', now)).toBeCloseTo(3, 3);
    expect(usage.usedPerSecond('calendar', now)).toBeCloseTo(5, 3);
    expect(usage.demandPerSecond('gmail', 'CRITICAL', now)).toBeCloseTo(2, 3);
    expect(usage.demandPerSecond('gmail', 'CRITICAL_PLUS', now)).toBe(0);
    const { customers } = usage.snapshot(now);
    expect(customers.map(({ customer }) => customer)).toEqual(['gmail', 'calendar']);
    expect(customers[0]!.usedPerSecond).toBeCloseTo(3, 3);
    expect(customers[0]!.byCriticality.SHEDDABLE.usedPerSecond).toBeCloseTo(1, 3);
    expect(customers[1]!.byCriticality.CRITICAL_PLUS.usedPerSecond).toBeCloseTo(5, 3);
  });

  it('counts a refused request at the mean cost of its kind', () => {
    const usage = new UsageBook();
    const now = steady((at) => {
      usage.record('gmail', 'CRITICAL', 0.02, at);
      usage.record('gmail', 'SHEDDABLE', 1, at);
      usage.recordRefused('gmail', 'CRITICAL', at);
      usage.recordRefused('gmail', 'CRITICAL', at);
    });
    expect(usage.demandPerSecond('gmail', 'CRITICAL', now)).toBeCloseTo(6, 3);
    expect(usage.usedPerSecond('gmail', now)).toBeCloseTo(102, 2);
    const gmail = usage.snapshot(now).customers[0]!;
    expect(gmail.byCriticality.CRITICAL.usedPerSecond).toBeCloseTo(2, 3);
    expect(gmail.byCriticality.CRITICAL.demandPerSecond).toBeCloseTo(6, 3);
    expect(gmail.demandPerSecond).toBeCloseTo(106, 2);
  });

  it('counts one that was never served at the mean cost of all: else who gets nothing would want nothing', () => {
    const usage = new UsageBook();
    steady((at) => usage.recordRefused('gmail', 'CRITICAL', at));
    expect(usage.demandPerSecond('gmail', 'CRITICAL', 20_000)).toBe(0);
    const now = steady((at) => {
      usage.recordRefused('gmail', 'CRITICAL', 20_000 + at);
      usage.record('calendar', 'SHEDDABLE', 0.03, 20_000 + at);
    });
    expect(usage.demandPerSecond('gmail', 'CRITICAL', 20_000 + now)).toBeCloseTo(3, 3);
    expect(usage.usedPerSecond('gmail', 20_000 + now)).toBe(0);
  });

  it('forgets: 37 % after the time of decay', () => {
    const usage = new UsageBook({ decayMs: 5_000, updateMs: 100 });
    usage.record('gmail', 'CRITICAL', 10, 0);
    const atFirst = usage.usedPerSecond('gmail', 0);
    expect(atFirst).toBeCloseTo(10 / new RateGrid(100, 5_000).steadySeconds, 12);
    expect(usage.usedPerSecond('gmail', 5_000)).toBeCloseTo(atFirst / Math.E, 12);
  });

  it('is empty after an idle hour, however slow the decay', () => {
    const usage = new UsageBook({ decayMs: 60_000, costDecayMs: 60_000, maxCustomers: 1 });
    for (const criticality of CRITICALITIES) usage.record('gmail', criticality, 10, 0);
    usage.record('calendar', 'SHEDDABLE', 10, 0);
    usage.recordRefused('calendar', 'SHEDDABLE', 0);
    const after = usage.snapshot(HOUR);
    expect(after).toEqual(new UsageBook().snapshot(0));
    expect(usage.usedPerSecond('calendar', HOUR)).toBe(0);
    // Also what a request costs: nobody alive has seen one.
    usage.recordRefused('calendar', 'SHEDDABLE', HOUR);
    expect(usage.demandPerSecond('calendar', 'SHEDDABLE', HOUR)).toBe(0);
  });

  it('lists a customer until it is forgotten, and no longer', () => {
    const usage = new UsageBook({ decayMs: 2_000, updateMs: 100 });
    usage.record('gmail', 'CRITICAL', 10, 0);
    // ln 10⁹ × 2 s = 41.4 s
    expect(usage.snapshot(41_499).customers).toHaveLength(1);
    expect(usage.snapshot(41_600).customers).toHaveLength(0);
    expect(usage.usedPerSecond('gmail', 41_600)).toBe(0);
  });

  it('counts what comes late in the slot that is filling', () => {
    const usage = new UsageBook();
    usage.record('gmail', 'CRITICAL', 1, 5_000);
    usage.record('gmail', 'CRITICAL', 1, 1_000);
    const once = new UsageBook();
    once.record('gmail', 'CRITICAL', 2, 5_000);
    expect(usage.usedPerSecond('gmail', 5_050)).toBe(once.usedPerSecond('gmail', 5_050));
  });

  it('does not keep a customer that was only asked about', () => {
    const usage = new UsageBook({ maxCustomers: 1 });
    usage.record('gmail', 'CRITICAL', 1, 0);
    usage.usedPerSecond('calendar', 0);
    usage.demandPerSecond('calendar', 'CRITICAL', 0);
    expect(usage.snapshot(0).customers.map(({ customer }) => customer)).toEqual(['gmail']);
  });

  it('bounds the names, and adds up all the same', () => {
    const request = fc.record({
      customer: fc.nat(60).map(String),
      criticality: fc.constantFrom(...CRITICALITIES),
      cost: fc.nat(100),
      gap: fc.nat(400),
    });
    fc.assert(
      fc.property(
        fc.array(request, { maxLength: 200 }),
        fc.integer({ min: 1, max: 20 }),
        (requests, most) => {
          const usage = new UsageBook({ maxCustomers: most });
          const all = new UsageBook();
          let now = 0;
          for (const { customer, criticality, cost, gap } of requests) {
            now += gap;
            usage.record(customer, criticality, cost, now);
            all.record('all', criticality, cost, now);
          }
          const { customers, everyoneElse } = usage.snapshot(now);
          expect(customers.length).toBeLessThanOrEqual(most);
          for (const criticality of CRITICALITIES) {
            let used = everyoneElse.byCriticality[criticality].usedPerSecond;
            for (const { byCriticality } of customers) used += byCriticality[criticality].usedPerSecond;
            expect(used).toBeCloseTo(all.demandPerSecond('all', criticality, now), 6);
          }
        },
      ),
    );
  });

  it('keeps the heavy ones through a flood of names, so nobody can hide in it', () => {
    const usage = new UsageBook({ decayMs: 1_000, maxCustomers: 100 });
    let made = 0;
    for (let now = 0; now < 4_000; now++) {
      // 1,000 requests a second of three heavy customers in turn, among 20,000 a second of a name each.
      usage.record(`heavy-${now % 3}`, 'CRITICAL', 1, now);
      for (let name = 0; name < 10; name++) usage.record(`name-${made++}`, 'CRITICAL', 1, now);
      for (let name = 0; name < 10; name++) usage.recordRefused(`name-${made++}`, 'CRITICAL', now);
    }
    const now = 4_000;
    for (const heavy of ['heavy-0', 'heavy-1', 'heavy-2']) {
      expect(usage.usedPerSecond(heavy, now)).toBeGreaterThan(0.95 * (1_000 / 3));
    }
    const { customers, everyoneElse } = usage.snapshot(now);
    expect(customers).toHaveLength(100);
    expect(everyoneElse.usedPerSecond).toBeGreaterThan(0.95 * 10_000);
    expect(everyoneElse.demandPerSecond).toBeGreaterThan(0.95 * 20_000);
  });

  it('keeps one that is refused all it wants: it wants much', () => {
    const usage = new UsageBook({ maxCustomers: 20 });
    usage.record('refused', 'CRITICAL', 1, 0);
    for (let now = 0; now < 10_000; now += 10) {
      for (let copies = 0; copies < 10; copies++) usage.recordRefused('refused', 'CRITICAL', now);
      for (let name = 0; name < 20; name++) usage.record(`${now}-${name}`, 'CRITICAL', 1, now);
    }
    expect(usage.demandPerSecond('refused', 'CRITICAL', 10_000)).toBeGreaterThan(0.95 * 1_000);
  });

  it('forgets those who are gone, wherever they are, to make room for those who are there', () => {
    const usage = new UsageBook({ maxCustomers: 20 });
    for (let name = 0; name < 20; name++) usage.record(`gone-${name}`, 'CRITICAL', 1, 0);
    for (let now = 20_000; now < 30_000; now += 100) {
      for (let name = 0; name < 20; name++) usage.record(`here-${name}`, 'CRITICAL', 1, now);
    }
    for (const { customer, usedPerSecond } of usage.snapshot(30_000).customers) {
      expect(customer).toMatch(/^here/);
      expect(usedPerSecond).toBeGreaterThan(9);
    }
  });

  it('refuses impossible costs and options', () => {
    const usage = new UsageBook();
    expect(() => usage.record('gmail', 'CRITICAL', Number.NaN, 0)).toThrow(
      'cost must be a finite number >= 0, got NaN',
    );
    expect(() => usage.record('gmail', 'CRITICAL', -1, 0)).toThrow(
      'cost must be a finite number >= 0, got -1',
    );
    expect(usage.snapshot(0).customers).toEqual([]);
    expect(() => new UsageBook({ decayMs: 0 })).toThrow('decayMs must be a finite number > 0, got 0');
    expect(() => new UsageBook({ updateMs: -1 })).toThrow('updateMs must be a finite number > 0, got -1');
    expect(() => new UsageBook({ costDecayMs: 0 })).toThrow('costDecayMs must be a finite number > 0, got 0');
    expect(() => new UsageBook({ maxCustomers: 0 })).toThrow('maxCustomers must be an integer >= 1, got 0');
    expect(() => new UsageBook({ window: 1 } as object)).toThrow('usageBook has no option "window"');
  });
});
