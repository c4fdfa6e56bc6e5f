import { describe, expect, it } from 'vitest';
import { PROCESS_READINGS } from './process-readings.js';

const MB = 2 ** 20;

describe('PROCESS_READINGS', () => {
  it('tells of this process, in the units of its names', () => {
    const { user, system } = process.cpuUsage();
    expect(PROCESS_READINGS.cpuMs()).toBeGreaterThanOrEqual((user + system) / 1_000);
    expect(PROCESS_READINGS.cpuMs()).toBeLessThan((user + system) / 1_000 + 60_000);
    expect(Math.abs(PROCESS_READINGS.monotonicMs() - performance.now())).toBeLessThan(60_000);
    const { usedBytes, limitBytes } = PROCESS_READINGS.heap();
    expect(usedBytes).toBeGreaterThan(MB);
    expect(limitBytes).toBeGreaterThan(usedBytes);
    expect(PROCESS_READINGS.residentBytes()).toBeGreaterThan(10 * MB);
    expect(PROCESS_READINGS.limits().processors).toBeGreaterThan(0);
    const { active, idle } = PROCESS_READINGS.loopTime();
    expect(active).toBeGreaterThanOrEqual(0);
    expect(idle).toBeGreaterThanOrEqual(0);
  });
});
