import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evenly } from '../../evenly.contract.js';
import { byLevel, healthShares, type LocalityHealth, spill, sumOf } from './health-shares.js';

function locality(distance: number, healthy: number, total = 100, weight?: number): LocalityHealth {
  return weight === undefined ? { distance, healthy, total } : { distance, healthy, total, weight };
}

function expectShares(actual: readonly number[], expected: readonly number[]): void {
  const rounded = (shares: readonly number[]) => shares.map((share) => Number(share.toFixed(4)));
  expect(rounded(actual)).toEqual(rounded(expected));
}

describe('healthShares', () => {
  it('keeps all in the nearest level while 1/1.4 of it is healthy', () => {
    expectShares(healthShares([locality(0, 100), locality(1, 100)]), [1, 0]);
    expectShares(healthShares([locality(0, 72), locality(1, 100)]), [1, 0]);
    expectShares(healthShares([locality(0, 71), locality(1, 100)]), [0.994, 0.006]);
  });

  it('half of the nearest healthy, the next fully: 70/30', () => {
    expectShares(healthShares([locality(0, 50), locality(1, 100)]), [0.7, 0.3]);
    // The order in which they are given says nothing.
    expectShares(healthShares([locality(1, 100), locality(0, 50)]), [0.3, 0.7]);
  });

  it('two localities weighted 1:2, the first half healthy: 26/74', () => {
    const shares = healthShares([locality(0, 50, 100, 1), locality(0, 100, 100, 2)]);
    expectShares(shares, [0.2593, 0.7407]);
    expect(shares[0]).toBeCloseTo(0.7 / 2.7, 12);
  });

  it.each([
    // Of three levels, the health of each in percent, and the shares (Envoy, "Priority levels").
    [
      [100, 100, 100],
      [1, 0, 0],
    ],
    [
      [25, 100, 100],
      [0.35, 0.65, 0],
    ],
    [
      [25, 25, 100],
      [0.35, 0.35, 0.3],
    ],
    [
      [25, 0, 100],
      [0.35, 0, 0.65],
    ],
    [
      [0, 0, 10],
      [0, 0, 1],
    ],
    // All together carry 70 %: each gets its part of the whole.
    [
      [20, 20, 10],
      [0.4, 0.4, 0.2],
    ],
    [
      [0, 0, 0],
      [0, 0, 0],
    ],
  ])('levels healthy to %j percent share %j', (healthy, expected) => {
    expectShares(healthShares(healthy.map((percent, distance) => locality(distance, percent))), expected);
  });

  it('gives each backend of a level an equal part unless weights are given', () => {
    expectShares(healthShares([locality(0, 10, 10), locality(0, 30, 30)]), [0.25, 0.75]);
  });

  it('takes the health of a level from all its localities', () => {
    // 60 of 120 healthy: the level carries 0.7 of the traffic, split 20 · 1 : 100 · 0.56.
    const shares = healthShares([locality(0, 20, 20), locality(0, 40, 100), locality(1, 10, 10)]);
    expectShares(shares, [(0.7 * 20) / 76, (0.7 * 56) / 76, 0.3]);
  });

  it('leaves out a locality of weight 0, also from the health of its level', () => {
    expectShares(healthShares([locality(0, 0, 100, 0), locality(0, 100), locality(1, 100)]), [0, 1, 0]);
    expectShares(healthShares([locality(0, 100, 100, 0), locality(1, 100)]), [0, 1]);
    expectShares(healthShares([locality(0, 100, 100, 0)]), [0]);
  });

  it('leaves out an empty locality', () => {
    expectShares(healthShares([locality(0, 0, 0), locality(1, 5, 5)]), [0, 1]);
    expect(healthShares([])).toEqual([]);
  });

  it('overprovisioning is how much the healthy carry for the others', () => {
    const half = [locality(0, 50), locality(1, 100)];
    expectShares(healthShares(half, { overprovisioning: 1 }), [0.5, 0.5]);
    expectShares(healthShares(half, { overprovisioning: 2 }), [1, 0]);
  });

  const anyLocality = fc
    .record({
      distance: fc.nat({ max: 3 }),
      total: fc.nat({ max: 50 }),
      percent: fc.nat({ max: 100 }),
      weight: fc.option(fc.nat({ max: 5 }), { nil: undefined }),
    })
    .map(({ distance, total, percent, weight }) =>
      locality(distance, Math.floor((total * percent) / 100), total, weight),
    );

  it('always divides all of it among the healthy, or nothing when none is', () => {
    fc.assert(
      fc.property(fc.array(anyLocality, { maxLength: 8 }), (localities) => {
        const shares = healthShares(localities);
        const canServe = localities.some(({ healthy, weight }) => healthy > 0 && weight !== 0);
        expect(sumOf(shares)).toBeCloseTo(canServe ? 1 : 0, 9);
        shares.forEach((share, index) => {
          const { healthy, weight } = localities[index]!;
          expect(share).toBeGreaterThanOrEqual(0);
          if (healthy === 0 || weight === 0) expect(share).toBe(0);
        });
      }),
    );
  });

  it('never leaves a level that is healthy enough', () => {
    fc.assert(
      fc.property(
        fc.array(anyLocality, { maxLength: 6 }),
        fc.integer({ min: 1, max: 40 }),
        (others, total) => {
          const near = { distance: 0, healthy: Math.ceil(total / 1.4), total };
          const farther = others.map((other) => ({ ...other, distance: other.distance + 1 }));
          expect(healthShares([near, ...farther])[0]).toBeCloseTo(1, 9);
        },
      ),
    );
  });

  it('refuses impossible numbers', () => {
    expect(() => healthShares([locality(0, 3, 2)])).toThrow(
      new RangeError('healthy must be an integer from 0 to 2, got 3'),
    );
    expect(() => healthShares([locality(0, 1, 1.5)])).toThrow('total must be an integer >= 0, got 1.5');
    expect(() => healthShares([locality(-1, 1, 1)])).toThrow('distance must be a finite number >= 0, got -1');
    expect(() => healthShares([locality(0, 1, 1, -2)])).toThrow(
      'weight must be a finite number >= 0, got -2',
    );
    expect(() => healthShares([], { factor: 2 } as object)).toThrow('healthShares has no option "factor"');
    expect(() => healthShares([], { overprovisioning: 0 })).toThrow(
      'overprovisioning must be a finite number > 0, got 0',
    );
  });
});

