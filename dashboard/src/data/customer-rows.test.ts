import { describe, expect, it } from 'vitest';
import { customerRows } from './customer-rows.js';
import { History } from './history.js';
import { guardSnapshot } from './samples.contract.js';
import type { Snapshot } from './snapshot.js';

const reading = { limitPerSecond: 50, usedPerSecond: 40, demandPerSecond: 90, refusedPerSecond: 50 };

function historyOf(quota?: object): History {
  const history = new History();
  history.add(guardSnapshot({}), 0);
  history.add(
    { ...guardSnapshot({ ended: 30, refused: 6 }), quota: quota as NonNullable<Snapshot['quota']> },
    2_000,
  );
  return history;
}

describe('customers', () => {
  it('have what the guard counted, a second', () => {
    expect(customerRows(historyOf())).toMatchObject([
      { customer: 'acme', served: 15, refused: 3, quota: undefined },
    ]);
  });

  it('have what their quota says, of the fleet where it is known, and no limit when that is null', () => {
    const member = { customers: [{ customer: 'acme', ...reading, usedPerSecond: 4 }] };
    const fleet = {
      customers: [
        { customer: 'acme', ...reading },
        { customer: 'beta', ...reading, limitPerSecond: null },
      ],
    };
    expect(customerRows(historyOf({ ...member, fleet }))).toMatchObject([
      { customer: 'acme', quota: 50, used: 40, demand: 90 },
      { customer: 'beta', quota: undefined, served: 0 },
    ]);
    expect(customerRows(historyOf(member))).toMatchObject([{ used: 4 }]);
  });

  it('may be called what every object has', () => {
    const named = (ended: number) => {
      const { guard } = guardSnapshot({ ended });
      return { guard: { ...guard!, customers: { constructor: guard!.customers['acme']! } } } as Snapshot;
    };
    const history = new History();
    history.add(named(0), 0);
    expect(customerRows(history)).toMatchObject([{ customer: 'constructor', served: 0, refused: 0 }]);
    history.add(named(30), 1_000);
    expect(customerRows(history)).toMatchObject([{ customer: 'constructor', served: 30 }]);
  });
});
