import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomOrder } from './random-order.js';

describe('random subsets', () => {
  it('are equally likely: each order of three as often as any other', () => {
    const seen = new Map<string, number>();
    for (let clientId = 0; clientId < 6_000; clientId++) {
      const order = randomOrder(3, clientId, 0).join('');
      seen.set(order, (seen.get(order) ?? 0) + 1);
    }
    expect(seen.size).toBe(6);
    // 1,000 expected of each, σ ≈ 29: four σ.
    for (const count of seen.values()) expect(Math.abs(count - 1_000)).toBeLessThan(116);
  });

  it('change by at most one member when a backend joins', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), fc.nat({ max: 1_000 }), (count, clientId) => {
        const before = randomOrder(count, clientId, 0);
        const after = randomOrder(count + 1, clientId, 0);
        // One place taken by the newcomer, whoever had it now last: no other place differs.
        const place = after.indexOf(count);
        const expected = [...before, count];
        if (place < count) [expected[place], expected[count]] = [count, before[place]!];
        expect([...after]).toEqual(expected);
      }),
    );
  });
});
