import { describe, expect, it } from 'vitest';
import { ExecutorLoad } from './executor-load.js';
import { Thresholds } from './thresholds.js';

describe('ExecutorLoad', () => {
  it('has the name by which reports tell it from others', () => {
    expect(new ExecutorLoad().name).toBe('executor-load');
  });

  it('swallows a short burst', () => {
    const load = new ExecutorLoad();
    load.setRunnable(0.5, 0);
    // One request fans out into 100 operations of 0.2 ms.
    for (let done = 0; done <= 100; done++) load.setRunnable(100 - done, 20_000 + done * 0.2);
    // 0.5 before, and 1,010 ms of runnable work over 2,000 ms, some of it 20 ms ago: not a full processor.
    expect(load.utilization(20_020)).toBeCloseTo(0.996_66, 5);
    load.setRunnable(0.5, 20_020);
    expect(load.utilization(22_020)).toBeCloseTo(0.5 + 0.496_66 / Math.E, 5);
    expect(load.utilization(40_000)).toBeCloseTo(0.5, 3);
  });

  it('does not swallow a lasting one', () => {
    const load = new ExecutorLoad();
    const thresholds = new Thresholds();
    load.setRunnable(10, 0);
    const verdictAt = (now: number) => thresholds.decide('CRITICAL', load.utilization(now), 0);
    expect(load.utilization(0)).toBe(0);
    expect(load.utilization(100)).toBeCloseTo(10 * (1 - Math.exp(-0.05)), 9);
    expect(verdictAt(210)).toBe('admit');
    expect(verdictAt(211)).toBe('refuse');
    expect(load.utilization(2_000)).toBeCloseTo(10 * (1 - 1 / Math.E), 9);
    load.setRunnable(0, 2_000);
    expect(verdictAt(5_600)).toBe('refuse');
    expect(verdictAt(5_700)).toBe('admit');
  });

  it('is against the processors there are, and what each of them may have', () => {
    const wide = new ExecutorLoad({ processors: 4, target: 2 });
    wide.setRunnable(16, 0);
    expect(wide.utilization(100_000)).toBe(2);
  });

  it('has forgotten all after an idle hour', () => {
    const load = new ExecutorLoad();
    load.setRunnable(1_000, 0);
    load.setRunnable(0, 60_000);
    expect(load.utilization(60_000 + 3_600_000)).toBe(0);
  });

  it('takes what is no count as 0', () => {
    const load = new ExecutorLoad();
    for (const broken of [Number.NaN, -5, Number.POSITIVE_INFINITY]) {
      load.setRunnable(4, 0);
      load.setRunnable(broken, 10_000);
      expect(load.utilization(100_000)).toBeCloseTo(0, 9);
    }
  });

  it('refuses impossible options', () => {
    expect(() => new ExecutorLoad({ processors: 0 })).toThrow(
      new RangeError('processors must be a finite number > 0, got 0'),
    );
    expect(() => new ExecutorLoad({ target: 0 })).toThrow('target must be a finite number > 0, got 0');
    expect(() => new ExecutorLoad({ decayMs: 0 })).toThrow('decayMs must be a finite number > 0, got 0');
    expect(() => new ExecutorLoad({ cpus: 1 } as object)).toThrow('executorLoad has no option "cpus"');
  });
});
