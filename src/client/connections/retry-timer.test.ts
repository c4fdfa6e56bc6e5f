import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Backoff } from './backoff.js';
import { RetryTimer } from './retry-timer.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function setUp() {
  let runs = 0;
  const timer = new RetryTimer(new Backoff(() => 0.5, { firstMs: 100, factor: 2 }), () => runs++);
  const runsAfter = (ms: number) => {
    vi.advanceTimersByTime(ms);
    return runs;
  };
  return { timer, runsAfter };
}

it('waits longer each time, until it has worked', () => {
  const { timer, runsAfter } = setUp();
  timer.start();
  expect(runsAfter(99)).toBe(0);
  expect(runsAfter(1)).toBe(1);
  timer.start();
  expect(runsAfter(199)).toBe(1);
  expect(runsAfter(1)).toBe(2);
  timer.reset();
  timer.start();
  expect(runsAfter(100)).toBe(3);
});

it('runs once, however often it is started, and no wait is lost by that', () => {
  const { timer, runsAfter } = setUp();
  timer.start();
  timer.start();
  expect(runsAfter(10_000)).toBe(1);
  timer.start();
  expect(runsAfter(200)).toBe(2);
});

it('does nothing once it is stopped', () => {
  const { timer, runsAfter } = setUp();
  timer.start();
  timer.stop();
  timer.stop();
  expect(runsAfter(10_000)).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});
