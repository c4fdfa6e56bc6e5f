import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Conditions, ModelServer } from './concurrency-limit.contract.js';
import { CONCURRENCY_LIMIT_DEFAULTS, ConcurrencyLimit } from './concurrency-limit.js';
import { ConcurrencyLimiter } from './concurrency-limiter.js';

describe('ConcurrencyLimit', () => {
  test('idle for an hour means empty', () => {
    const limit = new ConcurrencyLimit({ initialLimit: 7 });
    const limiter = new ConcurrencyLimiter(limit);
    const now = saturate(limiter, 0, 10, (at) => at > 30_000);
    const learned = limit.limit;
    expect(learned).toBeGreaterThan(10);
    limiter.tryAcquire(now + 600_000);
    expect(limit.limit).toBe(learned);
    // A clock that seems to go back, and forth again, is no idle time.
    limiter.tryAcquire(now);
    limiter.tryAcquire(now + 1_200_000);
    expect(limit.limit).toBe(learned);
    limiter.tryAcquire(now + 1_200_000 + 3_600_000);
    expect(limit.limit).toBe(7);
    expect(limit.explain()).toBeUndefined();
  });

  test('is no higher than what others let through, and no lower than its own bound', () => {
    const limit = new ConcurrencyLimit({ initialLimit: 20, minLimit: 3 });
    const limits = [30, 10, 15, 0].map((most) => {
      limit.boundBy(most);
      return limit.limit;
    });
    expect(limits).toEqual([20, 10, 10, 3]);
  });

  test('idle in the middle of a dip: the dip is over, or forgotten', () => {
    const dipping = () => {
      const limiter = new ConcurrencyLimiter(new ConcurrencyLimit({ initialLimit: 10 }));
      const now = saturate(limiter, 0, 10, () => limiter.explain().estimate?.isDipping === true);
      for (let left = limiter.inFlight; left > 0; left--) limiter.cancel();
      return { limiter, now };
    };
    const soon = dipping();
    expect(soon.limiter.limit).toBe(6);
    expect(soon.limiter.tryAcquire(soon.now + 60_000)).toBe(true);
    expect(soon.limiter.explain().estimate?.isDipping).toBe(false);
    // So few came that it has measured nothing: what was known before holds.
    expect(soon.limiter.explain().estimate?.knee).toBeCloseTo(10, 0);
    expect(soon.limiter.limit).toBeGreaterThan(10);
    const late = dipping();
    late.limiter.tryAcquire(late.now + 3_600_000);
    late.limiter.tryAcquire(late.now + 3_660_000);
    expect(late.limiter.explain()).toEqual({ limit: 10, inFlight: 2, estimate: undefined });
  });

  test.each([300, 3])('having forgotten requests of %d ms, learns as if it were new', (formerMs) => {
    const options = { forgetAfterMs: 1_000 };
    const used = new ConcurrencyLimiter(new ConcurrencyLimit(options));
    // In the middle of an interval.
    saturate(used, 0, formerMs, (now) => now > 100_300);
    for (let left = used.inFlight; left > 0; left--) used.cancel();
    const fresh = new ConcurrencyLimiter(new ConcurrencyLimit(options));
    for (let second = 105; second <= 125; second++) {
      for (const limiter of [used, fresh]) {
        saturate(limiter, second * 1_000, 10, (now) => now >= second * 1_000 + 999);
        for (let left = limiter.inFlight; left > 0; left--) limiter.cancel();
      }
      expect(used.explain()).toEqual(fresh.explain());
    }
  });

  test('a first estimate takes 50 requests, more when they vary, and half a second', () => {
    const requestsUntilKnown = (conditions: Partial<Conditions>) => {
      const limit = new ConcurrencyLimit({ initialLimit: 1 });
      const model = new ModelServer(limit, { slots: 1, ...conditions });
      let requests = 0;
      while (limit.explain() === undefined) requests += model.run(0.1).done;
      return requests;
    };
    // Some are not counted, before which the server stood idle for longer than they take.
    const constant = requestsUntilKnown({ serviceMs: 50 });
    expect(constant).toBeGreaterThan(50);
    expect(constant).toBeLessThan(70);
    expect(requestsUntilKnown({ serviceMs: 50, times: 'exponential' })).toBeGreaterThan(100);
    // However much they seem to vary, after five seconds 150 are enough.
    expect(requestsUntilKnown({ serviceMs: 25, times: 'lognormal', sigma: 2 })).toBeLessThan(300);
    // Before that they are counted up to 2000.
    expect(requestsUntilKnown({ serviceMs: 1, times: 'lognormal', sigma: 2 })).toBeGreaterThan(1_500);
    expect(requestsUntilKnown({ serviceMs: 0.5 })).toBeGreaterThan(300);
  });

  test('a first estimate takes two requests for each that may run', () => {
    const limit = new ConcurrencyLimit({ initialLimit: 400 });
    // One done each millisecond.
    expect(
      saturate(new ConcurrencyLimiter(limit), 0, 10, () => limit.explain() !== undefined),
    ).toBeGreaterThan(800);
  });

  test('dips of a slow server take seconds, and are the rarer for it', () => {
    const limit = new ConcurrencyLimit();
    const model = new ModelServer(limit, { slots: 4, serviceMs: 500 });
    model.run(500);
    let dipping = 0;
    for (let second = 0; second < 2_000; second++) {
      model.run(1);
      if (limit.explain()!.isDipping) dipping++;
    }
    expect(dipping).toBeGreaterThan(20);
    expect(dipping).toBeLessThan(120);
  });

  test('requests that come in bunches do not make the server look slow', () => {
    const limit = new ConcurrencyLimit();
    const model = new ModelServer(limit, { bunch: 20, load: 1 });
    model.run(15);
    // Between two bunches it stands idle: less than 20 are in flight on average, though it could run 20.
    expect(model.run(60).throughput).toBeGreaterThan(0.5);
    expect(limit.explain()!.knee).toBeCloseTo(20, -1);
  });

  test('past its start it grows by a quarter at a time', () => {
    const limit = new ConcurrencyLimit();
    const model = new ModelServer(limit, { slots: 100 });
    model.run(20);
    model.become({ slots: 400 });
    let former = limit.limit;
    let most = 0;
    for (let step = 0; step < 600; step++) {
      const { limit: grown } = model.run(0.05);
      if (!limit.explain()!.isDipping && grown > former) {
        const { knee } = limit.explain()!;
        most = Math.max(most, grown / knee);
      }
      former = grown;
    }
    expect(limit.limit).toBeGreaterThan(380);
    expect(most).toBeCloseTo(1.25, 1);
  });

  test('a dip as low as it may go is not repeated', () => {
    const limit = new ConcurrencyLimit({ minLimit: 36, initialLimit: 80 });
    let lowestMs = 0;
    saturate(new ConcurrencyLimiter(limit), 0, 10, (now) => {
      if (limit.limit === 36) lowestMs++;
      return now > 1_000;
    });
    // One done each millisecond: 72 to measure, 36 before them, and some until there are 36 left.
    expect(lowestMs).toBeGreaterThan(108);
    expect(lowestMs).toBeLessThan(156);
  });

  test('explains what it rests on', () => {
    const limit = new ConcurrencyLimit();
    expect(limit.explain()).toBeUndefined();
    new ModelServer(limit).run(20);
    const { knee, baseMs, latencyMs, throughputPerSecond, isDipping } = limit.explain()!;
    expect(Math.abs(knee - 20)).toBeLessThan(1);
    expect(Math.abs(baseMs - 20)).toBeLessThan(1);
    expect(Math.abs(throughputPerSecond - 1_000)).toBeLessThan(10);
    expect(Math.abs(latencyMs - limit.limit)).toBeLessThan(2);
    expect(isDipping).toBe(false);
  });

  test('stays within its bounds, dips too', () => {
    const model = new ModelServer(new ConcurrencyLimit({ minLimit: 30, initialLimit: 30 }), {
      times: 'exponential',
    });
    expect(model.run(60)).toMatchObject({ smallest: 30 });
    const small = new ModelServer(new ConcurrencyLimit({ maxLimit: 10, initialLimit: 10 }), {
      times: 'exponential',
    });
    expect(small.run(60)).toMatchObject({ largest: 10 });
  });

  test('dips as often as asked, and early until three have agreed', () => {
    const dips = (dipEveryMs: number, fromMs: number, toMs: number) => {
      const limit = new ConcurrencyLimit({ dipEveryMs });
      const limiter = new ConcurrencyLimiter(limit);
      let count = 0;
      let wasDipping = false;
      saturate(limiter, 0, 10, (now) => {
        const isDipping = limit.explain()?.isDipping ?? false;
        if (isDipping && !wasDipping && now > fromMs) count++;
        wasDipping = isDipping;
        return now > toMs;
      });
      return count;
    };
    // Each takes a little, and begins at the end of an interval of half a second.
    // The first goes on deeper, from 20 to 6 in four steps.
    expect(dips(10_000, 0, 8_000)).toBe(2);
    expect(dips(10_000, 30_000, 90_000)).toBe(6);
    expect(dips(30_000, 30_000, 90_000)).toBe(2);
    expect(dips(1_000, 30_000, 90_000)).toBeGreaterThan(20);
  });

  test('requests that take no time teach nothing, whatever is said of when they began', () => {
    const limit = new ConcurrencyLimit({ initialLimit: 1 });
    const limiter = new ConcurrencyLimiter(limit);
    for (let now = 0; now < 5_000; now++) {
      limiter.tryAcquire(now);
      limiter.release(now - 50, now);
    }
    expect(limit.limit).toBe(1);
    expect(limit.explain()).toBeUndefined();
  });

  test('whatever happens, the limit is a whole number within its bounds', () => {
    const step = fc.record({
      waitMs: fc.oneof(
        fc.constant(0),
        fc.integer({ min: 0, max: 100 }),
        fc.constantFrom(-5, 0.25, 2_000, 700_000),
      ),
      arrivals: fc.nat(12),
      done: fc.nat(12),
      isCancelled: fc.boolean(),
      isWrong: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step), fc.integer({ min: 1, max: 9 }), (steps, initialLimit) => {
        const limit = new ConcurrencyLimit({ initialLimit, maxLimit: 50 });
        const limiter = new ConcurrencyLimiter(limit);
        let now = 0;
        for (let round = 0; round < 3; round++) {
          for (const { waitMs, arrivals, done, isCancelled, isWrong } of steps) {
            now += waitMs;
            for (let i = 0; i < arrivals; i++) limiter.tryAcquire(now);
            if (isCancelled && limiter.inFlight > 0) limiter.cancel();
            for (let i = 0; i < done && limiter.inFlight > 0; i++)
              limiter.release(isWrong ? now + 1 : now - 3, now);
            expect(Number.isInteger(limit.limit) && limit.limit >= 1 && limit.limit <= 50).toBe(true);
          }
        }
      }),
      { numRuns: 15 },
    );
  });

  test('refuses impossible options', () => {
    expect(new ConcurrencyLimit({}).limit).toBe(CONCURRENCY_LIMIT_DEFAULTS.initialLimit);
    const refused: [Parameters<typeof construct>[0], string][] = [
      [{ minLimit: 0 }, 'minLimit must be an integer >= 1, got 0'],
      [{ minLimit: 5, maxLimit: 4 }, 'maxLimit must be an integer >= 5, got 4'],
      [{ initialLimit: 0 }, 'initialLimit must be an integer from 1 to 10000, got 0'],
      [{ maxLimit: 10 }, 'initialLimit must be an integer from 1 to 10, got 20'],
      [{ dipEveryMs: 0 }, 'dipEveryMs must be a finite number > 0, got 0'],
      [{ forgetAfterMs: -1 }, 'forgetAfterMs must be a finite number > 0, got -1'],
      [{ limit: 3 } as object, 'concurrencyLimit has no option "limit"'],
    ];
    for (const [options, message] of refused) expect(() => construct(options)).toThrow(message);
  });
});

function construct(options: ConstructorParameters<typeof ConcurrencyLimit>[0]): ConcurrencyLimit {
  return new ConcurrencyLimit(options);
}

/**
 * A server that gets one done a millisecond, each after so many milliseconds at the least, and always has one more to
 * run. Returns the time at which the condition was met.
 */
function saturate(
  limiter: ConcurrencyLimiter,
  since: number,
  serviceMs: number,
  until: (now: number) => boolean,
): number {
  const started: number[] = [];
  for (let now = since; ; now++) {
    if (started.length > 0 && now - started[0]! >= serviceMs) limiter.release(started.shift()!, now);
    while (limiter.tryAcquire(now)) started.push(now);
    if (until(now)) return now;
  }
}
