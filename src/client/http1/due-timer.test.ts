import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DueTimer } from './due-timer.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  // First: what is watched here are the timers that are not real, and they would come back with them.
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const STEP_MS = 100;

/** Things that are due, and when it was looked for them. */
function watched(shortestMs = 10 * STEP_MS) {
  const due = new Set<number>();
  const looks: number[] = [];
  const ended: { dueMs: number; atMs: number }[] = [];
  const beganMs = performance.now();
  const nowMs = () => performance.now() - beganMs;
  const timer = new DueTimer(nowMs, shortestMs, (now) => {
    looks.push(now);
    for (const dueMs of due) if (dueMs <= now && due.delete(dueMs)) ended.push({ dueMs, atMs: now });
    return Math.min(...due);
  });
  const add = (dueMs: number) => {
    due.add(dueMs);
    timer.onDue(dueMs);
  };
  return { timer, add, due, looks, ended, nowMs };
}

describe('what is due', () => {
  it('ends after its time, and at most a step later', () => {
    const { add, ended } = watched();
    for (const dueMs of [1_000, 1_050, 2_500, 700, 10_000]) add(dueMs);
    vi.advanceTimersByTime(20_000);
    expect(ended.map(({ dueMs }) => dueMs).sort((a, b) => a - b)).toEqual([700, 1_000, 1_050, 2_500, 10_000]);
    for (const { dueMs, atMs } of ended) {
      expect(atMs).toBeGreaterThanOrEqual(dueMs);
      expect(atMs).toBeLessThanOrEqual(dueMs + STEP_MS);
    }
  });

  it('earlier than all others is not late', () => {
    const { add, ended } = watched();
    add(60_000);
    vi.advanceTimersByTime(100);
    add(200);
    vi.advanceTimersByTime(300);
    expect(ended).toEqual([{ dueMs: 200, atMs: 300 }]);
  });

  it('in the past ends within a step', () => {
    const { add, ended } = watched();
    vi.advanceTimersByTime(5_000);
    add(1);
    vi.advanceTimersByTime(STEP_MS);
    expect(ended).toEqual([{ dueMs: 1, atMs: 5_000 + STEP_MS }]);
  });

  it('never is not looked for', () => {
    const { add, looks } = watched();
    add(Number.POSITIVE_INFINITY);
    vi.advanceTimersByTime(100_000);
    expect([looks, vi.getTimerCount()]).toEqual([[], 0]);
  });

  it('in a thousand years is not looked for at once', () => {
    const { add, looks } = watched();
    add(1e15);
    vi.advanceTimersByTime(60_000);
    expect(looks).toEqual([]);
    vi.advanceTimersByTime(2 ** 31);
    expect(looks).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(1);
  });
});

describe('its one timer', () => {
  it('is not set again for what is due later', () => {
    const { add, looks } = watched();
    const set = vi.spyOn(globalThis, 'setTimeout');
    for (let i = 0; i < 1_000; i++) add(1_000 + i);
    expect(set).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(3_000);
    // One for each step of the second in which they end.
    expect(looks.length).toBeLessThanOrEqual(11);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('ends no sooner than a millisecond later, and looks no more rarely than every quarter of a second', () => {
    for (const [shortestMs, stepMs] of [
      [0, 1],
      [5, 1],
      [100, 10],
      [1_000_000, 250],
    ] as const) {
      const { add, ended, nowMs } = watched(shortestMs);
      add(nowMs() + 1_000);
      vi.advanceTimersByTime(2_000);
      expect(ended[0]!.atMs - ended[0]!.dueMs).toBe(stepMs);
    }
  });

  it('does not keep a process', () => {
    const { add } = watched();
    const set = vi.spyOn(globalThis, 'setTimeout');
    add(1_000);
    expect((set.mock.results[0]!.value as NodeJS.Timeout).hasRef()).toBe(false);
  });

  it('is over when it is stopped', () => {
    const { timer, add, looks } = watched();
    add(1_000);
    timer.stop();
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(10_000);
    expect(looks).toEqual([]);
    // And can be begun anew.
    add(20_000);
    expect(vi.getTimerCount()).toBe(1);
  });
});
