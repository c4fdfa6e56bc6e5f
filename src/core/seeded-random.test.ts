import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SeededRandom } from './seeded-random.js';

function take(count: number, draw: () => number): number[] {
  return Array.from({ length: count }, draw);
}

describe('SeededRandom', () => {
  it('gives the same numbers on every machine and version of Node', () => {
    const zero = new SeededRandom(0);
    expect(take(4, () => zero.uint32())).toEqual([3888109337, 3110402473, 3218590839, 1173650762]);
    const streamed = new SeededRandom(42, 7);
    expect(take(4, () => streamed.uint32())).toEqual([2292982339, 3048055334, 644279674, 2197838975]);
    const shuffled = new SeededRandom(1).shuffle([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(shuffled).toEqual([4, 7, 2, 5, 8, 3, 0, 1, 6, 9]);
  });

  it('makes 53 bits of two numbers', () => {
    // The upper 27 bits of one and the upper 26 of the next.
    const fraction = 3888109337 / 2 ** 32;
    const drawn = new SeededRandom(0).next();
    expect(drawn).toBe((Math.floor(fraction * 2 ** 27) * 2 ** 26 + (3110402473 >>> 6)) / 2 ** 53);
  });

  it('draws nothing for a shuffle of one', () => {
    const random = new SeededRandom(0);
    random.shuffle(['only']);
    expect(random.uint32()).toBe(3888109337);
  });

  it('tells seeds and streams apart, also beyond 32 bits', () => {
    const first = (seed: number, stream?: number) => new SeededRandom(seed, stream).uint32();
    expect(first(1)).not.toBe(first(2));
    expect(first(1)).not.toBe(first(1, 1));
    expect(first(5)).not.toBe(first(5 + 2 ** 32));
  });

  it('draws below a bound, evenly', () => {
    const random = new SeededRandom(3);
    const counts = new Array<number>(10).fill(0);
    for (let i = 0; i < 100_000; i++) counts[random.below(10)]!++;
    // 10,000 expected in each, σ ≈ 95: five σ leave one false alarm in a million seeds, and the seed is fixed.
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(475);
  });

  it('throws away the draws that would favour small numbers', () => {
    // 3 · 2^30: a quarter of all draws lie past the last multiple and must be drawn again.
    const random = new SeededRandom(9);
    const bound = 3 * 2 ** 30;
    const low = take(4_000, () => random.below(bound)).filter((drawn) => drawn < bound / 3).length;
    expect(low).toBeGreaterThan(1_200);
    expect(low).toBeLessThan(1_470);
  });

  it('throws away the first of them too', () => {
    // The first draw is the bound itself, and so the first past its last multiple.
    expect(new SeededRandom(0).below(3888109337)).toBe(3110402473);
  });

  it('refuses a bound it cannot draw below', () => {
    for (const bound of [0, -1, 1.5, Number.NaN, 2 ** 33]) {
      expect(() => new SeededRandom(1).below(bound)).toThrow('bound must be an integer from 1 to 4294967296');
    }
  });

  it('is uniform in [0, 1)', () => {
    const random = new SeededRandom(4);
    const drawn = take(100_000, () => random.next());
    expect(Math.min(...drawn.slice(0, 50_000))).toBeGreaterThanOrEqual(0);
    expect(Math.max(...drawn.slice(0, 50_000))).toBeLessThan(1);
    const mean = drawn.reduce((sum, value) => sum + value, 0) / drawn.length;
    expect(mean).toBeCloseTo(0.5, 2);
  });

  it('shuffles: the same items, in place', () => {
    fc.assert(
      fc.property(fc.integer(), fc.array(fc.integer()), (seed, items) => {
        const copy = [...items];
        expect(new SeededRandom(seed).shuffle(copy)).toBe(copy);
        expect(copy.toSorted()).toEqual(items.toSorted());
      }),
    );
  });
});
