import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Alarm } from './alarm.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});

afterEach(() => {
  vi.useRealTimers();
});

function make() {
  const rings: number[] = [];
  const startMs = performance.now();
  const alarm = new Alarm(
    () => rings.push(performance.now() - startMs),
    () => performance.now() - startMs,
  );
  return { rings, alarm };
}

it('is one timer, set to the earliest', () => {
  const { rings, alarm } = make();
  for (const dueMs of [500, 300, 400]) alarm.set(dueMs);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(1_000);
  expect(rings).toEqual([300]);
  alarm.set(1_500);
  vi.advanceTimersByTime(1_000);
  expect(rings).toEqual([300, 1_500]);
});

it('rings every 10 ms at most, however much is due', () => {
  const { rings, alarm } = make();
  for (let ms = 0; ms < 100; ms++) {
    alarm.set(0);
    alarm.set(ms);
    vi.advanceTimersByTime(1);
  }
  expect(rings).toEqual([10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
});

it('is not set by what is never due, nor after its end', () => {
  const { rings, alarm } = make();
  alarm.set(Number.POSITIVE_INFINITY);
  expect(vi.getTimerCount()).toBe(0);
  alarm.set(100);
  alarm.close();
  alarm.set(50);
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(1_000);
  expect(rings).toEqual([]);
});
