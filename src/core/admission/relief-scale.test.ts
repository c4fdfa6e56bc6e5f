import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CRITICALITIES, type Criticality } from '../criticality.js';
import { evenly } from '../evenly.contract.js';
import { ReliefScale } from './relief-scale.js';
import { DEGRADING_THRESHOLDS, Thresholds } from './thresholds.js';

function scaleOf(arrivals: Partial<Record<Criticality, number>>, thresholds = new Thresholds()): ReliefScale {
  const scale = new ReliefScale(thresholds);
  for (const criticality of CRITICALITIES) {
    for (let count = 0; count < (arrivals[criticality] ?? 0); count++) scale.onArrival(criticality);
  }
  return scale;
}

describe('ReliefScale', () => {
  it('finds where the thresholds refuse a share of what arrives', () => {
    const scale = scaleOf({ SHEDDABLE: 9, CRITICAL: 1 });
    expect(scale.utilizationFor(0.45)).toBeCloseTo(0.85, 12);
    expect(scale.utilizationFor(0.9)).toBeCloseTo(0.9, 12);
    // Half of the last tenth; nobody is SHEDDABLE_PLUS.
    expect(scale.utilizationFor(0.95)).toBeCloseTo(1.1, 12);
    expect(scale.utilizationFor(0.900_001)).toBeCloseTo(1, 4);
  });

  it('takes all for CRITICAL when it was told of nothing', () => {
    expect(new ReliefScale().utilizationFor(0.5)).toBeCloseTo(1.1, 12);
    expect(scaleOf({}).utilizationFor(0.25)).toBeCloseTo(1.05, 12);
  });

  it('counts a degraded request as half', () => {
    const scale = scaleOf({ CRITICAL: 10 }, new Thresholds({ CRITICAL: { degradeFrom: 0.9 } }));
    expect(scale.lowest).toBe(0.8);
    expect(scale.utilizationFor(0.25)).toBeCloseTo(0.95, 12);
    expect(scale.utilizationFor(0.5)).toBeCloseTo(1, 12);
    expect(scale.utilizationFor(0.75)).toBeCloseTo(1.1, 12);
    expect(scaleOf({}, new Thresholds(DEGRADING_THRESHOLDS)).lowest).toBe(0.7);
  });

  it('knows where one criticality begins to be degraded while another is refused', () => {
    const thresholds = new Thresholds({
      SHEDDABLE_PLUS: { degradeFrom: 0.85 },
      CRITICAL: { degradeFrom: 0.85 },
    });
    const scale = scaleOf({ SHEDDABLE: 5, CRITICAL: 5 }, thresholds);
    expect(scale.utilizationFor(0.25)).toBeCloseTo(0.85, 12);
    // .875: three quarters of SHEDDABLE refused, a sixth of CRITICAL degraded.
    expect(scale.utilizationFor(0.375 + 0.25 / 6)).toBeCloseTo(0.875, 12);
  });

  it('begins where the first that arrive begin', () => {
    expect(scaleOf({ CRITICAL: 3 }).utilizationFor(0)).toBe(1);
    expect(scaleOf({ SHEDDABLE: 1, CRITICAL: 3 }).utilizationFor(0)).toBe(0.8);
  });

  it('ends at the top', () => {
    expect(scaleOf({ CRITICAL: 3 }).utilizationFor(1)).toBeCloseTo(1.2, 12);
    expect(scaleOf({ CRITICAL: 3 }).utilizationFor(2)).toBe(1.5);
  });

  it('forgets: after an idle hour only what comes then counts', () => {
    const scale = scaleOf({ SHEDDABLE: 1_000 });
    scale.forget(1_000 * Math.LN2);
    for (let count = 0; count < 500; count++) scale.onArrival('CRITICAL');
    expect(scale.utilizationFor(0.5)).toBeCloseTo(0.9, 12);
    scale.forget(3_600_000);
    expect(scale.utilizationFor(0.5)).toBeCloseTo(1.1, 12);
    scale.onArrival('SHEDDABLE_PLUS');
    expect(scale.utilizationFor(0.5)).toBeCloseTo(0.95, 12);
  });

  it('gives the relief that was asked for, for any mix', () => {
    const counts = fc.tuple(fc.nat(50), fc.nat(50), fc.nat(50), fc.nat(50));
    fc.assert(
      fc.property(counts, evenly(0.001, 0.999), (mix, relief) => {
        const total = mix.reduce((sum, count) => sum + count, 0);
        fc.pre(total > 0);
        const thresholds = new Thresholds();
        const [a, b, c, d] = mix;
        const scale = scaleOf({ SHEDDABLE: a, SHEDDABLE_PLUS: b, CRITICAL: c, CRITICAL_PLUS: d }, thresholds);
        const utilization = scale.utilizationFor(relief);
        const given = CRITICALITIES.reduce(
          (sum, criticality, rank) =>
            sum + (mix[rank]! / total) * thresholds.refusedShare(criticality, utilization),
          0,
        );
        expect(given).toBeCloseTo(relief, 9);
      }),
    );
  });
});
