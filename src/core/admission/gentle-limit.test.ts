import { describe, expect, it } from 'vitest';
import { ConcurrencyLimit } from './concurrency-limit.js';
import { ConcurrencyLimiter } from './concurrency-limiter.js';
import { GentleLimit } from './gentle-limit.js';

/** A limit that is set by hand, and the one that follows it. */
function make(limit: number) {
  const wanted = { limit, onSample() {} };
  return { wanted, limiter: new ConcurrencyLimiter(new GentleLimit(wanted)) };
}

function fill(limiter: ConcurrencyLimiter): number {
  let admitted = 0;
  while (limiter.tryAcquire(0)) admitted++;
  return admitted;
}

describe('a gentle limit', () => {
  it('goes down by half of what is done, so that as many go on being let in', () => {
    const { wanted, limiter } = make(100);
    expect(fill(limiter)).toBe(100);
    wanted.limit = 5;
    let admitted = 0;
    for (let done = 0; done < 100; done++) {
      limiter.release(0, 1);
      admitted += fill(limiter);
    }
    expect([admitted, limiter.limit, limiter.inFlight]).toEqual([50, 50, 50]);
    for (let done = 0; done < 90; done++) {
      limiter.release(0, 2);
      fill(limiter);
    }
    expect([limiter.limit, limiter.inFlight]).toEqual([5, 5]);
    limiter.release(0, 3);
    expect(fill(limiter)).toBe(1);
  });

  it('is low at once when few are under way', () => {
    const { wanted, limiter } = make(100);
    for (let i = 0; i < 3; i++) limiter.tryAcquire(0);
    wanted.limit = 2;
    limiter.release(0, 1);
    limiter.release(0, 1);
    expect(limiter.limit).toBe(2);
  });

  it('goes up at once', () => {
    const { wanted, limiter } = make(5);
    wanted.limit = 50;
    expect(fill(limiter)).toBe(50);
  });

  it('is bounded at once, and so is the other one', () => {
    const limiter = new ConcurrencyLimiter(new GentleLimit(new ConcurrencyLimit({ initialLimit: 150 })));
    limiter.boundBy(100);
    expect(limiter.limit).toBe(100);
    // What was learned besides is not forgotten by a bound that is higher.
    limiter.boundBy(120);
    expect(limiter.limit).toBe(100);
  });

  it('bounds what cannot be bounded no lower than it is', () => {
    const { limiter } = make(100);
    limiter.boundBy(10);
    expect(limiter.limit).toBe(100);
  });

  it('says what the other one knows', () => {
    const estimate = { knee: 1, baseMs: 1, latencyMs: 1, throughputPerSecond: 1, isDipping: false };
    const knowing = new GentleLimit({ limit: 1, onSample() {}, explain: () => estimate });
    expect(knowing.explain()).toBe(estimate);
    expect(make(1).limiter.explain().estimate).toBeUndefined();
  });
});
