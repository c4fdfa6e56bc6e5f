import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  fixedLimit,
  type LimitAlgorithm,
  type LimitEstimate,
  type LimitSample,
} from './concurrency-limit-algorithm.js';
import { ConcurrencyLimiter } from './concurrency-limiter.js';

class Recorder implements LimitAlgorithm {
  limit = 2;
  readonly samples: LimitSample[] = [];

  onSample(sample: LimitSample): void {
    this.samples.push({ ...sample });
  }
}

describe('ConcurrencyLimiter', () => {
  test('lets as many run as the limit says, and another when one is done', () => {
    const limiter = new ConcurrencyLimiter(fixedLimit(2));
    expect([limiter.tryAcquire(0), limiter.tryAcquire(0), limiter.tryAcquire(0)]).toEqual([
      true,
      true,
      false,
    ]);
    expect(limiter.inFlight).toBe(2);
    limiter.release(0, 5);
    expect(limiter.inFlight).toBe(1);
    expect(limiter.tryAcquire(5)).toBe(true);
    expect(limiter.tryAcquire(5)).toBe(false);
  });

  test('a limit that sinks below what is in flight lets none in until enough are done', () => {
    const algorithm = new Recorder();
    const limiter = new ConcurrencyLimiter(algorithm);
    limiter.tryAcquire(0);
    limiter.tryAcquire(0);
    algorithm.limit = 1;
    expect(limiter.limit).toBe(1);
    limiter.release(0, 1);
    expect(limiter.tryAcquire(1)).toBe(false);
    limiter.release(0, 2);
    expect(limiter.tryAcquire(2)).toBe(true);
  });

  test('tells the algorithm before it asks it', () => {
    const opened: LimitAlgorithm & { limit: number } = {
      limit: 1,
      onSample: ({ now }) => {
        opened.limit = now >= 10 ? 2 : 1;
      },
    };
    const limiter = new ConcurrencyLimiter(opened);
    limiter.tryAcquire(0);
    expect(limiter.tryAcquire(9)).toBe(false);
    expect(limiter.tryAcquire(10)).toBe(true);
  });

  test('cuts time into pieces of equal numbers in flight, refusals and all', () => {
    const algorithm = new Recorder();
    const limiter = new ConcurrencyLimiter(algorithm);
    limiter.tryAcquire(1);
    limiter.tryAcquire(2);
    limiter.tryAcquire(3);
    limiter.release(1, 7);
    limiter.tryAcquire(8);
    expect(algorithm.samples).toEqual([
      { now: 1, inFlight: 0, isDone: false, latencyMs: 0 },
      { now: 2, inFlight: 1, isDone: false, latencyMs: 0 },
      { now: 3, inFlight: 2, isDone: false, latencyMs: 0 },
      { now: 7, inFlight: 2, isDone: true, latencyMs: 6 },
      { now: 8, inFlight: 1, isDone: false, latencyMs: 0 },
    ]);
  });

  test('a clock that seems to go back makes no negative latency', () => {
    const algorithm = new Recorder();
    const limiter = new ConcurrencyLimiter(algorithm);
    limiter.tryAcquire(10);
    limiter.release(10, 9);
    expect(algorithm.samples[1]).toEqual({ now: 9, inFlight: 1, isDone: true, latencyMs: 0 });
  });

  test('what was cancelled has neither run nor taken a place', () => {
    const algorithm = new Recorder();
    const limiter = new ConcurrencyLimiter(algorithm);
    limiter.tryAcquire(0);
    limiter.tryAcquire(0);
    limiter.cancel();
    expect(limiter.inFlight).toBe(1);
    limiter.release(0, 10);
    // The piece of time before the end of the other counts one in flight, not two; and only one is done.
    expect(algorithm.samples.at(-1)).toEqual({ now: 10, inFlight: 1, isDone: true, latencyMs: 10 });
    expect(algorithm.samples.filter(({ isDone }) => isDone)).toHaveLength(1);
  });

  test('to acquire and cancel is as if it had never happened', () => {
    const event = fc.record({ waitMs: fc.nat(20), isArrival: fc.boolean(), isCancelled: fc.boolean() });
    fc.assert(
      fc.property(fc.array(event), (events) => {
        expect(replay(events, true)).toEqual(replay(events, false));
      }),
    );
  });

  test('refuses a release or cancel too many', () => {
    const limiter = new ConcurrencyLimiter(fixedLimit(1));
    const message = 'a request was released that was not acquired';
    expect(() => limiter.release(0, 0)).toThrow(message);
    expect(() => limiter.cancel()).toThrow(message);
    limiter.tryAcquire(0);
    limiter.release(0, 1);
    expect(() => limiter.release(0, 1)).toThrow(message);
    expect(limiter.inFlight).toBe(0);
  });

  test('a fixed limit is what it is, whatever else bounds', () => {
    const fixed = new ConcurrencyLimiter(fixedLimit(3));
    fixed.boundBy(1);
    expect(fixed.limit).toBe(3);
  });

  test('explains itself', () => {
    const fixed = new ConcurrencyLimiter(fixedLimit(3));
    fixed.tryAcquire(0);
    expect(fixed.explain()).toEqual({ limit: 3, inFlight: 1, estimate: undefined });
    const estimate: LimitEstimate = {
      knee: 1,
      baseMs: 2,
      latencyMs: 3,
      throughputPerSecond: 500,
      isDipping: false,
    };
    const adaptive = new ConcurrencyLimiter({ limit: 9, onSample() {}, explain: () => estimate });
    expect(adaptive.explain()).toEqual({ limit: 9, inFlight: 0, estimate });
  });
});

/** Time × number in flight, requests done and what was granted. */
function replay(
  events: readonly { waitMs: number; isArrival: boolean; isCancelled: boolean }[],
  areCancelledTried: boolean,
) {
  let since = 0;
  let inFlightMs = 0;
  let done = 0;
  const limiter = new ConcurrencyLimiter({
    limit: 3,
    onSample(sample) {
      inFlightMs += sample.inFlight * (sample.now - since);
      since = sample.now;
      if (sample.isDone) done++;
    },
  });
  const grants: boolean[] = [];
  let now = 0;
  for (const { waitMs, isArrival, isCancelled } of events) {
    now += waitMs;
    if (isCancelled) {
      if (areCancelledTried && limiter.tryAcquire(now)) limiter.cancel();
    } else if (isArrival) grants.push(limiter.tryAcquire(now));
    else if (limiter.inFlight > 0) limiter.release(0, now);
  }
  // Closes the last piece.
  limiter.tryAcquire(now);
  return { inFlightMs, done, grants, inFlight: limiter.inFlight };
}
