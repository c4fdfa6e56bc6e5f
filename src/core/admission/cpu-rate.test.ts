import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CpuRate } from './cpu-rate.js';

const HOUR = 3_600_000;

/** Uses `share` of one processor for a while, read every 50 ms. */
function use(cpu: CpuRate, share: number, fromMs: number, toMs: number, usedMs = 0): number {
  let total = usedMs;
  cpu.observe(total, fromMs);
  for (let now = fromMs + 50; now <= toMs; now += 50) {
    total += 50 * share;
    cpu.observe(total, now);
  }
  return total;
}

describe('CpuRate', () => {
  it('has the name by which reports tell it from others', () => {
    expect(new CpuRate().name).toBe('cpu');
  });

  it('is the rate over what is reserved, against 80 % of it', () => {
    const cpu = new CpuRate({ processors: 2 });
    use(cpu, 1.2, 0, 30_000);
    expect(cpu.utilization(30_000)).toBeCloseTo(1.2 / 2 / 0.8, 9);
  });

  it('follows a change by 63 % in a second, however often it is read', () => {
    const cpu = new CpuRate({ target: 1 });
    const used = use(cpu, 0.2, 0, 30_000);
    expect(cpu.utilization(30_000)).toBeCloseTo(0.2, 9);
    cpu.observe(used + 1_000, 31_000);
    expect(cpu.utilization(31_000)).toBeCloseTo(1 - 0.8 / Math.E, 9);
    const often = new CpuRate({ target: 1 });
    use(often, 1, 30_000, 31_000, use(often, 0.2, 0, 30_000));
    expect(often.utilization(31_000)).toBeCloseTo(1 - 0.8 / Math.E, 9);
  });

  it('swallows a short burst, not a lasting one', () => {
    const cpu = new CpuRate();
    const used = use(cpu, 0.5, 0, 30_000);
    cpu.observe(used + 150, 30_150);
    expect(cpu.utilization(30_150)).toBeCloseTo((1 - 0.5 * Math.exp(-0.15)) / 0.8, 9);
    expect(cpu.utilization(30_150)).toBeLessThan(0.75);
    cpu.observe(used + 2_000, 32_000);
    expect(cpu.utilization(32_000)).toBeCloseTo((1 - 0.5 * Math.exp(-2)) / 0.8, 9);
    expect(cpu.utilization(32_000)).toBeGreaterThan(1);
  });

  it('says nothing before it has two readings', () => {
    const cpu = new CpuRate();
    expect(cpu.utilization(0)).toBe(0);
    cpu.observe(60_000, 1_000);
    expect(cpu.utilization(1_000)).toBe(0);
    cpu.observe(60_100, 1_100);
    expect(cpu.utilization(1_100)).toBeGreaterThan(0);
  });

  it('measures from anew when the counter goes back', () => {
    const cpu = new CpuRate({ target: 1 });
    use(cpu, 0.5, 0, 10_000);
    cpu.observe(3, 10_100);
    expect(cpu.utilization(10_100)).toBeCloseTo(0.5, 4);
    cpu.observe(3 + 5_000, 20_100);
    expect(cpu.utilization(20_100)).toBeCloseTo(0.5, 4);
  });

  it('takes two readings in one instant, late and broken ones for nothing', () => {
    const cpu = new CpuRate({ target: 1 });
    const used = use(cpu, 0.5, 0, 10_000);
    cpu.observe(used + 900, 10_000);
    cpu.observe(used + 900, 9_000);
    cpu.observe(Number.NaN, 10_050);
    expect(cpu.utilization(10_000)).toBeCloseTo(0.5, 4);
    cpu.observe(used + 100, 10_100);
    expect(cpu.utilization(10_100)).toBeCloseTo(1 - 0.5 * Math.exp(-0.1), 4);
  });

  it('is idle after an idle hour, whether it was read meanwhile or not', () => {
    const cpu = new CpuRate();
    const used = use(cpu, 1, 0, 10_000);
    expect(cpu.utilization(20_000)).toBeCloseTo(1.25, 3);
    expect(cpu.utilization(20_001)).toBe(0);
    cpu.observe(used, 10_000 + HOUR);
    expect(cpu.utilization(10_000 + HOUR)).toBe(0);
  });

  it('is never negative nor above the highest rate that was measured', () => {
    const step = fc.record({
      passedMs: fc.integer({ min: -50, max: 2_000 }),
      usedMs: fc.integer({ min: -500, max: 4_000 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30, size: 'max' }), (steps) => {
        const cpu = new CpuRate({ target: 1 });
        let now = 0;
        let total = 0;
        let highest = 0;
        let at = Number.NEGATIVE_INFINITY;
        let before = 0;
        for (const { passedMs, usedMs } of steps) {
          now += passedMs;
          total += usedMs;
          cpu.observe(total, now);
          if (now > at) {
            if (total >= before) highest = Math.max(highest, (total - before) / (now - at));
            at = now;
            before = total;
          }
          const utilization = cpu.utilization(now);
          if (!(utilization >= 0 && utilization <= highest + 1e-9)) return false;
        }
        return true;
      }),
    );
  });

  it('refuses impossible options', () => {
    expect(() => new CpuRate({ processors: 0 })).toThrow(
      new RangeError('processors must be a finite number > 0, got 0'),
    );
    expect(() => new CpuRate({ target: -1 })).toThrow('target must be a finite number > 0, got -1');
    expect(() => new CpuRate({ decayMs: Number.NaN })).toThrow(
      'decayMs must be a finite number > 0, got NaN',
    );
    expect(() => new CpuRate({ expiryMs: 0 })).toThrow('expiryMs must be a finite number > 0, got 0');
    expect(() => new CpuRate({ cores: 2 } as object)).toThrow('cpuRate has no option "cores"');
  });
});
