import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CRITICALITIES } from '../criticality.js';
import type { Lesson } from '../outcome.js';
import { SeededRandom } from '../seeded-random.js';
import { AdaptiveThrottle, type ThrottleOptions } from './adaptive-throttle.js';
import type { ThrottleStats } from './throttle-stats.js';

/** A throttle of one key whose chance is whatever `draw` says: 1 admits whenever anything can, 0 refuses. */
class Bench {
  draw = 1;
  draws = 0;
  readonly throttle: AdaptiveThrottle;
  readonly stats: ThrottleStats;

  constructor(options?: Partial<ThrottleOptions>) {
    this.throttle = new AdaptiveThrottle(() => {
      this.draws++;
      return this.draw;
    }, options);
    this.stats = this.throttle.statsOf('users', 'mobile', 'CRITICAL');
  }

  settle(lesson: Lesson['throttle'], times: number, now = 0): void {
    for (let i = 0; i < times; i++) this.throttle.settle(this.stats, lesson, now);
  }

  admit(now = 0): boolean {
    return this.throttle.admit(this.stats, now);
  }

  refuse(times: number, now = 0): void {
    this.draw = 0;
    let refused = 0;
    for (let i = 0; i < times; i++) if (!this.admit(now)) refused++;
    expect(refused).toBe(times);
    this.draw = 1;
  }

  explain(now = 0) {
    return this.throttle.explain(this.stats, now);
  }
}

describe('the probability of a local refusal', () => {
  it.each([
    // Under normal conditions both are equal; up to K times the accepts nothing is refused.
    { k: 2, accepts: 100, rejects: 0, expected: 0 },
    { k: 2, accepts: 50, rejects: 49, expected: 0 },
    { k: 2, accepts: 50, rejects: 50, expected: 0 },
    { k: 2, accepts: 50, rejects: 51, expected: 1 / 102 },
    { k: 2, accepts: 40, rejects: 60, expected: 20 / 101 },
    { k: 2, accepts: 10, rejects: 90, expected: 80 / 101 },
    { k: 2, accepts: 0, rejects: 999, expected: 999 / 1000 },
    { k: 1.1, accepts: 100, rejects: 10, expected: 0 },
    { k: 1.1, accepts: 100, rejects: 11, expected: 1 / 112 },
    { k: 1.1, accepts: 50, rejects: 50, expected: 45 / 101 },
    { k: 4, accepts: 25, rejects: 75, expected: 0 },
    { k: 4, accepts: 20, rejects: 80, expected: 20 / 101 },
  ])('K = $k, $accepts accepted, $rejects rejected: $expected', ({ k, accepts, rejects, expected }) => {
    const bench = new Bench({ k });
    bench.settle('accepted', accepts);
    bench.settle('rejected', rejects);
    expect(bench.explain()).toMatchObject({ requests: accepts + rejects, accepts, rejects, k });
    expect(bench.explain().probability).toBeCloseTo(expected, 12);
  });

  it('grows with the requests that are refused here', () => {
    const bench = new Bench();
    bench.settle('accepted', 10);
    bench.settle('rejected', 30);
    expect(bench.explain().probability).toBe(20 / 41);
    bench.refuse(60);
    expect(bench.explain()).toEqual({
      service: 'users',
      customer: 'mobile',
      criticality: 'CRITICAL',
      requests: 100,
      accepts: 10,
      rejects: 30,
      localRefusals: 60,
      k: 2,
      probability: 80 / 101,
    });
  });

  it('is what chance is compared with', () => {
    const bench = new Bench();
    bench.settle('accepted', 10);
    bench.settle('rejected', 30);
    bench.draw = 20 / 41;
    expect(bench.admit()).toBe(true);
    bench.draw = 20 / 41 - 1e-9;
    expect(bench.admit()).toBe(false);
  });

  it('is 0 below 20 requests, whatever became of them', () => {
    const bench = new Bench();
    bench.draw = 0;
    for (let sent = 0; sent < 20; sent++) {
      expect(bench.explain().probability).toBe(0);
      expect(bench.admit()).toBe(true);
      bench.settle('rejected', 1);
    }
    expect(bench.draws).toBe(0);
    expect(bench.explain().probability).toBe(20 / 21);
    expect(bench.admit()).toBe(false);
  });

  it('follows the formula from the first request if told so', () => {
    const bench = new Bench({ minimumRequests: 0 });
    expect(bench.explain().probability).toBe(0);
    bench.settle('rejected', 1);
    expect(bench.explain().probability).toBe(1 / 2);
  });

  it('is never 1: a client that is refused everything still sends about one request per window', () => {
    const random = new SeededRandom(3);
    const throttle = new AdaptiveThrottle(() => random.next());
    const stats = throttle.statsOf('users', 'mobile', 'CRITICAL');
    const WINDOWS = 40;
    let sent = 0;
    for (let now = 0; now < (WINDOWS + 2) * 120_000; now += 100) {
      if (!throttle.admit(stats, now)) continue;
      throttle.settle(stats, 'rejected', now);
      if (now >= 240_000) sent++;
    }
    // 40 expected, give or take √40.
    expect(sent / WINDOWS).toBeGreaterThan(0.5);
    expect(sent / WINDOWS).toBeLessThan(1.5);
  });
});

