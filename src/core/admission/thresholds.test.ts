import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CRITICALITIES } from '../criticality.js';
import { evenly, evenlyBelow1 } from '../evenly.contract.js';
import { DEGRADING_THRESHOLDS, shareBetween, type ThresholdOptions, Thresholds } from './thresholds.js';

const utilizations = evenly(0, 2);
const orders = evenlyBelow1();
const criticalities = fc.constantFrom(...CRITICALITIES);

/** Twelve ascending marks make four ranges that are allowed, half of them with a stretch of degrading. */
const anyThresholds = fc
  .uniqueArray(fc.integer({ min: 1, max: 200 }), { minLength: 12, maxLength: 12 })
  .map((marks) => {
    const [a, b, c, d, e, f, g, h, i, j, k, l] = marks.sort((x, y) => x - y).map((mark) => mark / 100);
    return new Thresholds({
      SHEDDABLE: { degradeFrom: a, refuseFrom: b!, refuseAll: c! },
      SHEDDABLE_PLUS: { refuseFrom: d!, refuseAll: f! },
      CRITICAL: { degradeFrom: e, refuseFrom: g!, refuseAll: i! },
      CRITICAL_PLUS: { refuseFrom: j!, refuseAll: k! + l! + h! },
    });
  });

describe('Thresholds', () => {
  it('refuse the less critical first, and CRITICAL from 1 on', () => {
    const thresholds = new Thresholds();
    const at = (utilization: number) =>
      CRITICALITIES.map((criticality) => thresholds.decide(criticality, utilization, 0.5));
    expect(at(0.8)).toEqual(['admit', 'admit', 'admit', 'admit']);
    expect(at(0.86)).toEqual(['refuse', 'admit', 'admit', 'admit']);
    expect(at(0.96)).toEqual(['refuse', 'refuse', 'admit', 'admit']);
    expect(at(1.05)).toEqual(['refuse', 'refuse', 'admit', 'admit']);
    expect(at(1.11)).toEqual(['refuse', 'refuse', 'refuse', 'admit']);
    expect(at(1.36)).toEqual(['refuse', 'refuse', 'refuse', 'refuse']);
  });

  it('refuse nobody at the first mark and everybody at the second', () => {
    const thresholds = new Thresholds();
    expect(thresholds.decide('CRITICAL', 1, 0)).toBe('admit');
    expect(thresholds.decide('CRITICAL', 1.2, 1 - Number.EPSILON)).toBe('refuse');
    expect(thresholds.refusedShare('CRITICAL', 1)).toBe(0);
    expect(thresholds.refusedShare('CRITICAL', 1.05)).toBeCloseTo(0.25, 12);
    expect(thresholds.refusedShare('CRITICAL', 1.2)).toBe(1);
    expect(thresholds.refusedShare('CRITICAL', 7)).toBe(1);
  });

  it('degrade before they refuse, and serve none in full where they refuse', () => {
    const thresholds = new Thresholds({ CRITICAL: { degradeFrom: 0.9 } });
    const at = (utilization: number) =>
      [0, 0.3, 0.6, 0.9].map((order) => thresholds.decide('CRITICAL', utilization, order));
    expect(at(0.9)).toEqual(['admit', 'admit', 'admit', 'admit']);
    expect(at(0.95)).toEqual(['degrade', 'degrade', 'admit', 'admit']);
    expect(at(1)).toEqual(['degrade', 'degrade', 'degrade', 'degrade']);
    expect(at(1.1)).toEqual(['refuse', 'refuse', 'degrade', 'degrade']);
    expect(at(1.2)).toEqual(['refuse', 'refuse', 'refuse', 'refuse']);
    expect(thresholds.decide('SHEDDABLE', 0.79, 0)).toBe('admit');
  });

  it('can degrade each criticality while the one below is refused', () => {
    const thresholds = new Thresholds(DEGRADING_THRESHOLDS);
    const at = (utilization: number) =>
      CRITICALITIES.map((criticality) => thresholds.decide(criticality, utilization, 0.4));
    expect(at(0.75)).toEqual(['degrade', 'admit', 'admit', 'admit']);
    expect(at(0.85)).toEqual(['refuse', 'degrade', 'admit', 'admit']);
    expect(at(0.95)).toEqual(['refuse', 'refuse', 'degrade', 'admit']);
    expect(at(1.1)).toEqual(['refuse', 'refuse', 'refuse', 'degrade']);
  });

  it('never refuse a request while a less critical one is served, nor a place before a lower one', () => {
    fc.assert(
      fc.property(
        anyThresholds,
        utilizations,
        orders,
        orders,
        criticalities,
        criticalities,
        (thresholds, u, x, y, a, b) => {
          const [lower, higher] = CRITICALITIES.indexOf(a) < CRITICALITIES.indexOf(b) ? [a, b] : [b, a];
          if (lower !== higher && thresholds.decide(higher, u, x) === 'refuse') {
            expect(thresholds.decide(lower, u, y)).toBe('refuse');
            expect(thresholds.refusedShare(lower, u)).toBe(1);
          }
          const [first, second] = x < y ? [x, y] : [y, x];
          const harshness = ['admit', 'degrade', 'refuse'];
          const place = (order: number) => harshness.indexOf(thresholds.decide(a, u, order));
          expect(place(first)).toBeGreaterThanOrEqual(place(second));
        },
      ),
    );
  });

  it('decide by the share they tell, which never falls as utilization rises', () => {
    fc.assert(
      fc.property(
        anyThresholds,
        utilizations,
        utilizations,
        orders,
        criticalities,
        (thresholds, u, v, x, criticality) => {
          const share = thresholds.refusedShare(criticality, u);
          expect(thresholds.decide(criticality, u, x) === 'refuse').toBe(x < share);
          const higher = thresholds.refusedShare(criticality, Math.max(u, v));
          expect(higher).toBeGreaterThanOrEqual(thresholds.refusedShare(criticality, Math.min(u, v)));
        },
      ),
    );
  });

  it('refuse nothing when utilization is no number', () => {
    const thresholds = new Thresholds(DEGRADING_THRESHOLDS);
    expect(thresholds.decide('SHEDDABLE', Number.NaN, 0)).toBe('admit');
    expect(thresholds.refusedShare('SHEDDABLE', Number.NaN)).toBe(0);
    expect(new Thresholds().decide('SHEDDABLE', Number.NaN, 0)).toBe('admit');
  });

  it('say what they would do', () => {
    const thresholds = new Thresholds({ CRITICAL: { degradeFrom: 0.9 } });
    const [sheddable, plus, critical, criticalPlus] = thresholds.explain(1.1);
    expect(sheddable).toMatchObject({
      criticality: 'SHEDDABLE',
      refuseFrom: 0.8,
      refuseAll: 0.9,
      refusedShare: 1,
    });
    expect(plus).toMatchObject({ criticality: 'SHEDDABLE_PLUS', degradedShare: 0, refusedShare: 1 });
    expect(critical).toMatchObject({ criticality: 'CRITICAL', degradeFrom: 0.9 });
    expect(critical!.refusedShare).toBeCloseTo(0.5, 12);
    expect(critical!.degradedShare).toBeCloseTo(0.5, 12);
    expect(criticalPlus).toMatchObject({ criticality: 'CRITICAL_PLUS', degradedShare: 0, refusedShare: 0 });
    expect(thresholds.explain(0.95)[2]!.degradedShare).toBeCloseTo(0.5, 12);
    expect(new Thresholds().explain(1.1)[2]!.degradedShare).toBe(0);
  });

  it('refuse options that make no order', () => {
    const made = (criticality: string, options: Partial<ThresholdOptions>) => () =>
      new Thresholds({ [criticality]: options });
    expect(made('CRITICAL', { refuseFrom: 1.2 })).toThrow(
      new RangeError('CRITICAL.refuseAll must be > its refuseFrom (1.2), got 1.2'),
    );
    expect(made('CRITICAL', { degradeFrom: 1.1 })).toThrow(
      'CRITICAL.degradeFrom must be <= its refuseFrom (1), got 1.1',
    );
    expect(made('CRITICAL', { refuseFrom: 0.99 })).toThrow(
      'CRITICAL.refuseFrom must be >= SHEDDABLE_PLUS.refuseAll (1), got 0.99',
    );
    expect(made('SHEDDABLE', { refuseAll: 0.95 })).toThrow(
      'SHEDDABLE_PLUS.refuseFrom must be >= SHEDDABLE.refuseAll (0.95), got 0.9',
    );
    expect(made('CRITICAL_PLUS', { degradeFrom: 0.5 })).toThrow(
      'CRITICAL_PLUS.degradeFrom must be >= CRITICAL.degradeFrom (1), got 0.5',
    );
    expect(made('SHEDDABLE', { refuseFrom: 0 })).toThrow(
      'SHEDDABLE.refuseFrom must be a finite number > 0, got 0',
    );
    expect(made('SHEDDABLE', { refuseAll: Number.NaN })).toThrow(
      'SHEDDABLE.refuseAll must be a finite number > 0, got NaN',
    );
    expect(made('SHEDDABLE', { degradeFrom: -1 })).toThrow(
      'SHEDDABLE.degradeFrom must be a finite number > 0, got -1',
    );
    expect(made('SHEDDABLE', { refuse: 1 } as object)).toThrow('SHEDDABLE has no option "refuse"');
    expect(made('BATCH', {})).toThrow('thresholds has no option "BATCH"');
  });
});

describe('shareBetween', () => {
  it('goes from 0 to 1 in a straight line, also where there is no way at all', () => {
    expect([1, 2, 2.5, 3, 4].map((utilization) => shareBetween(2, 3, utilization))).toEqual([
      0, 0, 0.5, 1, 1,
    ]);
    expect([1.9, 2, 2.1].map((utilization) => shareBetween(2, 2, utilization))).toEqual([0, 0, 1]);
  });
});
