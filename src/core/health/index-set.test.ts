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

  it('is empty when made', () => {
    expect(new IndexSet(0).nextFrom(0)).toBe(-1);
    expect(new IndexSet(100).nextFrom(50)).toBe(-1);
  });

  it('agrees with a plain set for any history, over one, two and three levels', () => {
    const history = fc.integer({ min: 1, max: 2_000 }).chain((capacity) =>
      fc.record({
        capacity: fc.constant(capacity),
        steps: fc.array(
          fc.record({ isAdd: fc.boolean(), index: fc.nat(capacity - 1), from: fc.nat(capacity) }),
          { maxLength: 60, size: 'max' },
        ),
      }),
    );
    fc.assert(
      fc.property(history, ({ capacity, steps }) => {
        const set = new IndexSet(capacity);
        const naive = new Set<number>();
        for (const { isAdd, index, from } of steps) {
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
