import { describe, expect, it } from 'vitest';
import { MemoryPressure } from './memory-pressure.js';

const MB = 2 ** 20;
const HOUR = 3_600_000;

describe('MemoryPressure', () => {
  it('is what is used over nine tenths of the limit', () => {
    const memory = new MemoryPressure(1_000 * MB);
    for (let now = 0; now <= 60_000; now += 1_000) memory.observe(450 * MB, now);
    expect(memory.utilization(60_000)).toBeCloseTo(0.5, 9);
    const tight = new MemoryPressure(1_000 * MB, { target: 0.5 });
    for (let now = 0; now <= 60_000; now += 1_000) tight.observe(450 * MB, now);
    expect(tight.utilization(60_000)).toBeCloseTo(0.9, 9);
  });

  it('shows the mean of the saw-tooth that garbage makes', () => {
    const memory = new MemoryPressure(1_000 * MB, { target: 1 });
    // 400 … 590 MB, four teeth a second.
    for (let now = 0; now <= 20_000; now += 25) memory.observe((400 + (now % 250) * 0.8) * MB, now);
    expect(memory.utilization(20_000)).toBeGreaterThan(0.47);
    expect(memory.utilization(20_000)).toBeLessThan(0.51);
  });

  it('swallows a spike of 200 ms, not one that stays', () => {
    const memory = new MemoryPressure(1_000 * MB, { target: 1 });
    for (let now = 0; now <= 20_000; now += 1_000) memory.observe(500 * MB, now);
    memory.observe(1_000 * MB, 20_000);
    expect(memory.utilization(20_200)).toBeCloseTo(0.5 + 0.5 * (1 - Math.exp(-0.1)), 4);
    expect(memory.utilization(24_000)).toBeCloseTo(1 - 0.5 * Math.exp(-2), 4);
  });

  it('knows nothing before the first reading, and nothing after an hour without one', () => {
    const memory = new MemoryPressure(1_000 * MB);
    expect(memory.utilization(0)).toBe(0);
    memory.observe(900 * MB, 0);
    expect(memory.utilization(10_000)).toBeCloseTo(1, 1);
    expect(memory.utilization(10_001)).toBe(0);
    expect(memory.utilization(HOUR)).toBe(0);
  });

  it('takes a late reading as one of now and a broken one as 0', () => {
    const memory = new MemoryPressure(1_000 * MB, { target: 1 });
    memory.observe(500 * MB, 50_000);
    memory.observe(500 * MB, 45_000);
    expect(memory.utilization(60_000)).toBeCloseTo(0.5, 2);
    memory.observe(Number.NaN, 60_000);
    expect(memory.utilization(62_000)).toBeCloseTo(0.5 / Math.E, 2);
  });

  it('can have a name of its own', () => {
    expect(new MemoryPressure(1).name).toBe('memory');
    expect(new MemoryPressure(1, { name: 'heap' }).name).toBe('heap');
  });

  it('refuses impossible options', () => {
    expect(() => new MemoryPressure(0)).toThrow(
      new RangeError('limitBytes must be a finite number > 0, got 0'),
    );
    expect(() => new MemoryPressure(1, { target: 0 })).toThrow('target must be a finite number > 0, got 0');
    expect(() => new MemoryPressure(1, { decayMs: 0 })).toThrow('decayMs must be a finite number > 0, got 0');
    expect(() => new MemoryPressure(1, { expiryMs: -1 })).toThrow(
      'expiryMs must be a finite number > 0, got -1',
    );
    expect(() => new MemoryPressure(1, { limit: 2 } as object)).toThrow(
      'memoryPressure has no option "limit"',
    );
  });
});
