import { describe, expect, it } from 'vitest';
import { createSliceCpu } from './slice-cpu.js';

/** Moves by so many microseconds with each reading, in steps of so many. */
function usage(perReadingUs: number, stepUs: number) {
  let usedUs = 0;
  return () => {
    usedUs += perReadingUs;
    return { user: Math.floor(usedUs / stepUs) * stepUs, system: 0 };
  };
}

describe('createSliceCpu', () => {
  it('reads what the process has used, where Node does not know it of the thread', () => {
    const cpu = createSliceCpu({ cpuUsage: usage(1, 1) })!;
    expect(cpu()).toBeCloseTo(0.102, 9);
    expect(cpu()).toBeCloseTo(0.103, 9);
  });

  it('reads what the thread has used where Node knows it', () => {
    const never = () => {
      throw new Error('of the whole process');
    };
    expect(createSliceCpu({ cpuUsage: never, threadCpuUsage: usage(1, 1) })!()).toBeCloseTo(0.102, 9);
  });

  it.each([
    [1, 10_000, 'ticks of 10 ms'],
    [1, 15_625, 'ticks of 15.6 ms'],
    [150, 15_625, 'ticks, on a machine that is slow'],
    [0, 1, 'a clock that stands still'],
  ])('does not trust %d µs in steps of %d: %s', (perReadingUs, stepUs) => {
    expect(createSliceCpu({ cpuUsage: usage(perReadingUs, stepUs) })).toBeUndefined();
  });

  it('trusts one on a machine that is four times as fast', () => {
    expect(createSliceCpu({ cpuUsage: usage(0.2, 1) })).toBeDefined();
  });
});
