import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CRITICALITIES } from '../criticality.js';
import { RejectedError } from '../errors.js';
import { TakeInterval } from '../measuring/take-interval.js';
import { SeededRandom } from '../seeded-random.js';
import type { LinePlace } from './line-place.js';
import { allBusyError, WaitingLine } from './waiting-line.js';

const NEVER = Number.POSITIVE_INFINITY;

function drainExpired<T>(line: WaitingLine<T>, now: number): T[] {
  const drained: T[] = [];
  for (let waiter = line.expired(now); waiter !== undefined; waiter = line.expired(now)) drained.push(waiter);
  return drained;
}

describe('WaitingLine', () => {
  it('serves first come, first served', () => {
    const line = new WaitingLine<string>();
    for (const waiter of ['a', 'b', 'c']) expect(line.join(waiter, NEVER, 0)).toBeDefined();
    expect(line.size).toBe(3);
    expect([line.next(1), line.next(1), line.next(1), line.next(1)]).toEqual(['a', 'b', 'c', undefined]);
    expect(line.size).toBe(0);
  });

  it('lets nobody wait longer than 100 ms, or past the deadline', () => {
    const line = new WaitingLine<string>();
    line.join('patient', NEVER, 0);
    line.join('hurried', 30, 0);
    expect(line.nextExpiryMs).toBe(30);
    expect(line.expired(29)).toBeUndefined();
    expect(line.expired(30)).toBe('hurried');
    line.join('late', 1_000, 50);
    expect(line.nextExpiryMs).toBe(100);
    expect(line.expired(99)).toBeUndefined();
    expect(drainExpired(line, 100)).toEqual(['patient']);
    expect(line.nextExpiryMs).toBe(150);
    expect(drainExpired(line, 150)).toEqual(['late']);
    expect(line.nextExpiryMs).toBeUndefined();
  });

  it('never serves one that has expired, and still hands it out to be answered', () => {
    const line = new WaitingLine<string>();
    line.join('hurried', 10, 0);
    line.join('patient', NEVER, 0);
    expect(line.next(10)).toBe('patient');
    expect(line.next(10)).toBeUndefined();
    expect(line.size).toBe(1);
    expect(line.nextExpiryMs).toBe(10);
    expect(line.expired(10)).toBe('hurried');
    expect(line.size).toBe(0);
  });

  it('refuses at once when the deadline leaves no time', () => {
    const line = new WaitingLine<string>();
    expect(line.join('too late', 999, 1_000)).toBeUndefined();
    expect(line.join('just too late', 1_000, 1_000)).toBeUndefined();
    expect(line.join('no instant', Number.NaN, 1_000)).toBeUndefined();
    expect(line.join('in time', 1_000.1, 1_000)).toBeDefined();
    expect(line.size).toBe(1);
  });

  it('refuses at once when it is full, the unanswered included', () => {
    const line = new WaitingLine<number>({ maxWaiting: 2 });
    expect([1, 2, 3].map((waiter) => line.join(waiter, NEVER, 0)?.waiter)).toEqual([1, 2, undefined]);
    expect(line.next(500)).toBeUndefined();
    expect(line.join(4, NEVER, 500)).toBeUndefined();
    expect(line.expired(500)).toBe(1);
    expect(line.join(4, NEVER, 500)).toBeDefined();
  });

  it('serves the most critical first', () => {
    const line = new WaitingLine<string>();
    line.join('sheddable', NEVER, 0, 'SHEDDABLE');
    line.join('critical', NEVER, 0, 'CRITICAL');
    line.join('plus', NEVER, 0, 'CRITICAL_PLUS');
    line.join('critical, too', NEVER, 0);
    const served = [1, 2, 3, 4, 5].map((now) => line.next(now));
    expect(served).toEqual(['plus', 'critical', 'critical, too', 'sheddable', undefined]);
  });

  it('when it is full, ends the wait of the last of the least critical for one that is more so', () => {
    const line = new WaitingLine<string>({ maxWaiting: 3 });
    line.join('first', NEVER, 0, 'SHEDDABLE_PLUS');
    line.join('last', NEVER, 0, 'SHEDDABLE_PLUS');
    line.join('critical', NEVER, 0, 'CRITICAL');
    expect(line.join('as sheddable', NEVER, 1, 'SHEDDABLE_PLUS')).toBeUndefined();
    expect(line.join('more critical', NEVER, 2, 'CRITICAL')).toBeDefined();
    expect([line.nextExpiryMs, line.size]).toEqual([2, 4]);
    expect(drainExpired(line, 2)).toEqual(['last']);
    expect([line.next(3), line.next(3), line.next(3)]).toEqual(['critical', 'more critical', 'first']);
  });

  it('refuses at once who would wait in vain, by how fast the others are served', () => {
    const line = new WaitingLine<string>();
    // Two wait at all times, and one is taken each 20 ms.
    line.join('first', NEVER, 0);
    for (let now = 0; now < 400; now += 20) {
      line.join(`at ${now}`, NEVER, now);
      line.next(now);
    }
    const joined = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].filter(
      (name) => line.join(name, NEVER, 380) !== undefined,
    );
    // With five before it the wait is 100 ms, and no longer.
    expect(joined).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(line.join('hurried', 460, 380)).toBeUndefined();
    expect(line.join('critical', NEVER, 380, 'CRITICAL_PLUS')).toBeDefined();
  });

  it('counts the last in line, who waited all the time', () => {
    const line = new WaitingLine<string>();
    let now = 0;
    for (; now < 400; now += 40) {
      line.join('one', NEVER, now);
      line.join('two', NEVER, now);
      line.next(now);
      expect(line.next(now + 30)).toBe('two');
    }
    const joined = ['a', 'b', 'c', 'd', 'e'].filter((name) => line.join(name, NEVER, now) !== undefined);
    // With four before it the wait would be 120 ms.
    expect(joined).toEqual(['a', 'b', 'c', 'd']);
  });

  it('refuses at once when nobody has been served for as long as anybody may wait, but for two who may be lucky', () => {
    const line = new WaitingLine<string>();
    line.join('served', NEVER, 0);
    line.join('hangs', NEVER, 0);
    expect(line.next(0)).toBe('served');
    expect(line.expired(150)).toBe('hangs');
    expect(line.join('a', NEVER, 150)).toBeDefined();
    expect(line.join('b', NEVER, 240)).toBeDefined();
    expect(line.join('c', NEVER, 249)).toBeDefined();
    expect(line.join('d', NEVER, 249)).toBeDefined();
    // The first has waited for 100 ms, in vain; three are left.
    expect(line.join('e', NEVER, 250)).toBeUndefined();
    expect(line.join('critical', NEVER, 250, 'CRITICAL_PLUS')).toBeDefined();
    expect(line.join('second', NEVER, 250, 'CRITICAL_PLUS')).toBeDefined();
    expect(line.join('third', NEVER, 250, 'CRITICAL_PLUS')).toBeUndefined();
  });

  it('takes a burst after an idle hour for one: none of it has ended yet, and all of it will', () => {
    const line = new WaitingLine<number>();
    for (let waiter = 0; waiter < 50; waiter++) line.join(waiter, NEVER, 0);
    for (let waiter = 0; waiter < 50; waiter++) line.next(waiter);
    const from = 3_600_000;
    for (let waiter = 0; waiter < 100; waiter++)
      expect(line.join(waiter, NEVER, from + waiter / 5)).toBeDefined();
  });

  it('does not believe the one take that ended a hang', () => {
    const line = new WaitingLine<number>();
    line.join(-1, NEVER, 0);
    line.join(0, NEVER, 0);
    line.next(0);
    // Somebody waits all the time, in vain.
    for (let now = 50; now < 3_000; now += 50) line.join(now, NEVER, now);
    expect(line.next(3_000)).toBe(2_950);
    drainExpired(line, 3_000);
    for (let waiter = 0; waiter < 50; waiter++) expect(line.join(waiter, NEVER, 3_200)).toBeDefined();
  });

  it('lets nobody wait when told so', () => {
    expect(new WaitingLine<string>({ maxWaitMs: 0 }).join('a', NEVER, 0)).toBeUndefined();
    expect(new WaitingLine<string>({ maxWaiting: 0 }).join('a', NEVER, 0)).toBeUndefined();
  });

  it('forgets who leaves, waiting or overdue', () => {
    const line = new WaitingLine<string>();
    const a = line.join('a', 10, 0)!;
    const b = line.join('b', NEVER, 0)!;
    const served = line.join('served', NEVER, 0)!;
    expect(line.leave(b)).toBe(true);
    expect(line.leave(b)).toBe(false);
    expect(line.next(10)).toBe('served');
    expect(line.leave(served)).toBe(false);
    expect(line.leave(a)).toBe(true);
    expect(line.expired(10)).toBeUndefined();
    expect(line.leave(a)).toBe(false);
    expect(line.nextExpiryMs).toBeUndefined();
  });

  it('knows all who are owed an answer', () => {
    const line = new WaitingLine<string>();
    line.join('overdue', 10, 0);
    const gone = line.join('gone', NEVER, 0)!;
    line.join('critical', NEVER, 0);
    line.join('sheddable', NEVER, 0, 'SHEDDABLE');
    line.leave(gone);
    expect(line.next(10)).toBe('critical');
    expect(line.all().toSorted()).toEqual(['overdue', 'sheddable']);
  });

  it('lets go of who has left: the dead would keep the young alive from one scavenge to the next', () => {
    const line = new WaitingLine<string>();
    const places = ['first', 'second', 'third'].map((waiter) => line.join(waiter, NEVER, 0)!);
    line.next(0);
    line.expired(100);
    line.leave(places[2]!);
    for (const place of places) expect([place.before, place.after]).toEqual([place, place]);
  });

  it('expires a whole line after an idle hour, in order', () => {
    const line = new WaitingLine<number>();
    for (let waiter = 1; waiter <= 5; waiter++) line.join(waiter, 60 - 10 * waiter, 0);
    expect(line.next(3_600_000)).toBeUndefined();
    expect(drainExpired(line, 3_600_000)).toEqual([5, 4, 3, 2, 1]);
  });

  it('refuses impossible options', () => {
    expect(() => new WaitingLine({ maxWaitMs: -1 })).toThrow(
      new RangeError('maxWaitMs must be a finite number >= 0, got -1'),
    );
    expect(() => new WaitingLine({ max: 1 } as object)).toThrow('waitingLine has no option "max"');
    expect(() => new WaitingLine({ maxWaiting: 1.5 })).toThrow('maxWaiting must be an integer >= 0, got 1.5');
  });
});