describe('what is counted', () => {
  it('is a request whose outcome is known, not one under way', () => {
    const bench = new Bench();
    bench.draw = 0;
    let admitted = 0;
    for (let i = 0; i < 1_000; i++) if (bench.admit()) admitted++;
    expect(admitted).toBe(1_000);
    expect(bench.explain()).toMatchObject({ requests: 0, probability: 0 });
    bench.settle('rejected', 30);
    expect(bench.explain()).toMatchObject({ requests: 30, rejects: 30, localRefusals: 0 });
  });

  it('is a customer over its limit, as a reject', () => {
    const bench = new Bench();
    bench.settle('rejected-customer', 30);
    expect(bench.explain()).toMatchObject({ requests: 30, rejects: 30, probability: 30 / 31 });
  });

  it('is kept apart by service, customer and criticality', () => {
    const throttle = new AdaptiveThrottle(() => 0);
    const keys = [
      ['users', 'mobile'],
      ['users', 'web'],
      ['posts', 'mobile'],
    ].flatMap(([service, customer]) =>
      CRITICALITIES.map((criticality) => [service!, customer!, criticality] as const),
    );
    const overloaded = throttle.statsOf('users', 'mobile', 'SHEDDABLE');
    for (let i = 0; i < 100; i++) throttle.settle(overloaded, 'rejected', 0);
    const refused = keys.filter((key) => !throttle.admit(throttle.statsOf(...key), 0));
    expect(refused).toEqual([['users', 'mobile', 'SHEDDABLE']]);
  });

  it('leaves after two minutes', () => {
    const bench = new Bench();
    bench.settle('rejected', 100, 1_000);
    bench.refuse(100, 60_000);
    expect(bench.explain(120_999).requests).toBe(200);
    expect(bench.explain(125_000)).toMatchObject({ requests: 100, rejects: 0, localRefusals: 100 });
    expect(bench.explain(184_999).requests).toBe(100);
    expect(bench.explain(185_000)).toMatchObject({ requests: 0, probability: 0 });
  });

  it('is nothing after an idle hour', () => {
    const bench = new Bench();
    bench.settle('rejected', 1_000);
    bench.draw = 0;
    expect(bench.admit(1)).toBe(false);
    expect(bench.admit(3_600_000)).toBe(true);
    expect(bench.explain(3_600_000)).toMatchObject({ requests: 0, rejects: 0, localRefusals: 0 });
  });

  it('is safe to be told when the table has dropped it meanwhile', () => {
    const throttle = new AdaptiveThrottle(() => 0.5, { maxKeys: 1 });
    const underWay = throttle.statsOf('users', 'mobile', 'CRITICAL');
    expect(throttle.admit(underWay, 0)).toBe(true);
    const other = throttle.statsOf('users', 'web', 'CRITICAL');
    throttle.settle(underWay, 'accepted', 1);
    expect(throttle.explain(underWay, 1)).toMatchObject({ customer: 'mobile', accepts: 1 });
    expect([...throttle.recent()]).toEqual([other]);
    const again = throttle.statsOf('users', 'mobile', 'CRITICAL');
    expect(throttle.explain(again, 1)).toMatchObject({ customer: 'mobile', requests: 0 });
  });

  it('is nothing of a request that teaches nothing', () => {
    const lesson = fc.constantFrom('accepted', 'rejected', 'rejected-customer', 'refused-here', 'nothing');
    const step = fc.record({
      lesson,
      afterMs: fc.nat({ max: 8_000 }),
      times: fc.integer({ min: 1, max: 9 }),
      isVisited: fc.boolean(),
    });
    const recovery = fc.constantFrom('window', 'streak');
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), recovery, (steps, recovery) => {
        const plain = new Bench({ recovery, windowMs: 60_000 });
        const visited = new Bench({ recovery, windowMs: 60_000 });
        let now = 0;
        let isAlwaysAdmitted = true;
        for (const { lesson, afterMs, times, isVisited } of steps) {
          now += afterMs;
          for (let i = 0; i < times; i++) {
            // Sent, and then the caller gave up, or no connection was to be had.
            if (isVisited) {
              if (!visited.admit(now)) isAlwaysAdmitted = false;
              visited.settle('not-counted', 1, now + 30_000);
            }
            for (const bench of [plain, visited]) {
              bench.draw = lesson === 'refused-here' ? 0 : 1;
              const isAdmitted = bench.admit(now);
              bench.draw = 1;
              if (isAdmitted && lesson !== 'nothing' && lesson !== 'refused-here')
                bench.settle(lesson, 1, now);
            }
          }
          expect(visited.explain(now)).toEqual(plain.explain(now));
        }
        expect(isAlwaysAdmitted).toBe(true);
      }),
    );
  });
});

