import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evenly } from '../../core/evenly.contract.js';
import { SeededRandom } from '../../core/seeded-random.js';
import { createDistribution, type DistributionSpec, drawExponential } from './distribution.js';

function randomOf(seed: number) {
  const random = new SeededRandom(seed);
  return () => random.next();
}

function drawsOf(spec: DistributionSpec, count: number, seed = 1): number[] {
  const distribution = createDistribution(spec);
  const random = randomOf(seed);
  return Array.from({ length: count }, () => distribution.draw(random));
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

const value = fc.oneof(fc.constant(0), evenly(0.001, 1_000));
const positive = evenly(0.001, 1_000);

/** Laws whose average of some thousand draws is near the mean: no tail so heavy that one draw is half of the sum. */
const anySpec: fc.Arbitrary<DistributionSpec> = fc.oneof(
  value,
  fc.record({ normal: fc.record({ mean: value, deviation: value }) }),
  fc.record({
    lognormal: fc.record({ median: value, sigma: evenly(0, 1) }),
  }),
  fc.record({
    pareto: fc.record({ least: positive, shape: evenly(2.5, 20) }),
  }),
  fc
    .record({
      least: positive,
      shape: fc.oneof(fc.constant(1), evenly(0.1, 3)),
      span: evenly(1.01, 50),
    })
    .map(({ least, shape, span }) => ({ pareto: { least, shape, most: least * span } })),
  fc.record({ exponential: fc.record({ mean: value }) }),
  fc.tuple(value, value).map(([from, width]) => ({ uniform: { from, to: from + width } })),
);

describe('createDistribution', () => {
  it('draws what averages to the mean it states, and nothing negative', () => {
    fc.assert(
      fc.property(anySpec, fc.integer({ min: 0, max: 1_000_000 }), (spec, seed) => {
        const draws = drawsOf(spec, 2_000, seed);
        const { mean } = createDistribution(spec);
        expect(Math.min(...draws)).toBeGreaterThanOrEqual(0);
        const variance = average(draws.map((draw) => (draw - mean) ** 2));
        // Five standard errors, and what adding up two thousand rounded numbers costs.
        const bound = 5 * Math.sqrt(variance / draws.length) + 1e-9 * mean;
        expect(Math.abs(average(draws) - mean)).toBeLessThanOrEqual(bound);
      }),
      { numRuns: 150 },
    );
  });

  it('keeps its specification, and draws the same from the same stream whoever drew before', () => {
    fc.assert(
      fc.property(anySpec, fc.integer({ min: 0, max: 1_000 }), fc.nat(5), (spec, seed, before) => {
        const distribution = createDistribution(spec);
        expect(distribution.spec).toEqual(spec);
        const other = randomOf(seed + 1);
        for (let draw = 0; draw < before; draw++) distribution.draw(other);
        const random = randomOf(seed);
        const drawn = [distribution.draw(random), distribution.draw(random)];
        expect(drawn).toEqual(drawsOf(spec, 2, seed));
      }),
      { numRuns: 100 },
    );
  });

  it('is the number itself where a number is meant', () => {
    expect(drawsOf(5, 3)).toEqual([5, 5, 5]);
    expect(drawsOf({ normal: { mean: 5, deviation: 0 } }, 3)).toEqual([5, 5, 5]);
    expect(drawsOf({ normal: { mean: 0, deviation: 0 } }, 1)).toEqual([0]);
    expect(drawsOf({ lognormal: { median: 5, sigma: 0 } }, 1)).toEqual([5]);
    expect(drawsOf({ uniform: { from: 5, to: 5 } }, 1)).toEqual([5]);
  });

  it('states exact means', () => {
    // φ(1) / Φ(1) = 0.2419707245191434 / 0.8413447460685429, and the half-normal √(2/π).
    expect(createDistribution({ normal: { mean: 80, deviation: 80 } }).mean).toBeCloseTo(
      80 * (1 + 0.2419707245191434 / 0.8413447460685429),
      12,
    );
    expect(createDistribution({ normal: { mean: 0, deviation: 3 } }).mean).toBeCloseTo(
      3 * Math.sqrt(2 / Math.PI),
      12,
    );
    // φ(2) / Φ(2) = 0.05399096651318806 / 0.9772498680518208.
    expect(createDistribution({ normal: { mean: 2, deviation: 1 } }).mean).toBeCloseTo(
      2 + 0.05399096651318806 / 0.9772498680518208,
      13,
    );
    expect(createDistribution({ normal: { mean: 100, deviation: 1 } }).mean).toBe(100);
    expect(createDistribution({ lognormal: { median: 2, sigma: 1 } }).mean).toBeCloseTo(
      2 * Math.sqrt(Math.E),
      12,
    );
    expect(createDistribution({ pareto: { least: 3, shape: 1.5 } }).mean).toBeCloseTo(9, 12);
    expect(createDistribution({ pareto: { least: 1, shape: 1, most: Math.E } }).mean).toBeCloseTo(
      1 / (1 - 1 / Math.E),
      12,
    );
    // The textbook's formula: L^a / (1 − (L/H)^a) · a / (a − 1) · (1/L^(a−1) − 1/H^(a−1)).
    expect(createDistribution({ pareto: { least: 2, shape: 2, most: 10 } }).mean).toBeCloseTo(
      (4 / (1 - 0.04)) * 2 * (1 / 2 - 1 / 10),
      12,
    );
  });

  it('keeps the mean of a bounded tail exact near a shape of 1', () => {
    const at = createDistribution({ pareto: { least: 1, shape: 1, most: 1_000 } }).mean;
    const near = createDistribution({ pareto: { least: 1, shape: 1 + 1e-12, most: 1_000 } }).mean;
    expect(Math.abs(near / at - 1)).toBeLessThan(1e-10);
  });

  it('has the quantiles of its law', () => {
    const rank = (spec: DistributionSpec, share: number) =>
      drawsOf(spec, 20_000).toSorted((a, b) => a - b)[share * 20_000]!;
    // Truncated at 0, half of N(1, 1) lies below 1 + Φ⁻¹(1 − Φ(1) / 2) = 1.2003.
    expect(rank({ normal: { mean: 1, deviation: 1 } }, 0.5)).toBeCloseTo(1.2, 1);
    expect(rank({ lognormal: { median: 10, sigma: 0.5 } }, 0.5) / 10).toBeCloseTo(1, 1);
    expect(rank({ lognormal: { median: 10, sigma: 0.5 } }, 0.99) / 10).toBeCloseTo(3.2, 0);
    expect(rank({ pareto: { least: 1, shape: 2 } }, 0.75)).toBeCloseTo(2, 1);
    expect(rank({ exponential: { mean: 1 } }, 0.5)).toBeCloseTo(Math.LN2, 1);
    expect(rank({ uniform: { from: 2, to: 4 } }, 0.25)).toBeCloseTo(2.5, 1);
  });

  it('stays within the bounds of a Pareto law at both ends of chance', () => {
    const { draw } = {
      draw: (u: number) => createDistribution({ pareto: { least: 0.3, shape: 0.7, most: 7 } }).draw(() => u),
    };
    expect(draw(0)).toBe(0.3);
    expect(draw(1 - 2 ** -53)).toBeLessThanOrEqual(7);
    expect(draw(1 - 2 ** -53)).toBeGreaterThan(6.999);
  });

  it('gives up on a stream that only ever draws below 0', () => {
    let draws = 0;
    // cos(2π · ½) = −1, at a distance of √(2 ln 2) deviations.
    const random = () => {
      draws++;
      return 0.5;
    };
    expect(createDistribution({ normal: { mean: 1, deviation: 1 } }).draw(random)).toBe(0);
    expect(draws).toBe(128);
  });

  it.each([
    [-1, 'distribution: Too small'],
    [Number.POSITIVE_INFINITY, 'distribution: a number or one of normal'],
    ['5', 'a number or one of normal, lognormal, pareto, exponential, uniform'],
    [{}, 'a number or one of normal'],
    [{ exponential: { mean: 1 }, uniform: { from: 0, to: 1 } }, 'a number or one of normal'],
    [{ normal: 5 }, 'distribution: normal: Invalid input: expected object'],
    [{ normal: { mean: 1 } }, 'normal.deviation: Invalid input: expected number'],
    [{ normal: { mean: 1, deviation: 1, most: 2 } }, 'normal: Unrecognized key: "most"'],
    [{ normal: { mean: -1, deviation: 1 } }, 'distribution.normal.mean: Too small'],
    [{ lognormal: { median: 1, sigma: 6 } }, 'distribution.lognormal.sigma: Too big'],
    [{ pareto: { least: 1, shape: 1 } }, 'distribution.pareto: a shape up to 1 has no mean without most'],
    [{ pareto: { least: 1, shape: 2, most: 1 } }, 'distribution.pareto: most must be > least'],
    [{ pareto: { least: 0, shape: 2 } }, 'distribution.pareto.least: Too small'],
    [{ uniform: { from: 2, to: 1 } }, 'distribution.uniform: to must be >= from'],
  ])('refuses %j', (spec, complaint) => {
    expect(() => createDistribution(spec as DistributionSpec)).toThrow(RangeError);
    expect(() => createDistribution(spec as DistributionSpec)).toThrow(complaint);
  });
});

describe('drawExponential', () => {
  it('is finite at both ends of chance', () => {
    expect(drawExponential(() => 0)).toBe(0);
    expect(drawExponential(() => 1 - 2 ** -53)).toBeCloseTo(53 * Math.LN2, 10);
  });
});
