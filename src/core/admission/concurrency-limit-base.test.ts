import { describe, expect, test } from 'vitest';
import { BaseLatency } from './concurrency-limit-base.js';

/** After one dip of 100 requests. */
function measured(ms: number): BaseLatency {
  const base = new BaseLatency();
  base.onBusy(10 * ms);
  base.onDip(ms, 100, 10 * ms, false);
  return base;
}

describe('BaseLatency', () => {
  test('unknown, it is infinite; busy latencies bound it from above', () => {
    const base = new BaseLatency();
    expect(base.ms).toBe(Number.POSITIVE_INFINITY);
    base.onBusy(50);
    expect(base.ms).toBe(50);
    base.onBusy(80);
    expect(base.ms).toBe(50);
    base.onBusy(45.1);
    expect(base.ms).toBe(50);
    base.onBusy(44.9);
    expect(base.ms).toBe(44.9);
  });

  test('the first dip replaces the bound, if there is one', () => {
    expect(measured(20).ms).toBe(20);
    const unbounded = new BaseLatency();
    unbounded.onDip(20, 100, 200, false);
    expect(unbounded.ms).toBe(20);
  });

  test('dips that agree are averaged, and three make it known', () => {
    const base = measured(20);
    base.onDip(24, 100, 200, false);
    expect(base.ms).toBeCloseTo(22, 10);
    expect(base.isKnown).toBe(false);
    base.onDip(19, 100, 200, false);
    expect(base.ms).toBeCloseTo(21, 10);
    expect(base.isKnown).toBe(true);
  });

  test('those before weigh no more than six dips: it follows a slow drift', () => {
    const base = measured(20);
    for (let i = 0; i < 100; i++) base.onDip(20, 100, 200, false);
    base.onDip(27, 100, 200, false);
    expect(base.ms).toBeCloseTo(21, 10);
    for (let i = 0; i < 30; i++) base.onDip(25, 100, 200, false);
    expect(base.ms).toBeCloseTo(25, 1);
  });

  test('a dip with more requests weighs more', () => {
    const base = measured(20);
    base.onDip(24, 900, 200, false);
    expect(base.ms).toBeCloseTo(23.6, 10);
  });

  test('a dip far below is the truth', () => {
    const base = measured(20);
    for (let i = 0; i < 5; i++) base.onDip(20, 100, 200, false);
    base.onDip(14.9, 100, 200, false);
    expect(base.ms).toBe(14.9);
    expect(base.isKnown).toBe(false);
    base.onDip(15.1, 100, 200, false);
    expect(base.ms).toBeCloseTo(15, 10);
  });

  test('a dip far above is the truth when throughput has fallen, and noise otherwise', () => {
    const noise = measured(20);
    noise.onDip(40, 100, 200, false);
    expect(noise.ms).toBeCloseTo(30, 10);
    const truth = measured(20);
    truth.onDip(40, 100, 200, true);
    expect(truth.ms).toBe(40);
    const little = measured(20);
    little.onDip(28, 100, 200, true);
    expect(little.ms).toBeCloseTo(24, 10);
  });

  test('is never more than the stay of busy times, also when the dip found no end', () => {
    const base = measured(20);
    base.onDip(29, 100, 23, false);
    expect(base.ms).toBe(23);
    base.onDip(Number.POSITIVE_INFINITY, 0, 25, false);
    expect(base.ms).toBe(25);
    base.onDip(Number.POSITIVE_INFINITY, 1, 26, true);
    expect(base.ms).toBe(26);
  });

  test('a bound that falls undoes what dips have said', () => {
    const base = measured(20);
    base.onDip(20, 100, 200, false);
    base.onDip(20, 100, 200, false);
    base.onBusy(10);
    expect(base.ms).toBe(10);
    expect(base.isKnown).toBe(false);
    base.onDip(8, 100, 10, false);
    expect(base.ms).toBe(8);
  });

  test('is as new when cleared', () => {
    const base = measured(20);
    for (let i = 0; i < 5; i++) base.onDip(20, 100, 200, false);
    base.clear();
    expect(base.ms).toBe(Number.POSITIVE_INFINITY);
    expect(base.isKnown).toBe(false);
    base.onBusy(500);
    base.onDip(400, 10, 500, false);
    expect(base.ms).toBe(400);
  });
});
