import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../core/seeded-random.js';
import { Kernel } from '../kernel/kernel.js';
import { Pauses, type PausesSpec } from './pauses.js';

function pausesOf(spec: PausesSpec, endMs: number) {
  const kernel = new Kernel();
  kernel.runUntil(1_000);
  const random = new SeededRandom(5);
  const pauses: { from: number; until: number }[] = [];
  const model = new Pauses(
    kernel,
    spec,
    () => random.next(),
    (until) => pauses.push({ from: kernel.now, until }),
  );
  model.start();
  expect(pauses).toEqual([]);
  kernel.runUntil(endMs);
  return pauses;
}

describe('Pauses', () => {
  it('come at exponential intervals, each counted from the end of the last', () => {
    const pauses = pausesOf({ everyMs: 100, forMs: { uniform: { from: 20, to: 60 } } }, 560_000);
    // One in 100 + 40 ms on average.
    expect(Math.abs(pauses.length - 4_000)).toBeLessThan(250);
    const gaps = pauses.map(({ from }, index) => from - (pauses[index - 1]?.until ?? 1_000));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(0);
    for (const share of [0.1, 1, 2]) {
      const longer = gaps.filter((gap) => gap > share * 100).length / gaps.length;
      expect(Math.abs(longer - Math.exp(-share))).toBeLessThan(0.04);
    }
    const lengths = pauses.map(({ from, until }) => until - from);
    expect(Math.min(...lengths)).toBeGreaterThanOrEqual(19.999);
    expect(lengths.reduce((sum, length) => sum + length, 0) / lengths.length).toBeCloseTo(40, 0);
  });

  it('may take no time at all', () => {
    const pauses = pausesOf({ everyMs: 100, forMs: 0 }, 10_000);
    expect(pauses.length).toBeGreaterThan(50);
    expect(pauses.every(({ from, until }) => from === until)).toBe(true);
  });

  it.each([
    [{ everyMs: 0, forMs: 1 }, 'pauses.everyMs: Too small'],
    [{ everyMs: 1, forMs: -1 }, 'pauses.forMs: Too small'],
    [{ everyMs: 1 }, 'pauses.forMs: '],
  ])('refuses %j', (spec, complaint) => {
    expect(() => pausesOf(spec as PausesSpec, 1_000)).toThrow(complaint);
  });
});
