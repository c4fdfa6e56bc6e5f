import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LeakingQueue } from './leaking-queue.js';
import type { RateState } from './rate-algorithm.js';

describe('LeakingQueue', () => {
  const make = (limit: number, windowMs: number, burst?: number) => {
    const queue = new LeakingQueue({ limit, windowMs, burst });
    let state: RateState | undefined;
    return {
      queue,
      put: (now: number, cost = 1) => {
        const next = queue.schedule(state === undefined ? undefined : Object.freeze(state), now, cost);
        state = next.state;
        return next.place;
      },
      state: () => state!,
    };
  };

  it('lets requests out at a constant rate, whenever they come; what finds it full is refused', () => {
    const { put, queue, state } = make(2, 1_000, 3);
    // The first leaves at once, three wait.
    expect([1, 2, 3, 4].map(() => put(0).dueMs)).toEqual([0, 500, 1_000, 1_500]);
    expect(put(0)).toEqual({ dueMs: undefined, retryAfterMs: 500 });
    expect(put(499)).toEqual({ dueMs: undefined, retryAfterMs: 1 });
    expect(put(500)).toEqual({ dueMs: 2_000, retryAfterMs: 0 });
    expect(put(500).retryAfterMs).toBe(500);
    expect(queue.expiryMs(state())).toBe(2_500);
    // Idle for an hour it has earned nothing: again one at once.
    expect([1, 2].map(() => put(3_600_000).dueMs)).toEqual([3_600_000, 3_600_500]);
  });

  it('lets a limit’s worth wait by default', () => {
    const { put } = make(5, 1_000);
    const due = Array.from({ length: 9 }, () => put(0).dueMs);
    expect(due.filter((dueMs) => dueMs !== undefined)).toHaveLength(6);
  });

  it('counts costs as so many in a row', () => {
    const { put } = make(10, 1_000, 5);
    expect(put(0, 3).dueMs).toBe(0);
    expect(put(0, 3).dueMs).toBe(300);
    expect(put(0, 1)).toEqual({ dueMs: undefined, retryAfterMs: 100 });
    expect(put(0, 5)).toEqual({ dueMs: undefined, retryAfterMs: 500 });
    expect(put(0, 6)).toEqual({ dueMs: undefined, retryAfterMs: Number.POSITIVE_INFINITY });
    // What costs nothing keeps its place in the line.
    expect(put(0, 0)).toEqual({ dueMs: 600, retryAfterMs: 0 });
    expect(put(500, 5).dueMs).toBe(600);
    expect(put(0, 0).dueMs).toBe(1_100);
  });

  it('refuses numbers that cannot be', () => {
    const { put } = make(10, 1_000);
    expect(() => put(0, -1)).toThrow('cost must be an integer >= 0, got -1');
    expect(() => put(Number.NaN)).toThrow('now must be a finite number >= 0, got NaN');
    expect(() => make(1, 1_000, 0)).toThrow('burst must be an integer from 1 to');
  });

  const rate = fc.record({
    limit: fc.integer({ min: 1, max: 9 }),
    windowMs: fc.constantFrom(1, 7, 10, 60, 100),
    burst: fc.integer({ min: 1, max: 8 }),
  });
  const trace = fc.array(fc.tuple(fc.integer({ min: -5, max: 40 }), fc.nat(4)));

  it('keeps the order, and never has more due in a window than the limit', () => {
    fc.assert(
      fc.property(rate, fc.array(fc.nat(40)), ({ limit, windowMs, burst }, gaps) => {
        const { put } = make(limit, windowMs, burst);
        let now = 1_000;
        const due: number[] = [];
        for (const gapMs of gaps) {
          now += gapMs;
          const { dueMs } = put(now);
          if (dueMs === undefined) continue;
          expect(dueMs).toBeGreaterThanOrEqual(now);
          due.push(dueMs);
          const waiting = due.filter((otherMs) => otherMs > now);
          expect(waiting.length).toBeLessThanOrEqual(burst);
        }
        expect(due).toEqual(due.toSorted((a, b) => a - b));
        for (const fromMs of due) {
          const within = due.filter((dueMs) => dueMs >= fromMs && dueMs < fromMs + windowMs);
          expect(within.length).toBeLessThanOrEqual(limit);
        }
      }),
    );
  });

  it('says exactly when there is room, also when now has gone back, and changes nothing when refusing', () => {
    fc.assert(
      fc.property(rate, trace, (options, steps) => {
        const queue = new LeakingQueue(options);
        let state: RateState = [0, 0];
        let now = 1_000;
        for (const [gapMs, cost] of steps) {
          now += gapMs;
          const next = queue.schedule(state, now, cost);
          const { dueMs, retryAfterMs } = next.place;
          if (dueMs === undefined) {
            expect(next.state).toEqual(state);
            expect(retryAfterMs === Number.POSITIVE_INFINITY).toBe(cost > options.burst);
            if (cost > options.burst) continue;
            expect(queue.schedule(state, now + retryAfterMs, cost).place.dueMs).toBeDefined();
            expect(queue.schedule(state, now + retryAfterMs - 1, cost).place.dueMs).toBeUndefined();
          } else {
            expect(retryAfterMs).toBe(0);
            if (cost === 0) expect(next.state).toEqual(state);
          }
          state = next.state;
          const freshMs = Math.max(now, queue.expiryMs(state));
          expect(queue.schedule(state, freshMs, 1).place.dueMs).toBe(freshMs);
        }
      }),
    );
  });

  it('decides in place as it does purely', () => {
    fc.assert(
      fc.property(rate, trace, (options, steps) => {
        const queue = new LeakingQueue(options);
        const cells = new Float64Array([-1, -1, 0, 0, -1]);
        let state: RateState | undefined;
        let now = 1_000;
        for (const [gapMs, cost] of steps) {
          now += gapMs;
          const next = queue.schedule(state, now, cost);
          state = next.state;
          expect(queue.scheduleAt(cells, 2, now, cost)).toEqual(next.place);
        }
        expect(Array.from(cells)).toEqual([-1, -1, ...(state ?? [0, 0]), -1]);
      }),
    );
  });
});
