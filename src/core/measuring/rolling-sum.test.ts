import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RollingSum } from './rolling-sum.js';

describe('RollingSum', () => {
  it('sums what lies within the window', () => {
    const sum = new RollingSum({ windowMs: 1_000, slots: 4 });
    expect(sum.total(0)).toBe(0);
    sum.add(0);
    sum.add(300, 5);
    sum.add(900, 10);
    expect(sum.total(900)).toBe(16);
    // The slot [0, 250) leaves when it lies wholly outside, at 1250 and not at 1000.
    expect(sum.total(1_249)).toBe(16);
    expect(sum.total(1_250)).toBe(15);
    expect(sum.total(1_500)).toBe(10);
    expect(sum.total(1_999)).toBe(10);
    expect(sum.total(2_000)).toBe(0);
  });

  it('is empty after an idle hour, whether it is read or written next', () => {
    const sum = new RollingSum({ windowMs: 60_000, slots: 6 });
    for (let now = 0; now < 60_000; now += 1_000) sum.add(now, 0.1);
    sum.add(59_000 + 3_600_000, 7);
    expect(sum.total(59_000 + 3_600_000)).toBe(7);
    expect(sum.total(59_000 + 2 * 3_600_000)).toBe(0);
  });

  it('covers at least the window and less than one slot more', () => {
    // Evenly, as `fc.double` is not: of all doubles up to 400 hardly any is above a millionth.
    const gap = fc.nat(4_000).map((tenths) => tenths / 10);
    const load = fc.record({ gap, amount: fc.nat(1_000) });
    fc.assert(
      fc.property(
        fc.array(load, { maxLength: 80, size: 'max' }),
        fc.integer({ min: 1, max: 12 }),
        fc.constantFrom(100, 700, 1_000, 3_333.3),
        (loads, slots, windowMs) => {
          const sum = new RollingSum({ windowMs, slots });
          const seen: { at: number; amount: number }[] = [];
          let now = 12_345;
          for (const { gap, amount } of loads) {
            now += gap;
            sum.add(now, amount);
            seen.push({ at: now, amount });
            const since = (start: number) =>
              seen.reduce((total, entry) => (entry.at >= start ? total + entry.amount : total), 0);
            expect(sum.total(now)).toBeGreaterThanOrEqual(since(now - windowMs));
            expect(sum.total(now)).toBeLessThanOrEqual(since(now - windowMs - windowMs / slots));
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  it('keeps an event of exactly windowMs ago, also when the slots do not divide the window', () => {
    // 100 / 3 and 100 / 11 are rounded: counting time in such slots gets some of these instants wrong.
    for (const slots of [1, 3, 11]) {
      for (let start = 0; start < 500; start++) {
        const sum = new RollingSum({ windowMs: 100, slots });
        sum.add(start);
        expect(sum.total(start + 100)).toBe(1);
        expect(sum.total(start + 100 + 100 / slots + 1e-9)).toBe(0);
      }
    }
  });

  it('leaves nothing of a fraction behind', () => {
    const sum = new RollingSum({ windowMs: 1_000, slots: 10 });
    for (let now = 0; now < 1_000; now += 50) sum.add(now, 0.1 + now / 7);
    let total = sum.total(1_000);
    for (let now = 1_000; now <= 2_100; now += 100) {
      expect(sum.total(now)).toBeLessThanOrEqual(total);
      total = sum.total(now);
    }
    expect(total).toBe(0);
  });

  it('does not lose a small amount to a large one that has left', () => {
    const sum = new RollingSum({ windowMs: 1_000, slots: 4 });
    sum.add(0, 1e16);
    sum.add(500, 1);
    expect(sum.total(1_250)).toBe(1);
  });

  it('counts a late event in the current slot', () => {
    const sum = new RollingSum({ windowMs: 1_000, slots: 4 });
    sum.add(1_000);
    sum.add(100, 5);
    expect(sum.total(50)).toBe(6);
    expect(sum.total(2_249)).toBe(6);
    expect(sum.total(2_250)).toBe(0);
  });
});
