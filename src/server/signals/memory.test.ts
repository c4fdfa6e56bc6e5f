import { describe, expect, it } from 'vitest';
import { Thresholds } from '../../core/index.js';
import { MemorySignal } from './memory.js';

const HOUR = 3_600_000;

function memory(options?: ConstructorParameters<typeof MemorySignal>[3]) {
  const use = { usedBytes: 0, limitBytes: 1_000 };
  const signal = new MemorySignal('heap', 100, () => use, options);
  let now = 0;
  /** So much is used until it shows in full. */
  const settle = (usedBytes: number, limitBytes = 1_000) => {
    Object.assign(use, { usedBytes, limitBytes });
    for (const until = now + 60_000; now < until; now += 1_000) signal.read(now);
    signal.read(now);
    return signal.utilization(now);
  };
  return { use, signal, settle, now: () => now };
}

describe('MemorySignal', () => {
  it('counts from what is normal to its target', () => {
    const { signal, settle, now } = memory();
    expect(signal).toMatchObject({ name: 'heap', intervalMs: 100 });
    expect(settle(600)).toBeCloseTo(0, 9);
    expect(settle(100)).toBe(0);
    expect(settle(750)).toBeCloseTo(0.5, 9);
    expect(signal.share(now())).toBeCloseTo(0.75, 9);
    expect(settle(900)).toBeCloseTo(1, 9);
    expect(memory({ normal: 0, target: 0.5 }).settle(250)).toBeCloseTo(0.5, 9);
  });

  it('refuses from 84 % of the limit on, half of CRITICAL at 93 %, and never everything', () => {
    const thresholds = new Thresholds();
    const { settle } = memory();
    const refused = (share: number) => {
      const utilization = settle(share * 1_000);
      return thresholds.explain(utilization).map(({ refusedShare }) => Number(refusedShare.toFixed(6)));
    };
    expect(refused(0.84)).toEqual([0, 0, 0, 0]);
    expect(refused(0.87)).toEqual([1, 0, 0, 0]);
    expect(refused(0.9)).toEqual([1, 1, 0, 0]);
    expect(refused(0.93)).toEqual([1, 1, 0.5, 0]);
    expect(refused(0.99)).toEqual([1, 1, 0.95, 0]);
    expect(refused(1.5)).toEqual([1, 1, 0.95, 0]);
  });

  it('goes with a limit that moves', () => {
    const { settle } = memory();
    expect(settle(900, 1_000)).toBeCloseTo(1, 9);
    expect(settle(900, 1_200)).toBeCloseTo(0.5, 9);
    expect(settle(900, Number.POSITIVE_INFINITY)).toBe(0);
    expect(settle(900, 0)).toBe(0);
  });

  it('swallows a spike, not one that stays', () => {
    const { use, signal, settle, now } = memory();
    settle(500);
    use.usedBytes = 1_000;
    signal.read(now());
    expect(signal.utilization(now() + 200)).toBe(0);
    expect(signal.utilization(now() + 4_000)).toBeGreaterThan(1);
  });

  it('knows nothing before the first reading, and nothing after an hour without one', () => {
    const { signal, settle, now } = memory();
    expect(signal.utilization(0)).toBe(0);
    settle(900);
    expect(signal.utilization(now() + HOUR)).toBe(0);
    expect(signal.share(now() + HOUR)).toBe(0);
  });

  it('refuses impossible options', () => {
    expect(() => memory({ target: 0 })).toThrow('target must be a finite number > 0, got 0');
    expect(() => memory({ most: 0 })).toThrow('most must be a finite number > 0, got 0');
    expect(() => memory({ normal: -0.1 })).toThrow('normal must be a finite number >= 0, got -0.1');
    expect(() => memory({ normal: 0.9 })).toThrow(new RangeError('normal must be < target (0.9), got 0.9'));
    expect(() => memory({ limit: 1 } as object)).toThrow('memory has no option "limit"');
  });
});
