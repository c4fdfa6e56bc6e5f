import { describe, expect, it } from 'vitest';
import { CpuScale } from './cpu-scale.js';

describe('CpuScale', () => {
  it('is 1 before anything was observed, and after the first reading, which says nothing yet', () => {
    const scale = new CpuScale();
    expect(scale.value).toBe(1);
    scale.observe(500, 1_000, 0);
    expect(scale.value).toBe(1);
  });

  it('is the CPU in a busy millisecond', () => {
    const scale = new CpuScale();
    scale.observe(10_000, 20_000, 0);
    scale.observe(10_300, 20_400, 1_000);
    expect(scale.value).toBe(0.75);
  });

  it('is never above 1', () => {
    const scale = new CpuScale();
    scale.observe(0, 0, 0);
    scale.observe(500, 400, 1_000);
    expect(scale.value).toBe(1);
  });

  it('follows a neighbour that has come', () => {
    const scale = new CpuScale();
    scale.observe(0, 0, 0);
    for (let second = 1; second <= 60; second++) scale.observe(second * 500, second * 500, second * 1_000);
    for (let second = 1; second <= 5; second++) {
      scale.observe(30_000 + second * 250, 30_000 + second * 500, (60 + second) * 1_000);
    }
    // 1/e of the old is left after 5 s.
    expect(scale.value).toBeCloseTo(0.5 + 0.5 * Math.exp(-1), 2);
  });

  it('hardly minds a second with next to no work', () => {
    const scale = new CpuScale();
    scale.observe(0, 0, 0);
    for (let second = 1; second <= 10; second++) scale.observe(second * 400, second * 500, second * 1_000);
    scale.observe(4_000, 5_001, 11_000);
    expect(scale.value).toBeCloseTo(0.8, 3);
  });

  it('has forgotten a neighbour after an idle hour', () => {
    const scale = new CpuScale();
    scale.observe(0, 0, 0);
    scale.observe(100, 1_000, 1_000);
    expect(scale.value).toBe(0.1);
    scale.observe(100.5, 1_000.5, 3_601_000);
    expect(scale.value).toBeCloseTo(1, 9);
  });

  it('does not believe counters that go back', () => {
    const scale = new CpuScale();
    scale.observe(100, 100, 0);
    scale.observe(180, 200, 1_000);
    scale.observe(0, 0, 2_000);
    expect(scale.value).toBeCloseTo(0.8, 9);
    scale.observe(80, 100, 3_000);
    expect(scale.value).toBeCloseTo(0.8, 9);
  });
});
