import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DecayingLevel } from './decaying-level.js';

describe('DecayingLevel', () => {
  it('swallows a short spike', () => {
    const load = new DecayingLevel({ decayMs: 1_000 });
    load.set(0, 1);
    load.set(10_000, 20);
    load.set(10_050, 1);
    // 1 + 19 · (1 − e^−0.05): a load of twenty for 50 ms looks like less than one more for a second.
    expect(load.value(10_050)).toBeCloseTo(1.926_64, 4);
    expect(load.value(11_050)).toBeCloseTo(1.340_89, 4);
  });

  it('shows a lasting one', () => {
    const load = new DecayingLevel({ decayMs: 1_000 });
    load.set(0, 20);
    expect(load.value(0)).toBe(0);
    expect(load.value(1_000)).toBeCloseTo(12.642_41, 5);
    expect(load.value(3_000)).toBeCloseTo(19.004_26, 5);
    expect(load.value(10_000)).toBeCloseTo(19.999_09, 5);
  });

  it('counts a level by how long it held, not by how often it was set', () => {
    const often = new DecayingLevel({ decayMs: 1_000 });
    const once = new DecayingLevel({ decayMs: 1_000 });
    for (let now = 0; now < 500; now++) often.set(now, 8);
    once.set(0, 8);
    expect(often.value(700)).toBeCloseTo(once.value(700), 10);
  });

  it('is the integral of the level, weighed by age', () => {
    const step = fc.record({
      heldMs: fc.nat(30_000).map((tenths) => tenths / 10),
      level: fc.nat(1_000).map((tenths) => tenths / 10),
    });
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 40, size: 'max' }),
        fc.integer({ min: 1, max: 5_000 }),
        (steps, decayMs) => {
          const load = new DecayingLevel({ decayMs });
          const held: { level: number; start: number; end: number }[] = [];
          let now = -700;
          for (const { level, heldMs } of steps) {
            load.set(now, level);
            held.push({ level, start: now, end: now + heldMs });
            now += heldMs;
          }
          let expected = 0;
          for (const { level, start, end } of held) {
            expected += level * (Math.exp(-(now - end) / decayMs) - Math.exp(-(now - start) / decayMs));
          }
          expect(load.value(now)).toBeCloseTo(expected, 8);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('has forgotten all after an idle hour, or is wholly at the level that held for it', () => {
    const load = new DecayingLevel({ decayMs: 10_000 });
    expect(load.value(0)).toBe(0);
    load.set(0, 50);
    load.set(60_000, 0);
    expect(load.value(60_000 + 3_600_000)).toBeLessThan(1e-100);
    load.set(60_000 + 3_600_000, 5);
    expect(load.value(60_000 + 2 * 3_600_000)).toBe(5);
  });

  it('takes a late level as one of now', () => {
    const load = new DecayingLevel({ decayMs: 1_000 });
    load.set(0, 0);
    load.set(5_000, 10);
    load.set(4_000, 20);
    expect(load.value(4_500)).toBe(0);
    expect(load.value(6_000)).toBeCloseTo(20 * (1 - 1 / Math.E), 10);
  });

  it('refuses an impossible decay', () => {
    expect(() => new DecayingLevel({ decayMs: Number.NaN })).toThrow(
      'decayMs must be a finite number > 0, got NaN',
    );
  });
});
