import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IndexSet } from './index-set.js';

describe('IndexSet', () => {
  it('goes round its members', () => {
    const set = new IndexSet(10);
    for (const index of [2, 5, 9]) set.add(index);
    expect(set.nextFrom(0)).toBe(2);
    expect(set.nextFrom(2)).toBe(2);
    expect(set.nextFrom(3)).toBe(5);
    expect(set.nextFrom(10)).toBe(2);
    set.delete(2);
    expect(set.nextFrom(10)).toBe(5);
    expect(set.size).toBe(2);
  });

  it('finds nobody where the last member has gone', () => {
    const set = new IndexSet(100);
    for (const index of [40, 70]) set.add(index);
    set.delete(40);
    expect(set.nextFrom(0)).toBe(70);
    set.delete(70);
    expect(set.nextFrom(0)).toBe(-1);
  });

  it('is empty when made', () => {
    expect(new IndexSet(0).nextFrom(0)).toBe(-1);
    expect(new IndexSet(100).nextFrom(50)).toBe(-1);
  });

  it('agrees with a plain set for any history, over one, two and three levels', () => {
    const history = fc.integer({ min: 1, max: 2_000 }).chain((capacity) =>
      fc.record({
        capacity: fc.constant(capacity),
        // Few, so that who is deleted is often a member.
        places: fc.array(fc.nat(capacity - 1), { minLength: 8, maxLength: 8 }),
        steps: fc.array(fc.record({ isAdd: fc.boolean(), place: fc.nat(7), from: fc.nat(capacity) }), {
          maxLength: 60,
          size: 'max',
        }),
      }),
    );
    fc.assert(
      fc.property(history, ({ capacity, places, steps }) => {
        const set = new IndexSet(capacity);
        const naive = new Set<number>();
        for (const { isAdd, place, from } of steps) {
          const index = places[place]!;
          if (isAdd) set.add(index);
          else set.delete(index);
          if (isAdd) naive.add(index);
          else naive.delete(index);
          const sorted = [...naive].sort((a, b) => a - b);
          expect(set.size).toBe(naive.size);
          expect(set.has(index)).toBe(isAdd);
          expect(set.nextFrom(from)).toBe(sorted.find((member) => member >= from) ?? sorted[0] ?? -1);
        }
      }),
    );
  });
});
