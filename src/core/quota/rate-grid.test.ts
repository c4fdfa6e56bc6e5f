import { describe, expect, it } from 'vitest';
import { RateGrid } from './rate-grid.js';

describe('RateGrid', () => {
  it('numbers slots by the clock', () => {
    const grid = new RateGrid(100, 2_000);
    expect([-1, 0, 99.9, 100, 3_600_000].map((now) => grid.slotOf(now))).toEqual([-1, 0, 0, 1, 36_000]);
  });

  it('keeps 37 % for the time of decay, in however many steps', () => {
    const grid = new RateGrid(100, 2_000);
    expect(grid.kept(20)).toBeCloseTo(1 / Math.E, 12);
    expect(grid.kept(1) ** 20).toBeCloseTo(1 / Math.E, 12);
    expect(grid.kept(Number.POSITIVE_INFINITY)).toBe(0);
  });

  it('turns a sum of steady additions into their rate, at each instant', () => {
    for (const [slotMs, decayMs] of [
      [100, 2_000],
      [250, 1_000],
      [1_000, 500],
    ] as const) {
      const grid = new RateGrid(slotMs, decayMs);
      // 7 a second, for long.
      let sum = 0;
      for (let slot = 0; slot < 500; slot++) sum = (sum + 7 * grid.slotSeconds) * grid.kept(1);
      expect(sum / grid.steadySeconds).toBeCloseTo(7, 9);
      for (const part of [0, 0.3, 0.99]) {
        const now = (500 + part) * slotMs;
        expect((sum + 7 * grid.slotSeconds * part) / grid.seconds(500, now)).toBeCloseTo(7, 9);
      }
    }
  });

  it('takes what comes late, or a slot that nobody has closed yet, as of the filling slot', () => {
    const grid = new RateGrid(100, 2_000);
    expect(grid.seconds(50, 4_000)).toBe(grid.steadySeconds);
    expect(grid.seconds(50, 9_000)).toBe(grid.steadySeconds + 0.1);
  });

  it('forgets when a billionth is left', () => {
    const grid = new RateGrid(100, 2_000);
    expect(grid.kept(grid.memorySlots)).toBeLessThanOrEqual(1e-9);
    expect(grid.kept(grid.memorySlots - 1)).toBeGreaterThan(1e-9);
  });

  it('puts an instant that is none into the first slot', () => {
    expect(new RateGrid(100, 2_000).slotOf(Number.NaN)).toBe(0);
  });
});
