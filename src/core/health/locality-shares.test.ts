import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  byLevel,
  healthShares,
  type LocalityHealth,
  type LocalityLoad,
  loadAwareShares,
  nextAllowance,
  spill,
  sumOf,
} from './locality-shares.js';

fc.configureGlobal({ seed: 20 });

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
    expect(() => healthShares([locality(-1, 1, 1)])).toThrow('distance must be >= 0, got -1');
    expect(() => healthShares([locality(0, 1, 1, -2)])).toThrow('weight must be >= 0, got -2');
    expect(() => healthShares([], { overprovisioning: 0 })).toThrow('overprovisioning must be > 0, got 0');
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

  it('passes over who has no weight', () => {
    expect(spilled(0.6, [0, 0], [1, 1], [0, 1], [[0], [1]])).toEqual({ left: 0, shares: [0, 0.6] });
  });

  it('says what found no room', () => {
    const { left, shares } = spilled(0.6, [0.3, 0], [0.4, 0.2], [1, 1], [[0, 1]]);
    expect(left).toBeCloseTo(0.3, 12);
    expect(shares).toEqual([0.4, 0.2]);
  });

  it('loses nothing, passes no limit, and leaves no room nearer than where it puts something', () => {
    const unit = fc.double({ min: 0, max: 1, noNaN: true });
    const one = fc.record({
      limit: unit,
      used: unit,
      weight: fc.nat({ max: 3 }),
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

describe('nextAllowance', () => {
  const options = { targetUtilization: 0.9, probeShare: 0.03, fallMs: 1_000, growMs: 4_000 };
  const next = (allowance: number, utilization: number | undefined, taken = allowance, sinceMs = 1_000) =>
    nextAllowance(allowance, utilization, taken, sinceMs, options);

  it('goes half of the way down to what fits in a second, in ratios', () => {
    // 1.8 is twice too busy: 0.5 would fit.
    expect(next(1, 1.8)).toBeCloseTo(Math.SQRT1_2, 12);
    expect(next(1, 1.8, 1, 2_000)).toBeCloseTo(0.5 ** 0.75, 12);
    expect(next(1, 1.8, 1, 3_600_000)).toBeCloseTo(0.5, 12);
  });

  it('starts from what was taken, when that was less than allowed', () => {
    expect(next(1, 1.8, 0.2)).toBeCloseTo(0.2 * Math.SQRT1_2, 12);
  });

  it('stays when what was taken beyond the allowance is what made it busier than its target', () => {
    expect(next(0.9, 1, 1)).toBeCloseTo(0.9, 12);
    expect(next(0.5, 0.95, 0.55)).toBe(0.5);
  });

  it('grows by the ratio in four seconds, at most doubles, never above 1', () => {
    expect(next(0.2, 0.6, 0.2, 4_000)).toBeCloseTo(0.3, 12);
    expect(next(0.2, 0.1, 0.2, 4_000)).toBeCloseTo(0.4, 12);
    expect(next(0.2, 0, 0.2, 4_000)).toBeCloseTo(0.4, 12);
    expect(next(0.8, 0.1, 0.8, 4_000)).toBe(1);
    // Little traffic on a locality that is not busy is no reason to allow less.
    expect(next(0.8, 0.89, 0.01)).toBeGreaterThan(0.8);
  });

  it('has forgotten everything after an idle hour that left it idle', () => {
    expect(next(0.03, 0, 1, 3_600_000)).toBe(1);
  });

  it('learns nothing from no report, nor from the very target', () => {
    expect(next(0.3, undefined)).toBe(0.3);
    expect(next(0.3, 0.9)).toBe(0.3);
    expect(next(0.3, 0.9, 0.3, Number.POSITIVE_INFINITY)).toBe(0.3);
  });

  it('never falls below the probe share', () => {
    expect(next(0.04, 50)).toBe(0.03);
    expect(next(1, 0.95, 0.001)).toBe(0.03);
  });

  it('is bounded, and never moves the wrong way', () => {
    const shares = fc.double({ min: 0.03, max: 1, noNaN: true });
    const used = fc.double({ min: 0, max: 100, noNaN: true });
    fc.assert(
      fc.property(
        shares,
        used,
        shares,
        fc.nat({ max: 100_000 }),
        (allowance, utilization, taken, sinceMs) => {
          const after = next(allowance, utilization, taken, sinceMs);
          expect(after).toBeGreaterThanOrEqual(0.03);
          expect(after).toBeLessThanOrEqual(1);
          if (utilization > 0.9) expect(after).toBeLessThanOrEqual(allowance + 1e-12);
          else expect(after).toBeGreaterThanOrEqual(allowance);
        },
      ),
    );
  });
});

describe('loadAwareShares', () => {
  const local = (utilization: number | undefined, healthy = 100): LocalityLoad => ({
    healthy,
    utilization,
    isLocal: true,
  });
  const remote = (utilization: number | undefined, healthy = 100): LocalityLoad => ({
    healthy,
    utilization,
    isLocal: false,
  });

  it('stays local while that is at most a tenth busier, but for 3 % of probes', () => {
    expectShares(loadAwareShares([local(0.5), remote(0.5)]), [0.97, 0.03]);
    expectShares(loadAwareShares([local(0.6), remote(0.5)]), [0.97, 0.03]);
    expectShares(loadAwareShares([local(0.1), remote(0.9, 100), remote(0.9, 50)]), [0.97, 0.02, 0.01]);
  });

  it('leaves in proportion to spare capacity when it is busier than that', () => {
    // 100 · 0.2 spare against 100 · 0.8; the probes are split evenly.
    expectShares(loadAwareShares([local(0.8), remote(0.2)]), [0.97 * 0.2 + 0.015, 0.97 * 0.8 + 0.015]);
    expectShares(loadAwareShares([local(0.8, 40), remote(0.2, 10)]), [
      0.97 * 0.5 + 0.03 * 0.8,
      0.97 * 0.5 + 0.03 * 0.2,
    ]);
  });

  it('takes means over backends, not over localities', () => {
    // Remote mean 0.2 · 90 + 0.9 · 10 = 0.27 of 100.
    expectShares(loadAwareShares([local(0.36), remote(0.2, 90), remote(0.9, 10)]), [0.97, 0.027, 0.003]);
    expect(loadAwareShares([local(0.38), remote(0.2, 90), remote(0.9, 10)])[0]).toBeLessThan(0.6);
  });

  it('still probes one that is full, so that its recovery is seen', () => {
    expectShares(loadAwareShares([local(1.5), remote(0.5)]), [0.015, 0.985]);
    expectShares(loadAwareShares([local(1), remote(0.5), remote(1.2)]).slice(2), [0.01]);
  });

  it('divides by healthy backends when all are full', () => {
    expectShares(loadAwareShares([local(1.5, 30), remote(1.1, 10)]), [0.75, 0.25]);
  });

  it('does not leave because of what is not known', () => {
    expectShares(loadAwareShares([local(undefined), remote(0.1)]), [0.97, 0.03]);
    expectShares(loadAwareShares([local(5), remote(undefined)]), [0.97, 0.03]);
    expectShares(loadAwareShares([local(5), remote(0, 0)]), [1, 0]);
  });

  it('counts an unknown one with the mean of the known when it leaves for others', () => {
    // Mean of the known 0.5: spare 20, 80, 50.
    const shares = loadAwareShares([local(0.8), remote(0.2), remote(undefined)], { probeShare: 0 });
    expectShares(shares, [0.1333, 0.5333, 0.3333]);
  });

  it('leaves altogether when nothing local is healthy, and gives up when nothing is', () => {
    expectShares(loadAwareShares([local(0.1, 0), remote(0.5), remote(undefined)]), [0, 0.5, 0.5]);
    expectShares(loadAwareShares([local(0, 0), remote(undefined)]), [0, 1]);
    expectShares(loadAwareShares([local(0.5, 0), remote(0.5, 0)]), [0, 0]);
  });

  it('always divides all of it among the healthy', () => {
    const load = fc.record({
      healthy: fc.nat({ max: 50 }),
      utilization: fc.option(fc.double({ min: 0, max: 3, noNaN: true }), { nil: undefined }),
      isLocal: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(load, { maxLength: 6 }), (localities) => {
        const shares = loadAwareShares(localities);
        const canServe = localities.some(({ healthy }) => healthy > 0);
        expect(sumOf(shares)).toBeCloseTo(canServe ? 1 : 0, 9);
        shares.forEach((share, index) => {
          expect(share).toBeGreaterThanOrEqual(0);
          if (localities[index]!.healthy === 0) expect(share).toBe(0);
        });
      }),
    );
  });

  it('refuses impossible numbers', () => {
    expect(() => loadAwareShares([], { tolerance: -1 })).toThrow(
      new RangeError('tolerance must be >= 0, got -1'),
    );
    expect(() => loadAwareShares([], { probeShare: 2 })).toThrow('probeShare must be from 0 to 1, got 2');
    expect(() => loadAwareShares([local(0.5, -1)])).toThrow('healthy must be an integer >= 0, got -1');
    expect(() => loadAwareShares([local(Number.NaN)])).toThrow('utilization must be >= 0, got NaN');
  });
});
