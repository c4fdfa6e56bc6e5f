import { describe, expect, it } from 'vitest';
import { RUN_QUEUE_DEFAULTS } from './run-queue-options.js';
import { WaitBound } from './wait-bound.js';

const [SHEDDABLE, SHEDDABLE_PLUS, CRITICAL, CRITICAL_PLUS] = [0, 1, 2, 3];
const ALL = [SHEDDABLE, SHEDDABLE_PLUS, CRITICAL, CRITICAL_PLUS];

const bounds = (bound: WaitBound, now: number) => ALL.map((rank) => bound.boundMs(rank, now));

describe('WaitBound', () => {
  it('counts for each criticality what runs before it', () => {
    const bound = new WaitBound(RUN_QUEUE_DEFAULTS);
    for (const rank of [CRITICAL, CRITICAL, SHEDDABLE, CRITICAL_PLUS]) bound.onEnter(rank, 0);
    expect(ALL.map((rank) => bound.ahead(rank))).toEqual([4, 3, 3, 1]);
    bound.onLeave(CRITICAL);
    expect(ALL.map((rank) => bound.ahead(rank))).toEqual([3, 2, 2, 1]);
  });

  it('is tight once something has waited all the time for 100 ms, and wide when nothing waits', () => {
    const bound = new WaitBound(RUN_QUEUE_DEFAULTS);
    expect(bounds(bound, 3_600_000)).toEqual([100, 100, 100, 100]);
    bound.onEnter(CRITICAL_PLUS, 50);
    bound.onEnter(CRITICAL_PLUS, 120);
    bound.onLeave(CRITICAL_PLUS);
    expect(bounds(bound, 149.9)).toEqual([100, 100, 100, 100]);
    expect(bounds(bound, 150)).toEqual([10, 10, 10, 10]);
    bound.onLeave(CRITICAL_PLUS);
    expect(bounds(bound, 150)).toEqual([100, 100, 100, 100]);
    bound.onEnter(CRITICAL_PLUS, 151);
    expect(bounds(bound, 250)).toEqual([100, 100, 100, 100]);
    expect(bounds(bound, 251)).toEqual([10, 10, 10, 10]);
  });

  it('does not hold against critical requests that sheddable ones starve', () => {
    const bound = new WaitBound(RUN_QUEUE_DEFAULTS);
    bound.onEnter(SHEDDABLE_PLUS, 0);
    for (let now = 0; now < 1_000; now += 10) {
      bound.onEnter(CRITICAL, now);
      bound.onLeave(CRITICAL);
    }
    bound.onEnter(CRITICAL, 1_000);
    expect(bounds(bound, 1_000)).toEqual([10, 10, 100, 100]);
  });

  it('holds a standing queue of critical requests against all that are less critical', () => {
    const bound = new WaitBound(RUN_QUEUE_DEFAULTS);
    bound.onEnter(CRITICAL, 0);
    bound.onEnter(SHEDDABLE, 100);
    expect(bounds(bound, 100)).toEqual([10, 10, 10, 100]);
  });

  it('is exceeded by what is expected, and never with only one before', () => {
    const bound = new WaitBound(RUN_QUEUE_DEFAULTS);
    bound.onEnter(CRITICAL, 0);
    expect(bound.isExceeded(CRITICAL, 50, 2, 99)).toBe(false);
    expect(bound.isExceeded(CRITICAL, 51, 2, 99)).toBe(true);
    expect(bound.isExceeded(CRITICAL, 5, 2, 100)).toBe(false);
    expect(bound.isExceeded(CRITICAL, 6, 2, 100)).toBe(true);
    expect(bound.isExceeded(CRITICAL, 2, 10_000, 100)).toBe(true);
    expect(bound.isExceeded(CRITICAL, 1, 10_000, 100)).toBe(false);
    expect(bound.isExceeded(CRITICAL, 10_000, 0, 100)).toBe(false);
  });

  it('is tight only while the queue is longer than wanted, when told so', () => {
    const bound = new WaitBound({ ...RUN_QUEUE_DEFAULTS, tightWaitMs: 30, standingWaitMs: 30 });
    bound.intervalMs = 10;
    bound.onEnter(CRITICAL, 0);
    bound.onEnter(CRITICAL, 0);
    expect(bounds(bound, 1_000)).toEqual([100, 100, 100, 100]);
    bound.onEnter(CRITICAL, 1_000);
    expect(bounds(bound, 1_099)).toEqual([100, 100, 100, 100]);
    expect(bounds(bound, 1_100)).toEqual([30, 30, 30, 100]);
    // One more or less above the mark changes nothing, below it all is forgotten.
    bound.onEnter(CRITICAL, 1_100);
    bound.onLeave(CRITICAL);
    expect(bounds(bound, 1_100)).toEqual([30, 30, 30, 100]);
    bound.onLeave(CRITICAL);
    expect(bounds(bound, 1_100)).toEqual([100, 100, 100, 100]);
  });

  it('stretches all its bounds to what so many requests take, up to a second', () => {
    const bound = new WaitBound({
      ...RUN_QUEUE_DEFAULTS,
      standingWaitMs: 10,
      leastRequests: 8,
      maxAgeMs: 60,
    });
    bound.intervalMs = 1;
    expect([bound.tightWaitMs, bound.maxWaitMs, bound.maxAgeMs]).toEqual([10, 100, 60]);
    bound.intervalMs = 5;
    expect([bound.tightWaitMs, bound.maxWaitMs, bound.maxAgeMs]).toEqual([40, 400, 240]);
    for (let count = 0; count < 7; count++) bound.onEnter(CRITICAL, 0);
    expect(bounds(bound, 10_000)).toEqual([400, 400, 400, 400]); // 35 ms is not standing yet
    bound.onEnter(CRITICAL, 10_000);
    expect(bounds(bound, 10_399)).toEqual([400, 400, 400, 400]);
    expect(bounds(bound, 10_400)).toEqual([40, 40, 40, 400]);
    bound.intervalMs = 10_000;
    expect([bound.tightWaitMs, bound.maxWaitMs]).toEqual([1_000, 10_000]);
  });
});
