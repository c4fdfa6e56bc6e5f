import { describe, expect, it } from 'vitest';
import { ProcessCpu } from './process-cpu.js';

const HOUR = 3_600_000;

function cpuOf(processors: number) {
  const source = { cpuMs: 0, processors };
  const cpu = new ProcessCpu(() => source.cpuMs, source);
  /** Uses a constant number of processors for a time, read every 100 ms. */
  const use = (used: number, fromMs: number, toMs: number) => {
    for (let now = fromMs; now <= toMs; now += 100) {
      cpu.read(now);
      source.cpuMs += used * 100;
    }
  };
  return { source, cpu, use };
}

describe('ProcessCpu', () => {
  it('is the share of the processors that is used', () => {
    const { cpu, use } = cpuOf(2);
    expect(cpu).toMatchObject({ name: 'cpu', intervalMs: 100 });
    use(1.5, 0, 20_000);
    expect(cpu.utilization(20_000)).toBeCloseTo(0.75, 6);
  });

  it('comes to a new rate within seconds', () => {
    const { cpu, use } = cpuOf(1);
    use(0, 0, 9_900);
    use(1, 10_000, 11_000);
    expect(cpu.utilization(11_000)).toBeCloseTo(1 - 1 / Math.E, 6);
  });

  it('does not count what was used before the first reading', () => {
    const { source, cpu } = cpuOf(1);
    source.cpuMs = 1e6;
    cpu.read(1_000);
    cpu.read(1_100);
    expect(cpu.utilization(1_100)).toBe(0);
  });

  it('measures in what was reserved at the time', () => {
    const { source, cpu, use } = cpuOf(1);
    use(1, 0, 20_000);
    expect(cpu.utilization(20_000)).toBeCloseTo(1, 6);
    source.processors = 2;
    use(1, 20_100, 40_000);
    expect(cpu.utilization(40_000)).toBeCloseTo(0.5, 6);
    // The change itself is no peak, as it would be if the total were divided.
    source.processors = 0.5;
    cpu.read(40_100);
    expect(cpu.utilization(40_100)).toBeCloseTo(2 + (0.5 - 2) * Math.exp(-0.1), 6);
  });

  it.each([
    ['a counter that began anew', 0],
    ['a broken one', Number.NaN],
  ])('measures nothing by %s', (_, total) => {
    const { source, cpu, use } = cpuOf(1);
    use(0.5, 0, 20_000);
    source.cpuMs = total;
    cpu.read(20_100);
    source.cpuMs = 50;
    cpu.read(20_200);
    expect(cpu.utilization(20_200)).toBeLessThan(0.5);
    expect(cpu.utilization(20_200)).toBeGreaterThan(0.4);
  });

  it('knows nothing after an hour without a reading', () => {
    const { cpu, use } = cpuOf(1);
    use(1, 0, 10_000);
    expect(cpu.utilization(20_000)).toBeGreaterThan(0.99);
    expect(cpu.utilization(20_001)).toBe(0);
    expect(cpu.utilization(HOUR)).toBe(0);
  });
});