describe('recovery by streak', () => {
  /** 20 accepted and 180 refused, by a backend or here: with K = 2 the next is refused with 160/201. */
  function overloaded(k = 2) {
    const bench = new Bench({ recovery: 'streak', k });
    bench.settle('accepted', 20);
    bench.settle('rejected', 21);
    bench.refuse(159);
    return bench;
  }

  function accept(bench: Bench, times: number, sinceMs: number, everyMs = 1_000) {
    for (let i = 0; i < times; i++) bench.settle('accepted', 1, sinceMs + i * everyMs);
    return bench.explain(sinceMs + (times - 1) * everyMs).k;
  }

  it('doubles K after 7 accepts in a row, and again, until all is sent', () => {
    const bench = overloaded();
    expect(bench.explain().probability).toBe(160 / 201);
    expect(accept(bench, 6, 1_000)).toBe(2);
    expect(accept(bench, 1, 7_000)).toBe(4);
    expect(bench.explain(7_000)).toMatchObject({ requests: 207, probability: (207 - 4 * 27) / 208 });
    expect(accept(bench, 7, 8_000)).toBe(8);
    expect(bench.explain(14_000).probability).toBe(0);
    expect(accept(bench, 70, 15_000, 100)).toBe(8);
  });

  it('takes 49 accepts with K = 1.1', () => {
    const bench = overloaded(1.1);
    expect(accept(bench, 48, 1_000)).toBe(1.1);
    expect(accept(bench, 1, 49_000)).toBe(2.2);
  });

  it('is not for 7 accepts within less than a slot', () => {
    const bench = overloaded();
    expect(accept(bench, 100, 1_000, 40)).toBe(2);
    expect(accept(bench, 1, 5_999)).toBe(2);
    expect(accept(bench, 1, 6_000)).toBe(4);
  });

  it('is over with a reject, which takes one step back', () => {
    const bench = overloaded();
    accept(bench, 6, 1_000);
    bench.settle('rejected', 1, 7_000);
    expect(accept(bench, 6, 8_000)).toBe(2);
    expect(accept(bench, 1, 14_000)).toBe(4);
    expect(accept(bench, 7, 15_000)).toBe(8);
    bench.settle('rejected-customer', 1, 22_000);
    expect(bench.explain(22_000).k).toBe(4);
    bench.settle('rejected', 5, 22_000);
    expect(bench.explain(22_000)).toMatchObject({ k: 2, accepts: 40, rejects: 28, localRefusals: 159 });
  });

  it('is not broken by requests that are refused here, or teach nothing', () => {
    const bench = overloaded();
    for (let now = 1_000; now <= 7_000; now += 1_000) {
      bench.refuse(3, now);
      bench.settle('not-counted', 3, now);
      bench.settle('accepted', 1, now);
    }
    expect(bench.explain(7_000).k).toBe(4);
  });

  it('is forgotten after an idle hour', () => {
    const bench = overloaded();
    expect(accept(bench, 13, 1_000)).toBe(4);
    expect(bench.explain(3_600_000)).toMatchObject({ requests: 0, k: 2 });
  });

  it('sends 20 requests per window in the worst outage', () => {
    const bench = new Bench({ recovery: 'streak' });
    bench.settle('rejected', 100);
    expect(bench.explain().probability).toBe(80 / 101);
    bench.settle('accepted', 10);
    expect(bench.explain().probability).toBe(90 / 111);
    bench.settle('accepted', 1);
    expect(bench.explain().probability).toBe(89 / 112);
  });

  it('is off unless asked for', () => {
    const bench = new Bench();
    bench.settle('accepted', 20);
    bench.settle('rejected', 180);
    expect(accept(bench, 100, 1_000, 200)).toBe(2);
  });

  it.each(['window', 'streak'] as const)('%s: holds the ratio against a limit by the second', (recovery) => {
    // 50 a second are accepted, in a row at its beginning; one client wants to send 500.
    const random = new SeededRandom(5);
    const throttle = new AdaptiveThrottle(() => random.next(), { recovery, windowMs: 12_000 });
    const stats = throttle.statsOf('users', 'mobile', 'CRITICAL');
    let served = 0;
    let rejects = 0;
    for (let second = 0; second < 60; second++) {
      let left = 50;
      for (let now = second * 1_000; now < (second + 1) * 1_000; now += 2) {
        if (!throttle.admit(stats, now)) continue;
        const isServed = left-- > 0;
        throttle.settle(stats, isServed ? 'accepted' : 'rejected', now);
        if (second < 30) continue;
        if (isServed) served++;
        else rejects++;
      }
    }
    expect(rejects / served).toBeGreaterThan(0.93);
    expect(rejects / served).toBeLessThan(1.07);
  });
});