describe('against a list that is searched from end to end', () => {
  interface Waiter {
    readonly id: number;
    expiryMs: number;
    readonly rank: number;
    /** Which one it was to make room for another; 0 if it has not. */
    madeRoom: number;
  }

  /** The same contract, written so that it is plainly right. */
  class NaiveLine {
    waiting: Waiter[] = [];

    #evictions = 0;
    readonly #interval = new TakeInterval();

    join(id: number, deadlineMs: number, now: number, rank: number): boolean {
      const expiryMs = Math.min(deadlineMs, now + 100);
      this.#noteEmpty(now);
      if (expiryMs <= now) return false;
      const before = this.#inTime(now).filter((waiter) => waiter.rank >= rank).length;
      const isHanging = this.#interval.underWayMs(now) >= 100;
      const isKnown = this.#interval.weight(now) >= 4;
      const waitMs = isKnown ? before * this.#interval.meanMs(now)! : 0;
      if (before >= 2 && (isHanging || waitMs > expiryMs - now)) return false;
      if (this.waiting.length >= 20) {
        const [least] = this.#inTime(now).toSorted((a, b) => a.rank - b.rank || b.id - a.id);
        if (least === undefined || least.rank >= rank) return false;
        least.expiryMs = now;
        least.madeRoom = ++this.#evictions;
      }
      if (this.#inTime(now).length === 0) this.#interval.onWaiting(now);
      this.waiting.push({ id, expiryMs, rank, madeRoom: 0 });
      return true;
    }

    #inTime(now: number): Waiter[] {
      return this.waiting.filter((waiter) => waiter.expiryMs > now);
    }

    next(now: number): number | undefined {
      this.#noteEmpty(now);
      const [first] = this.#inTime(now).toSorted((a, b) => b.rank - a.rank || a.id - b.id);
      if (first !== undefined) this.#interval.onTake(now, this.#inTime(now).length > 1);
      const taken = this.#remove(first);
      this.#noteEmpty(now);
      return taken;
    }

    /** As the line itself hears of it: when it is next asked for something. */
    #noteEmpty(now: number): void {
      if (this.#inTime(now).length === 0) this.#interval.onEmpty();
    }

    expired(now: number): number | undefined {
      this.#noteEmpty(now);
      const [first] = this.waiting.toSorted(
        (a, b) => a.expiryMs - b.expiryMs || a.madeRoom - b.madeRoom || a.id - b.id,
      );
      return first !== undefined && first.expiryMs <= now ? this.#remove(first) : undefined;
    }

    leave(id: number): boolean {
      const left = this.#remove(this.waiting.find((waiter) => waiter.id === id)) !== undefined;
      if (this.waiting.length === 0) this.#interval.onEmpty();
      return left;
    }

    #remove(waiter: Waiter | undefined): number | undefined {
      this.waiting = this.waiting.filter((other) => other !== waiter);
      return waiter?.id;
    }
  }

  const rank = fc.nat({ max: CRITICALITIES.length - 1 });
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ kind: fc.constant('join'), by: fc.integer({ min: -5, max: 150 }), rank }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('next'), rank, by: fc.constant(0) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('expired'), rank, by: fc.constant(0) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('leave'), rank, by: fc.nat({ max: 60 }) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('pass'), rank, by: fc.nat({ max: 60 }) }) },
  );

  it('does the same', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120, size: 'max' }), (steps) => {
        const line = new WaitingLine<number>({ maxWaiting: 20 });
        const naive = new NaiveLine();
        const places = new Map<number, LinePlace<number>>();
        let now = 0;
        let id = 0;
        const joined = (id: number, deadlineMs: number, rank: number): boolean => {
          const place = line.join(id, deadlineMs, now, CRITICALITIES[rank]);
          if (place !== undefined) places.set(id, place);
          return place !== undefined;
        };
        const left = (id: number): boolean => places.has(id) && line.leave(places.get(id)!);
        for (const { kind, by, rank } of steps) {
          if (kind === 'join') expect(joined(id, now + by, rank)).toBe(naive.join(id++, now + by, now, rank));
          else if (kind === 'next') expect(line.next(now)).toBe(naive.next(now));
          else if (kind === 'expired') expect(line.expired(now)).toBe(naive.expired(now));
          else if (kind === 'leave') expect(left(by)).toBe(naive.leave(by));
          else now += by;
          expect(line.size).toBe(naive.waiting.length);
          const expiries = naive.waiting.map((waiter) => waiter.expiryMs);
          expect(line.nextExpiryMs).toBe(expiries.length === 0 ? undefined : Math.min(...expiries));
        }
      }),
      { numRuns: 150 },
    );
  });

  it('keeps the order of expiry while thousands come and go', () => {
    const random = new SeededRandom(5);
    const line = new WaitingLine<number>({ maxWaiting: 500, maxWaitMs: 1_000_000 });
    const deadlines = new Map<number, number>();
    const places: (LinePlace<number> | undefined)[] = [];
    for (let id = 0; id < 5_000; id++) {
      const deadlineMs = 1 + random.below(100_000);
      const place = line.join(id, deadlineMs, 0);
      if (place !== undefined) deadlines.set(id, deadlineMs);
      places.push(place);
      const leaver = random.below(id + 1);
      const hasLeft = places[leaver] !== undefined && line.leave(places[leaver]);
      expect(hasLeft).toBe(deadlines.delete(leaver));
    }
    expect(line.size).toBe(deadlines.size);
    expect(line.size).toBeGreaterThan(400);
    const order = drainExpired(line, 100_000).map((id) => deadlines.get(id)!);
    expect(order).toEqual([...deadlines.values()].toSorted((a, b) => a - b));
  });
});