describe('spill', () => {
  const spilled = (
    excess: number,
    shares: number[],
    limits: number[],
    weights: number[],
    levels: number[][],
  ) => ({
    left: spill(excess, shares, limits, weights, levels),
    shares: shares.map((share) => Number(share.toFixed(4))),
  });

  it('fills the nearest first, then the next', () => {
    expect(spilled(0.5, [0.5, 0, 0], [0.6, 0.3, 1], [1, 1, 1], [[0], [1], [2]])).toEqual({
      left: 0,
      shares: [0.6, 0.3, 0.1],
    });
  });

  it('divides by weight within a level, and what is too much for one goes to its sibling', () => {
    expect(spilled(0.6, [0, 0], [1, 1], [1, 2], [[0, 1]])).toEqual({ left: 0, shares: [0.2, 0.4] });
    expect(spilled(0.6, [0, 0], [1, 0.1], [1, 2], [[0, 1]])).toEqual({ left: 0, shares: [0.5, 0.1] });
  });

  it('fills who has room left, whatever the weights', () => {
    expect(spilled(0.6, [0, 0], [0.5, 0.1], [0.5, 1], [[0, 1]])).toEqual({ left: 0, shares: [0.5, 0.1] });
  });

  it('passes over who has no weight, or more than its limit', () => {
    expect(spilled(0.6, [0, 0], [1, 1], [0, 1], [[0], [1]])).toEqual({ left: 0, shares: [0, 0.6] });
    expect(spilled(0.4, [0.6, 0], [0.5, 1], [1, 1], [[0, 1]])).toEqual({ left: 0, shares: [0.6, 0.4] });
  });

  it('says what found no room', () => {
    const { left, shares } = spilled(0.6, [0.3, 0], [0.4, 0.2], [1, 1], [[0, 1]]);
    expect(left).toBeCloseTo(0.3, 12);
    expect(shares).toEqual([0.4, 0.2]);
  });

  it('loses nothing, passes no limit, and leaves no room nearer than where it puts something', () => {
    const unit = evenly(0, 1);
    const one = fc.record({
      limit: unit,
      used: unit,
      weight: fc.constantFrom(0, 0.3, 1, 2),
      distance: fc.nat({ max: 2 }),
    });
    fc.assert(
      fc.property(fc.array(one, { minLength: 1, maxLength: 6 }), unit, (items, excess) => {
        const limits = items.map(({ limit }) => limit);
        const before = items.map(({ limit, used }) => limit * used);
        const weights = items.map(({ weight }) => weight);
        const shares = [...before];
        const left = spill(excess, shares, limits, weights, byLevel(items));
        expect(sumOf(shares) + left).toBeCloseTo(sumOf(before) + excess, 9);
        const hasRoom = (index: number) => weights[index]! > 0 && shares[index]! < limits[index]! - 1e-9;
        shares.forEach((share, index) => {
          expect(share).toBeLessThanOrEqual(limits[index]! + 1e-9);
          if (share <= before[index]!) return;
          const nearer = items.flatMap(({ distance }, other) =>
            distance < items[index]!.distance ? [other] : [],
          );
          expect(nearer.some(hasRoom)).toBe(false);
        });
        if (left > 0) expect(shares.some((_, index) => hasRoom(index))).toBe(false);
      }),
    );
  });
});
