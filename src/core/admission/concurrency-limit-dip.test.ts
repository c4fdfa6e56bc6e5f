import { describe, expect, test } from 'vitest';
import { Dip } from './concurrency-limit-dip.js';

const done = (now: number, inFlight: number) => ({ now, inFlight, isDone: true, latencyMs: 0 });
const came = (now: number, inFlight: number) => ({ now, inFlight, isDone: false, latencyMs: 0 });

/**
 * One done every `everyMs` with `inFlight` in flight, until the dip is over. Returns when that is and how many were
 * done.
 */
function drive(dip: Dip, inFlight: number, everyMs: number, sinceMs = 0) {
  for (let count = 1; count <= 100_000; count++) {
    const now = sinceMs + count * everyMs;
    if (dip.add(now - everyMs, done(now, inFlight))) return { now, count };
  }
  throw new Error('the dip goes on for ever');
}

describe('Dip', () => {
  test('waits for the drain and for a generation to pass, then measures the stay', () => {
    const dip = new Dip();
    dip.begin(10, 30, 1, 0);
    for (let left = 15; left > 10; left--) expect(dip.add(0, done(1, left))).toBe(false);
    expect(dip.done).toBe(0);
    // A start is no completion.
    expect(dip.add(1, came(2, 10))).toBe(false);
    expect(dip.add(2, done(3, 10))).toBe(false);
    expect(dip.done).toBe(0);
    for (let passed = 0; passed < 10; passed++) expect(dip.add(3, done(3, 10))).toBe(false);
    expect(dip.done).toBe(0);
    // 150 wanted; 10 in flight, one done every 2 ms: each stays 20 ms.
    expect(drive(dip, 10, 2, 3)).toEqual({ now: 303, count: 150 });
    expect(dip.measuredMs).toBeCloseTo(20, 10);
    expect(dip.level).toBe(10);
  });

  test('wants as many as the variation asks for: 30 at least, and no more than come in two seconds', () => {
    const wanted = (level: number, stayMs: number, variation: number) => {
      const dip = new Dip();
      dip.begin(level, stayMs, variation, 0);
      return drive(dip, level, stayMs / level).count - level - 1;
    };
    expect(wanted(10, 20, 0)).toBe(30);
    expect(wanted(10, 20, 0.5)).toBe(80);
    expect(wanted(10, 20, 1)).toBe(150);
    expect(wanted(10, 20, 20)).toBe(1_000);
    expect(wanted(1, 500, 20)).toBe(30);
  });

  test('wants whole generations, at least two', () => {
    const wanted = (level: number) => {
      const dip = new Dip();
      dip.begin(level, 20, 0, 0);
      return drive(dip, level, 20 / level).count - level - 1;
    };
    expect(wanted(7)).toBe(35);
    expect(wanted(12)).toBe(36);
    expect(wanted(400)).toBe(800);
  });

  test('measures bunched requests right, as a drain leaves them at constant times', () => {
    const dip = new Dip();
    dip.begin(4, 20, 0, 0);
    // Four done within 4 ms, then nothing for 16.
    let since = 0;
    let isOver = false;
    for (let round = 0; !isOver; round++) {
      for (let ms = 0; ms < 4 && !isOver; ms++) {
        const now = round * 20 + ms;
        isOver = dip.add(since, done(now, 4));
        since = now;
      }
    }
    expect(dip.measuredMs).toBeCloseTo(20, 10);
  });

  test('is over after four times the time it should take, also when nothing is done', () => {
    const dip = new Dip();
    dip.begin(10, 20, 0, 1_000);
    // (20 + (10 + 30) × 2) × 4 = 400.
    expect(dip.add(1_000, came(1_399, 30))).toBe(false);
    expect(dip.add(1_399, came(1_400, 30))).toBe(true);
  });

  test('four times slower than expected can be measured', () => {
    const dip = new Dip();
    dip.begin(10, 20, 0, 0);
    drive(dip, 10, 8);
    expect(dip.measuredMs).toBeCloseTo(80, 10);
  });

  test('fewer than ten say nothing: infinite when they hang, unknown when nobody came', () => {
    const measured = (count: number, inFlight: number) => {
      const dip = new Dip();
      dip.begin(10, 20, 0, 0);
      // The first completion and a generation after it only start the measurement.
      const all = 11 + count;
      for (let i = 0; i < all; i++) dip.add(i, done(i + 1, inFlight));
      expect(dip.add(all, came(10_000, inFlight))).toBe(true);
      return dip.measuredMs;
    };
    expect(measured(9, 10)).toBe(Number.POSITIVE_INFINITY);
    expect(measured(9, 9)).toBeUndefined();
    expect(measured(10, 10)).toBeLessThan(20_000);
  });

  test('is not misled by those that were there before, who end early', () => {
    const dip = new Dip();
    dip.begin(10, 20, 0, 0);
    // Ten that were nearly done when it began, then everybody stays for 20 ms.
    for (let i = 0; i <= 10; i++) dip.add(i * 0.1, done(i * 0.1 + 0.1, 10));
    drive(dip, 10, 2, 1.1);
    expect(dip.measuredMs).toBeCloseTo(20, 10);
  });

  test('begins anew', () => {
    const dip = new Dip();
    dip.begin(10, 20, 1, 0);
    drive(dip, 10, 2);
    dip.begin(5, 20, 0, 300);
    expect(dip.done).toBe(0);
    expect(dip.add(300, done(301, 6))).toBe(false);
    expect(dip.add(301, done(302, 6))).toBe(false);
    expect(dip.done).toBe(0);
    drive(dip, 5, 4, 302);
    expect(dip.measuredMs).toBeCloseTo(20, 10);
  });
});
