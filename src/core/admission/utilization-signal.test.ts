import { describe, expect, it } from 'vitest';
import { believable, customSignal } from './utilization-signal.js';

describe('believable', () => {
  it('takes finite numbers from 0 on as they are, anything else as 0', () => {
    expect([0, 0.5, 1e300].map(believable)).toEqual([0, 0.5, 1e300]);
    expect([Number.NaN, -0.1, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].map(believable)).toEqual([
      0, 0, 0, 0,
    ]);
  });
});

describe('customSignal', () => {
  it('is a level over its target, read at each call', () => {
    const seen: number[] = [];
    const connections = customSignal(
      'connections',
      (now) => {
        seen.push(now);
        return 30 * seen.length;
      },
      40,
    );
    expect(connections.name).toBe('connections');
    expect(connections.utilization(5)).toBe(0.75);
    expect(connections.utilization(6)).toBe(1.5);
    expect(seen).toEqual([5, 6]);
  });

  it('has a target of 1 unless told', () => {
    expect(customSignal('own', () => 0.8).utilization(0)).toBe(0.8);
  });

  it('counts a broken reading as 0, and remembers that there were some', () => {
    const readings = [Number.NaN, -1, Number.POSITIVE_INFINITY, 0, 0.5];
    const signal = customSignal('broken', () => readings.shift()!);
    expect([0, 1, 2, 3, 4].map((now) => signal.utilization(now))).toEqual([0, 0, 0, 0, 0.5]);
    expect(signal.brokenReadings).toBe(3);
  });

  it('counts an exception as 0: it must not fail every request', () => {
    const signal = customSignal('throwing', () => {
      throw new Error('no such gauge');
    });
    expect(signal.utilization(0)).toBe(0);
    expect(signal.brokenReadings).toBe(1);
  });

  it('refuses an impossible target', () => {
    expect(() => customSignal('own', () => 1, 0)).toThrow(
      new RangeError('target must be a finite number > 0, got 0'),
    );
  });
});