describe('allBusyError', () => {
  it('says what is full, how much of it, and how long was waited', () => {
    const error = allBusyError({ backends: 12, activeLimit: 100, waitedMs: 99.6 });
    expect(error).toBeInstanceOf(RejectedError);
    expect(error).toMatchObject({ code: 'PLIMSOLL_ALL_BUSY', retry: 'later', retryAfterMs: undefined });
    expect(error.message).toBe('all 12 backends are at the limit of 100 active requests, waited 100 ms');
    const bounded = allBusyError({ backends: 2, activeLimit: 100, concurrencyLimit: 12, waitedMs: 5 });
    expect(bounded.message).toBe('the service is at its limit of 12 requests at once, waited 5 ms');
    const barely = allBusyError({ backends: 2, activeLimit: 100, concurrencyLimit: 199, waitedMs: 5 });
    expect(barely.message).toBe('the service is at its limit of 199 requests at once, waited 5 ms');
    const unbound = allBusyError({ backends: 2, activeLimit: 5, concurrencyLimit: 12, waitedMs: 5 });
    expect(unbound.message).toBe('all 2 backends are at the limit of 5 active requests, waited 5 ms');
    const single = allBusyError({ backends: 1, activeLimit: 5, waitedMs: 0 });
    expect(single.message).toBe('the one backend is at the limit of 5 active requests, waited 0 ms');
  });
});
