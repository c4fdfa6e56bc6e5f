import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evenly } from '../evenly.contract.js';
import { allocate } from './allocation.js';
import { waterLevel } from './water-level.js';

const demand = fc.oneof(fc.constantFrom(0, 1, 5), evenly(0, 1_000), evenly(0, 1e-6));

describe('waterLevel', () => {
  it('is the part of each in a max-min fair division', () => {
    fc.assert(
      fc.property(
        fc.array(demand, { minLength: 1, maxLength: 40 }),
        evenly(0.001, 3_000),
        fc.nat(3),
        (demands, room, from) => {
          // Others before it and behind it in the column want much.
          const column = new Float64Array(from + demands.length + 1).fill(99_999);
          column.set(demands, from);
          const level = waterLevel(column, from, from + demands.length, room);
          const sum = demands.reduce((total, wants) => total + Math.min(wants, level), 0);
          expect(sum).toBeLessThanOrEqual(room * (1 + 1e-9));
          const fair = allocate(
            'fair',
            room,
            demands.map((wants) => ({ wants })),
          );
          for (const [index, wants] of demands.entries())
            expect(Math.min(wants, level)).toBeCloseTo(fair[index]!, 6);
        },
      ),
    );
  });

  it('is infinite when all fits, to the last bit', () => {
    expect(waterLevel(Float64Array.of(1, 2, 3), 0, 3, 6)).toBe(Infinity);
    expect(waterLevel(Float64Array.of(1, 2, 3), 0, 3, 5.9)).toBeCloseTo(2.9, 9);
  });

  it('looks at its own part of the column only', () => {
    expect(waterLevel(Float64Array.of(99, 8, 8, 99), 1, 3, 10)).toBe(5);
    expect(waterLevel(Float64Array.of(99, 2, 8, 8, 99), 1, 4, 12)).toBe(5);
    expect(waterLevel(Float64Array.of(99, 1, 2, 3, 99), 1, 4, 6)).toBe(Infinity);
  });
});
