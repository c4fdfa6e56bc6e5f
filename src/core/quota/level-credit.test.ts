import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../seeded-random.js';
import { LevelCredit } from './level-credit.js';

/** Passed a second, of so many requests a second that cost 1 each, in slots of 100 ms. */
function offer(credit: LevelCredit, perSecond: number, seconds: number, seed = 1): number {
  const random = new SeededRandom(seed);
  let passed = 0;
  for (let slot = 0; slot < seconds * 10; slot++) {
    credit.roll(0.1, perSecond, 1, 60);
    const count = Math.floor(perSecond / 10 + random.next());
    for (let request = 0; request < count; request++) if (credit.admit(random.next(), 1)) passed++;
  }
  return passed / seconds;
}

function held(level: number, demand: number): LevelCredit {
  const credit = new LevelCredit();
  credit.hold(2, level, demand);
  return credit;
}

describe('LevelCredit', () => {
  it.each([
    [100, 2_000],
    [100, 120],
    [0.5, 10],
    [5, 8],
  ])('lets %d a second pass of %d', (level, perSecond) => {
    expect(Math.abs(offer(held(level, 0), perSecond, 200) / level - 1)).toBeLessThan(0.03);
  });

  it('holds from the first moment, though the demand was measured as a twentieth', () => {
    const credit = held(10, 1);
    let passed = 0;
    for (let slot = 0; slot < 10; slot++) {
      credit.roll(0.1, 1, 1, 60);
      for (let request = 0; request < 20; request++) if (credit.admit(request / 20, 1)) passed++;
    }
    expect(passed).toBeLessThanOrEqual(11);
    expect(passed).toBeGreaterThanOrEqual(9);
  });

  it('begins in another phase at each backend: a thousand do not let one pass each at once', () => {
    const random = new SeededRandom(3);
    let passed = 0;
    for (let backend = 0; backend < 1_000; backend++) {
      const credit = held(0.5, 10);
      for (let slot = 0; slot < 10; slot++) {
        credit.roll(0.1, 0, 1, 60);
        for (let request = 0; request < 3; request++) if (credit.admit(random.next(), 1)) passed++;
      }
    }
    // 0.5 a second each.
    expect(Math.abs(passed - 500)).toBeLessThan(60);
  });

  it('refuses most by their place in the order, the same ones everywhere', () => {
    const credit = held(10, 100);
    credit.roll(1, 100, 1, 60);
    expect(credit.refusedShare).toBeGreaterThan(0.6);
    expect(credit.admit(credit.refusedShare - 0.01, 1)).toBe(false);
    credit.roll(10, 100, 1, 60);
    expect(credit.admit(0.99, 1)).toBe(true);
    // Also while there is credit for them: (10 + 10 saved up) × 1.5 of 100 pass.
    credit.roll(10, 100, 1, 60);
    expect(credit.refusedShare).toBeCloseTo(0.7, 12);
    expect([credit.admit(0.69, 1), credit.admit(0.71, 1)]).toEqual([false, true]);
  });

  it('refuses none by their place where little is wanted', () => {
    expect([0, 5, 14].map((demand) => held(10, demand).refusedShare)).toEqual([0, 0, 0]);
    expect(held(10, 30).refusedShare).toBe(0.5);
  });

  it('lets nothing pass at level 0, whatever the order says', () => {
    const credit = held(0, 0);
    credit.roll(1_000, 0, 1, 60);
    for (const order of [0, 0.5, 0.999, 1, 7, -1, Number.NaN]) expect(credit.admit(order, 1)).toBe(false);
  });

  it.each([7, -1, Number.NaN])('begins in the middle when the order is %d', (order) => {
    const credit = held(1, 0);
    credit.admit(order, 1);
    credit.roll(0.4, 0, 1, 60);
    expect(credit.admit(0.9, 1)).toBe(false);
    credit.roll(0.2, 0, 1, 60);
    expect(credit.admit(0.9, 1)).toBe(true);
  });

  it('keeps what it has when the level moves, not when another rank is held or it was released', () => {
    const credit = held(10, 0);
    credit.admit(0, 0);
    credit.correct(50);
    credit.hold(2, 11, 0);
    credit.roll(1, 0, 1, 60);
    expect(credit.admit(0.9, 1)).toBe(false);
    credit.hold(1, 10, 0);
    expect(credit.admit(0, 1)).toBe(false);
    credit.roll(0.1, 0, 1, 60);
    expect(credit.admit(0.9, 1)).toBe(true);
    credit.correct(50);
    credit.release();
    expect(credit.isHolding).toBe(false);
    credit.hold(1, 10, 0);
    credit.admit(0, 1);
    credit.roll(0.1, 0, 1, 60);
    expect(credit.admit(0.9, 1)).toBe(true);
  });

  it('forgives what is beyond the most that may be owed', () => {
    const credit = held(1, 0);
    credit.admit(0, 1);
    credit.correct(1_000);
    credit.roll(0, 0, 1, 10);
    credit.roll(10, 0, 1, 10);
    expect(credit.admit(0.9, 1)).toBe(false);
    credit.roll(1.1, 0, 1, 10);
    expect(credit.admit(0.9, 1)).toBe(true);
  });
});