describe('options', () => {
  const make = (given: object) => () => new AdaptiveThrottle(() => 0, given);

  it.each([
    [{ k: 1 }, 'k must be > 1, got 1'],
    [{ k: 0.5 }, 'k must be > 1, got 0.5'],
    [{ k: -2 }, 'k must be a finite number > 0, got -2'],
    [{ k: Number.NaN }, 'k must be a finite number > 0, got NaN'],
    [{ k: Number.POSITIVE_INFINITY }, 'k must be a finite number > 0, got Infinity'],
    [{ k: '2' }, 'k must be a finite number > 0, got "2"'],
    [{ windowMs: 0 }, 'windowMs must be a finite number > 0, got 0'],
    [{ slots: 0 }, 'slots must be an integer from 1 to 1000, got 0'],
    [{ slots: 1_001 }, 'slots must be an integer from 1 to 1000, got 1001'],
    [{ minimumRequests: -1 }, 'minimumRequests must be an integer >= 0, got -1'],
    [{ maxKeys: 0 }, 'maxKeys must be an integer >= 1, got 0'],
    [{ recovery: 'fast' }, 'recovery must be one of window, streak, got "fast"'],
  ])('%o are refused', (given, message) => {
    expect(make(given)).toThrow(new RangeError(message));
  });

  it('that do not exist are refused', () => {
    expect(make({ K: 2 })).toThrow('throttle has no option "K"');
  });

  it('may be at their limits', () => {
    expect(make({ k: 1.001, slots: 1, minimumRequests: 0, maxKeys: 1 })).not.toThrow();
    expect(make({ slots: 1_000, recovery: 'streak' })).not.toThrow();
  });
});
