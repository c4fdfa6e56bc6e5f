import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../core/index.js';
import { StateTable } from './state-table.js';

/** A state is an expiry and what remains. */
const kind = (width: number) => ({
  width,
  expiryAt: (cells: Float64Array | number[], at: number) => cells[at] ?? 0,
  remainingAt: (cells: Float64Array | number[], at: number) => cells[at + 1] ?? 0,
});

/** Keys in all forms. */
const KEYS = [
  (i: number) => `${i}`,
  (i: number) => `customer:${10_000_000 + i}`,
  (i: number) => `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`,
  (i: number) => `${'x'.repeat(80)}${i}`,
  (i: number) => `Ключ-${i}`,
];

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

  it.each([2, 0])('keeps them when few become many, and many none, width %i', (width) => {
    const table = new StateTable(kind(width));
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 5_000; i++) put(table, KEYS[i % KEYS.length]!(i), i + round);
      expect(table.size).toBe(5_000);
      for (let i = 0; i < 5_000; i++) {
        const slot = table.find(KEYS[i % KEYS.length]!(i));
        const [cells, at] = [table.cells(slot), table.at(slot)];
        if (cells[at] !== i + round || cells[at + 1] !== 1) expect(i).toBe(-1);
      }
      expect(table.find('another')).toBe(-1);
      for (let i = 0; i < 5_000; i++) table.remove(table.find(KEYS[i % KEYS.length]!(i)));
      expect(table.size).toBe(0);
    }
  });

  it('has the same as a Map, whoever comes and leaves and expires', () => {
    const random = new SeededRandom(3);
    const table = new StateTable(kind(2));
    const expected = new Map<string, number>();
    for (let now = 0; now < 60_000; now++) {
      // Up to 4,000 are there, then fewer and fewer: of both kinds, and back.
      const number = random.below(now < 30_000 ? 20_000 : 2_000);
      const key = KEYS[number % KEYS.length]!(number);
      const slot = table.find(key);
      expect(slot >= 0).toBe(expected.has(key));
      if (slot < 0) {
        put(table, key, now + 4_000);
        expected.set(key, now + 4_000);
      } else if (random.below(2) === 0) {
        table.remove(slot);
        expected.delete(key);
      } else expect(table.cells(slot)[table.at(slot)]).toBe(expected.get(key));
      if (now % 500 === 0) {
        while (table.sweep(now, 100_000) > 0);
        for (const [each, expiryMs] of expected) if (expiryMs <= now) expected.delete(each);
        expect(table.size).toBe(expected.size);
      }
    }
  });

  it.each([100, 3_000])('removes what has expired, of %i, wherever the hand is', (count) => {
    const table = new StateTable(kind(2));
    const half = count / 2;
    for (let i = 0; i < count; i++) put(table, KEYS[i % KEYS.length]!(i), i < half ? 10 : 20);
    // Of five forms 256 segments each, of 16 places and some of more.
    const all = 40_000;
    expect(table.sweep(9, all + 7)).toBe(0);
    expect(table.sweep(10, all)).toBe(half);
    for (let i = 0; i < count; i++) {
      if (table.find(KEYS[i % KEYS.length]!(i)) >= 0 !== i >= half) expect(i).toBe(-1);
    }
    expect(table.sweep(20, all)).toBe(half);
    expect([table.size, table.sweep(20, all)]).toEqual([0, 0]);
  });

  it('looks at no more than it is told to', () => {
    for (const count of [100, 3_000]) {
      const table = new StateTable(kind(2));
      for (let i = 0; i < count; i++) put(table, `key-${i}`, 10);
      expect(table.sweep(10, 4)).toBeLessThanOrEqual(4);
      expect(table.size).toBeGreaterThanOrEqual(count - 4);
    }
  });

  it('draws keys of all forms alike when it evicts', () => {
    const random = new SeededRandom(7);
    const table = new StateTable(kind(2));
    for (let i = 0; i < 4_000; i++) put(table, i % 10 === 0 ? `Ключ-${i}` : `key-${i}`, 5, 0);
    for (let i = 0; i < 2_000; i++) table.evict(0, () => random.next());
    expect(table.size).toBe(2_000);
    let others = 0;
    for (let i = 0; i < 4_000; i += 10) if (table.find(`Ключ-${i}`) >= 0) others++;
    // Half of 400; the standard deviation is 10.
    expect(others).toBeGreaterThan(140);
    expect(others).toBeLessThan(260);
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
