import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../core/seeded-random.js';
import { Kernel } from '../kernel/kernel.js';
import { Neighbours, type NeighboursSpec } from './neighbours.js';

/** Every state that was applied, and when. */
function statesOf(spec: NeighboursSpec, endMs: number) {
  const kernel = new Kernel();
  const random = new SeededRandom(5);
  const states: { at: number; idleCores: number; slowdown: number }[] = [];
  const neighbours = new Neighbours(
    kernel,
    spec,
    () => random.next(),
    (idleCores, slowdown) => states.push({ at: kernel.now, idleCores, slowdown }),
  );
  expect(states).toEqual([]);
  neighbours.start();
  expect(states).toHaveLength(1);
  kernel.runUntil(endMs);
  return states;
}

const PREQUAL: NeighboursSpec = {
  busyShare: 0.2,
  idleCores: { uniform: { from: 0.5, to: 3 } },
  redrawMs: 30_000,
};

describe('Neighbours', () => {
  it('draws as often as it should what it should', () => {
    const states = statesOf(PREQUAL, 30_000 * 10_000);
    // Five standard deviations of a Poisson count, and of a share.
    expect(Math.abs(states.length - 10_000)).toBeLessThan(500);
    const busy = states.filter(({ idleCores }) => idleCores === 0);
    expect(Math.abs(busy.length / states.length - 0.2)).toBeLessThan(0.02);
    const idle = states.filter(({ idleCores }) => idleCores > 0).map(({ idleCores }) => idleCores);
    expect(Math.min(...idle)).toBeGreaterThanOrEqual(0.5);
    expect(Math.max(...idle)).toBeLessThan(3);
    expect(idle.reduce((sum, cores) => sum + cores, 0) / idle.length).toBeCloseTo(1.75, 1);
    expect(states.every(({ slowdown }) => slowdown === 1)).toBe(true);
  });

  it('leaves each state for an exponential time', () => {
    const states = statesOf(PREQUAL, 30_000 * 4_000);
    const gaps = states.slice(1).map(({ at }, index) => at - states[index]!.at);
    for (const share of [0.1, 1, 2]) {
      const longer = gaps.filter((gap) => gap > share * 30_000).length / gaps.length;
      expect(Math.abs(longer - Math.exp(-share))).toBeLessThan(0.04);
    }
  });

  it('makes work dearer only while busy, and never cheaper', () => {
    const slowdown = { uniform: { from: 0.5, to: 1.5 } };
    const states = statesOf({ ...PREQUAL, busyShare: 0.5, slowdown }, 30_000 * 1_000);
    for (const state of states) {
      expect(state.slowdown).toBeGreaterThanOrEqual(1);
      if (state.idleCores > 0) expect(state.slowdown).toBe(1);
    }
    const dearer = states.filter((state) => state.slowdown > 1);
    expect(Math.abs(dearer.length / states.length - 0.25)).toBeLessThan(0.07);
    expect(Math.max(...dearer.map((state) => state.slowdown))).toBeGreaterThan(1.4);
  });

  it('can be always busy, or never', () => {
    expect(statesOf({ ...PREQUAL, busyShare: 1 }, 3e6).every(({ idleCores }) => idleCores === 0)).toBe(true);
    expect(statesOf({ ...PREQUAL, busyShare: 0 }, 3e6).every(({ idleCores }) => idleCores > 0)).toBe(true);
  });

  it.each([
    [{ ...PREQUAL, busyShare: 1.5 }, 'neighbours.busyShare: Too big'],
    [{ ...PREQUAL, slowdown: 0.5 }, 'neighbours.slowdown: slowdown must be >= 1'],
    [{ ...PREQUAL, redrawMs: 0 }, 'neighbours.redrawMs: Too small'],
    [{ ...PREQUAL, idleCores: { uniform: 1 } }, 'neighbours.idleCores: uniform: Invalid input'],
    [{ ...PREQUAL, idle: 1 }, 'neighbours: Unrecognized key: "idle"'],
  ])('refuses %j', (spec, complaint) => {
    expect(() => statesOf(spec as NeighboursSpec, 1)).toThrow(complaint);
  });
});
