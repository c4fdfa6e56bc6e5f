import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CRITICALITIES } from '../criticality.js';
import { RejectedError } from '../errors.js';
import { SeededRandom } from '../seeded-random.js';
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
    for (const waiter of ['a', 'b', 'c']) expect(line.join(waiter, NEVER, 0)).toBe(true);
    expect(line.size).toBe(3);
    expect([line.next(1), line.next(1), line.next(1), line.next(1)]).toEqual(['a', 'b', 'c', undefined]);
    expect(line.size).toBe(0);
  });

  it('lets nobody wait longer than 100 ms, or past the deadline', () => {
    const line = new WaitingLine<string>();
    line.join('patient', NEVER, 0);
    line.join('hurried', 30, 0);
    line.join('late', 1_000, 50);
    expect(line.nextExpiryMs).toBe(30);
    expect(line.expired(29)).toBeUndefined();
    expect(line.expired(30)).toBe('hurried');
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
    expect(line.join('too late', 999, 1_000)).toBe(false);
    expect(line.join('just too late', 1_000, 1_000)).toBe(false);
    expect(line.join('no instant', Number.NaN, 1_000)).toBe(false);
    expect(line.join('in time', 1_000.1, 1_000)).toBe(true);
    expect(line.size).toBe(1);
  });

  it('refuses at once when it is full, the unanswered included', () => {
    const line = new WaitingLine<number>({ maxWaiting: 2 });
    expect([1, 2, 3].map((waiter) => line.join(waiter, NEVER, 0))).toEqual([true, true, false]);
    expect(line.next(500)).toBeUndefined();
    expect(line.join(4, NEVER, 500)).toBe(false);
    expect(line.expired(500)).toBe(1);
    expect(line.join(4, NEVER, 500)).toBe(true);
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
    expect(line.join('as sheddable', NEVER, 1, 'SHEDDABLE_PLUS')).toBe(false);
    expect(line.join('more critical', NEVER, 2, 'CRITICAL')).toBe(true);
    expect([line.nextExpiryMs, line.size]).toEqual([2, 4]);
    expect(drainExpired(line, 2)).toEqual(['last']);
    expect([line.next(3), line.next(3), line.next(3)]).toEqual(['critical', 'more critical', 'first']);
  });

  it('lets nobody wait when told so', () => {
    expect(new WaitingLine<string>({ maxWaitMs: 0 }).join('a', NEVER, 0)).toBe(false);
    expect(new WaitingLine<string>({ maxWaiting: 0 }).join('a', NEVER, 0)).toBe(false);
  });

  it('forgets who leaves, waiting or overdue', () => {
    const line = new WaitingLine<string>();
    line.join('a', 10, 0);
    line.join('b', NEVER, 0);
    expect(line.leave('b')).toBe(true);
    expect(line.leave('b')).toBe(false);
    expect(line.next(10)).toBeUndefined();
    expect(line.leave('a')).toBe(true);
    expect(line.expired(10)).toBeUndefined();
    expect(line.leave('nobody')).toBe(false);
    expect(line.nextExpiryMs).toBeUndefined();
  });

  it('takes the same waiter once at a time', () => {
    const line = new WaitingLine<string>();
    line.join('a', NEVER, 0);
    expect(() => line.join('a', NEVER, 0)).toThrow('only once');
    line.leave('a');
    expect(line.join('a', NEVER, 0)).toBe(true);
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

    join(id: number, deadlineMs: number, now: number, rank: number): boolean {
      const expiryMs = Math.min(deadlineMs, now + 100);
      if (expiryMs <= now) return false;
      if (this.waiting.length >= 20) {
        const [least] = this.#inTime(now).toSorted((a, b) => a.rank - b.rank || b.id - a.id);
        if (least === undefined || least.rank >= rank) return false;
        least.expiryMs = now;
        least.madeRoom = ++this.#evictions;
      }
      this.waiting.push({ id, expiryMs, rank, madeRoom: 0 });
      return true;
    }

    #inTime(now: number): Waiter[] {
      return this.waiting.filter((waiter) => waiter.expiryMs > now);
    }

    next(now: number): number | undefined {
      return this.#remove(this.#inTime(now).toSorted((a, b) => b.rank - a.rank || a.id - b.id)[0]);
    }

    expired(now: number): number | undefined {
      const [first] = this.waiting.toSorted(
        (a, b) => a.expiryMs - b.expiryMs || a.madeRoom - b.madeRoom || a.id - b.id,
      );
      return first !== undefined && first.expiryMs <= now ? this.#remove(first) : undefined;
    }

    leave(id: number): boolean {
      return this.#remove(this.waiting.find((waiter) => waiter.id === id)) !== undefined;
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
        let now = 0;
        let id = 0;
        for (const { kind, by, rank } of steps) {
          if (kind === 'join')
            expect(line.join(id, now + by, now, CRITICALITIES[rank])).toBe(
              naive.join(id++, now + by, now, rank),
            );
          else if (kind === 'next') expect(line.next(now)).toBe(naive.next(now));
          else if (kind === 'expired') expect(line.expired(now)).toBe(naive.expired(now));
          else if (kind === 'leave') expect(line.leave(by)).toBe(naive.leave(by));
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
    for (let id = 0; id < 5_000; id++) {
      const deadlineMs = 1 + random.below(100_000);
      if (line.join(id, deadlineMs, 0)) deadlines.set(id, deadlineMs);
      const leaver = random.below(id + 1);
      expect(line.leave(leaver)).toBe(deadlines.delete(leaver));
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
