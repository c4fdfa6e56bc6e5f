import { describe, expect, it } from 'vitest';
import { FleetTable } from './fleet-table.js';
import { QUOTA_COORDINATOR_DEFAULTS } from './quota-coordinator.js';
import { LimitBook } from './quota-limits.js';
import { DEMAND_AT, REPORT_STRIDE } from './usage-report.js';

const BOOK = new LimitBook({
  customers: Array.from({ length: 30 }, (_, index) => ({ customer: `named-${index}`, perSecond: 5 })),
  everyoneElse: { perSecond: 100 },
});

function table(maxCustomers: number): FleetTable {
  return new FleetTable(BOOK, maxCustomers, QUOTA_COORDINATOR_DEFAULTS);
}

/** Each wants as much as its place says. */
function demand(made: FleetTable): void {
  made.clearSums();
  for (const place of made.customers.keys()) made.sums[place * REPORT_STRIDE + DEMAND_AT + 2] = place + 1;
}

function namesOf({ customers }: FleetTable): string[] {
  return customers.map(({ name }) => name);
}

describe('FleetTable', () => {
  it('has a place for so many strangers, however many have limits of their own', () => {
    const made = table(20);
    for (let index = 0; index < 30; index++) expect(made.placeOf(`named-${index}`)).toBe(index);
    for (let index = 0; index < 20; index++) expect(made.placeOf(`name-${index}`)).toBe(30 + index);
    expect(made.placeOf('one too many')).toBe(-1);
    expect(made.placeOf('name-3')).toBe(33);
  });

  it('lets the smallest tenth of the strangers go when somebody found no place, once a second', () => {
    const made = table(20);
    for (let index = 0; index < 20; index++) made.placeOf(`name-${index}`);
    demand(made);
    // Nobody has to go for nobody.
    made.makePlace(0);
    expect(made.customers).toHaveLength(20);
    made.placeOf('big');
    made.makePlace(0);
    expect(made.edition).toBe(1);
    expect(namesOf(made)).not.toContain('name-1');
    expect(made.placeOf('name-2')).toBe(0);
    // Who had to go is not the next to come.
    expect(made.placeOf('name-0')).toBe(-1);
    expect([made.placeOf('big'), made.placeOf('small')]).toEqual([18, 19]);
    expect(made.placeOf('another')).toBe(-1);
    demand(made);
    made.makePlace(999);
    expect(made.customers).toHaveLength(20);
    made.makePlace(1_000);
    expect(made.customers).toHaveLength(18);
    expect(namesOf(made)).toEqual(expect.arrayContaining(['big', 'small', 'name-19']));
  });

  it('lets those go who want least, of all criticalities together, and none that has a limit of its own', () => {
    const made = table(20);
    made.placeOf('named-0');
    for (let index = 0; index < 20; index++) made.placeOf(`name-${index}`);
    made.clearSums();
    for (const place of made.customers.keys()) {
      const at = place * REPORT_STRIDE;
      // The later one came, the less it wants; and the more it uses, of what it wanted before.
      made.sums.fill(10 * place, at, at + DEMAND_AT);
      made.sums[at + DEMAND_AT + (place % 4)] = place === 0 ? 0 : 100 - place;
    }
    made.placeOf('one too many');
    made.makePlace(0);
    expect(namesOf(made)).toEqual(['named-0', ...Array.from({ length: 18 }, (_, index) => `name-${index}`)]);
    expect([made.placeOf('x'), made.placeOf('y'), made.placeOf('z')]).toEqual([19, 20, -1]);
  });

  it('lets nobody go again unless somebody else found no place', () => {
    const made = table(20);
    const fill = () => {
      for (let index = 0; index <= 20; index++) made.placeOf(`name-${index}`);
    };
    fill();
    made.makePlace(0);
    expect(made.customers).toHaveLength(18);
    made.makePlace(1_000);
    expect(made.customers).toHaveLength(18);
    fill();
    made.clear();
    for (let index = 0; index < 20; index++) made.placeOf(`name-${index}`);
    made.makePlace(2_000);
    expect(made.customers).toHaveLength(20);
  });

  it('takes other limits, and counts who is a stranger by them', () => {
    const made = table(1);
    made.placeOf('named-0');
    made.placeOf('a');
    expect(made.placeOf('b')).toBe(-1);
    made.setLimits(
      new LimitBook({ customers: [{ customer: 'a', perSecond: 1 }], everyoneElse: { perSecond: 2 } }),
    );
    expect(made.customers.map(({ limits }) => limits[3])).toEqual([2, 1]);
    expect(made.placeOf('b')).toBe(-1);
    made.setLimits(
      new LimitBook({
        customers: ['a', 'named-0'].map((customer) => ({ customer, perSecond: 1 })),
        everyoneElse: { perSecond: 2 },
      }),
    );
    expect(made.placeOf('b')).toBe(2);
    made.clear();
    expect(made.placeOf('b')).toBe(0);
  });
});
