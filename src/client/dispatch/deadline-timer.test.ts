import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DeadlineTimer } from './deadline-timer.js';

/** A clock that is ahead of the timers by `skewMs`, as Node's are now and then by a part of a millisecond. */
function clock(skewMs = 0) {
  const startMs = Date.now();
  return {
    skewMs,
    monotonicMs() {
      return Date.now() - startMs + this.skewMs;
    },
    wallMs: () => Date.now(),
    random: () => 0,
  };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('DeadlineTimer', () => {
  it('says so at the deadline, once', () => {
    const passed = vi.fn();
    new DeadlineTimer(100, clock(), passed);
    vi.advanceTimersByTime(99);
    expect(passed).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(passed).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1_000);
    expect(passed).toHaveBeenCalledTimes(1);
  });

  it('is never early, whatever the timer thinks', () => {
    const environment = clock();
    const passed = vi.fn(() => expect(environment.monotonicMs()).toBeGreaterThanOrEqual(100));
    new DeadlineTimer(100, environment, passed);
    environment.skewMs = -0.3;
    vi.advanceTimersByTime(100);
    expect(passed).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(passed).toHaveBeenCalledTimes(1);
  });

  it('rounds up parts of a millisecond', () => {
    const passed = vi.fn();
    new DeadlineTimer(10.2, clock(), passed);
    vi.advanceTimersByTime(10);
    expect(passed).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(passed).toHaveBeenCalledTimes(1);
  });

  it('tells of one that has passed already, but not before the caller has the timer', () => {
    const passed = vi.fn();
    new DeadlineTimer(-5, clock(), passed);
    expect(passed).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(passed).toHaveBeenCalledTimes(1);
  });

  it('waits for a month that no timer can', () => {
    const monthMs = 40 * 86_400_000;
    const passed = vi.fn();
    new DeadlineTimer(monthMs, clock(), passed);
    vi.advanceTimersByTime(monthMs - 1);
    expect(passed).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(passed).toHaveBeenCalledTimes(1);
  });

  it('says nothing once it is cleared, and leaves no timer', () => {
    const passed = vi.fn();
    const timer = new DeadlineTimer(40 * 86_400_000, clock(), passed);
    // In its second turn.
    vi.advanceTimersByTime(30 * 86_400_000);
    timer.clear();
    timer.clear();
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(30 * 86_400_000);
    expect(passed).not.toHaveBeenCalled();
  });
});
