import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evenly } from '../../evenly.contract.js';
import { sumOf } from './health-shares.js';
import { type LocalityLoad, loadAwareShares } from './load-aware-shares.js';

function expectShares(actual: readonly number[], expected: readonly number[]): void {
  const rounded = (shares: readonly number[]) => shares.map((share) => Number(share.toFixed(4)));
  expect(rounded(actual)).toEqual(rounded(expected));
}

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
      utilization: fc.option(evenly(0, 3), { nil: undefined }),
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
      new RangeError('tolerance must be a finite number >= 0, got -1'),
    );
    expect(() => loadAwareShares([], { probeShare: 2 })).toThrow('probeShare must be from 0 to 1, got 2');
    expect(() => loadAwareShares([], { probe: 0.1 } as object)).toThrow('loadAware has no option "probe"');
    expect(() => loadAwareShares([local(0.5, -1)])).toThrow('healthy must be an integer >= 0, got -1');
    expect(() => loadAwareShares([local(Number.NaN)])).toThrow(
      'utilization must be a finite number >= 0, got NaN',
    );
  });
});
