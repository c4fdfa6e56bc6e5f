import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StateTable } from './state-table.js';

/** A state is an expiry and what remains. */
const kind = (width: number) => ({
  width,
  expiryAt: (cells: Float64Array | number[], at: number) => cells[at] ?? 0,
  remainingAt: (cells: Float64Array | number[], at: number) => cells[at + 1] ?? 0,
});

function put(table: StateTable, key: string, expiryMs: number, remaining = 1): void {
  const slot = table.add(key);
  const cells = table.cells(slot);
  cells[table.at(slot)] = expiryMs;
  cells[table.at(slot) + 1] = remaining;
}

describe('StateTable', () => {
  it.each([2, 0])('keeps each state to itself, width %i', (width) => {
    const step = fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 40 }));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const table = new StateTable(kind(width));
        const expected = new Map<string, number>();
        for (const [i, [isAdded, number]] of steps.entries()) {
          const key = `key-${number}`;
          if (isAdded && !expected.has(key)) {
            const slot = table.add(key);
            expect(table.cells(slot)[table.at(slot)] ?? 0).toBe(0);
            table.cells(slot)[table.at(slot)] = i;
            expected.set(key, i);
          } else if (!isAdded && expected.delete(key)) table.remove(table.find(key));
          const found = [...expected.keys()].map((each) => {
            const slot = table.find(each);
            return [each, table.cells(slot)[table.at(slot)]];
          });
          expect(found).toEqual([...expected]);
          expect(table.size).toBe(expected.size);
        }
      }),
    );
  });

  it('fills again what became free, over many chunks', () => {
    const table = new StateTable(kind(2));
    let most = 0;
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 5_000; i++) put(table, `key-${i}`, i);
      for (let i = 0; i < 5_000; i++) most = Math.max(most, table.find(`key-${i}`));
      for (let i = round; i < 5_000; i++) table.remove(table.find(`key-${i}`));
      for (let i = 0; i < round; i++) table.remove(table.find(`key-${i}`));
      expect(table.size).toBe(0);
    }
    expect(most).toBeLessThan(5 * 1_024);
  });

  it('removes what has expired, wherever the hand is', () => {
    const table = new StateTable(kind(2));
    for (let i = 0; i < 3_000; i++) put(table, `key-${i}`, i < 2_048 ? 10 : 20);
    expect(table.sweep(9, 10_000)).toBe(0);
    expect(table.sweep(10, 3_072)).toBe(2_048);
    expect(table.sweep(20, 3_072)).toBe(952);
    expect(table.sweep(20, 3_072)).toBe(0);
  });

  it('looks at no more than it is told to', () => {
    const table = new StateTable(kind(2));
    for (let i = 0; i < 100; i++) put(table, `key-${i}`, 10);
    expect(table.sweep(10, 4)).toBe(4);
    expect(table.size).toBe(96);
  });

  it('evicts by danger: not at the limit, then soonest gone, then least used', () => {
    // Eight draws over the chunk find the first from each eighth: with so few all are seen from the start.
    let draws = 0;
    const random = () => (draws++ % 4) / 1_024;
    const table = new StateTable(kind(2));
    put(table, 'at the limit', 5, 0);
    put(table, 'late', 30, 1);
    put(table, 'soon', 20, 1);
    put(table, 'soon and little used', 20, 2);
    const gone = () => {
      const before = ['at the limit', 'late', 'soon', 'soon and little used'].filter(
        (key) => table.find(key) >= 0,
      );
      table.evict(0, random);
      return before.filter((key) => table.find(key) < 0)[0];
    };
    expect([gone(), gone(), gone(), gone(), gone()]).toEqual([
      'soon and little used',
      'soon',
      'late',
      'at the limit',
      undefined,
    ]);
  });
});
