import { checkInteger, checkNonNegative, withDefaults } from '../check.js';
import { CRITICALITIES, type Criticality, criticalityRank, DEFAULT_CRITICALITY } from '../criticality.js';
import { RejectedError } from '../errors.js';
import { TakeInterval } from '../measuring/take-interval.js';
import { append, isEmpty, LinePlace, removeFromHeap, siftUp, unlink } from './line-place.js';

/** How long, and how many, wait when all backends are busy: a burst is over soon, an overload is not. */
export interface WaitingLineOptions {
  /** No request waits longer than this, whatever its deadline; 0 = none waits. */
  readonly maxWaitMs: number;
  /** No more requests than this wait at once. */
  readonly maxWaiting: number;
}

export const WAITING_LINE_DEFAULTS: WaitingLineOptions = Object.freeze({
  // All backends at 100 active requests each is a burst or an overload. Answers take tens of milliseconds, so a burst
  // has gone after 100 ms: each of the 100 has been answered several times over. An overload has not, and waiting
  // longer would only add to every latency (CoDel's interval is 100 ms for the same reason).
  maxWaitMs: 100,
  // What one Node client can send in that time: about 10,000/s. Those behind would expire in the line.
  maxWaiting: 1_000,
});

/**
 * From so many recent takes on their pace is believed: right within a third where service times are exponential (as good as
 * twice as many equal ones, 1/√8). A single one may be all that is left of a hang that is over.
 */
const ENOUGH_TAKES = 4;

/**
 * Where requests wait for a moment when every backend is at its flow-control limit: the most critical are served first,
 * and of those whoever came first. Room that becomes free thus goes to what is critical as long as any of it waits, and
 * in an overload the rest is what waits in vain. When the line is full, one that is less critical makes room.
 *
 * Who would wait in vain is refused at once, instead of after a tenth of a second: with so many before it, that are at least
 * as critical, it would expire at the pace at which backends become free. Its caller can do something else meanwhile, and a
 * line that nobody comes out of need not be carried along by every collection of garbage.
 *
 * Deadlines differ, so the first to expire is often not the first that came: each has a place in both orders, and leaves
 * both at once. Every operation costs at most O(log n) for each waiter it concerns, and nothing is kept of those who have
 * left, not even by tables: a Map that many come to and leave is copied now and then, and what is dead of it points to the
 * next, so that scavenges would keep whoever was in any of them. Hence whoever waits holds its place itself.
 *
 * It sets no timer. The driver keeps one, for `nextExpiryMs`, and calls `expired` until there is none.
 */
export class WaitingLine<T> {
  readonly #options: WaitingLineOptions;
  /** For each criticality a ring's own link: its `after` is the first in line, its `before` the last. */
  readonly #lines: readonly LinePlace<T>[] = CRITICALITIES.map(() => new LinePlace<T>(undefined, 0, 0, 0));
  /** The same for those whose wait is over but who have not been told yet. They are in no heap. */
  readonly #overdue = new LinePlace<T>(undefined, 0, 0, 0);
  readonly #heap: LinePlace<T>[] = [];
  /** How many wait of each criticality, without those that are overdue. */
  readonly #counts: number[] = CRITICALITIES.map(() => 0);
  readonly #interval = new TakeInterval();
  #size = 0;
  #arrivals = 0;

  constructor(given?: Partial<WaitingLineOptions>) {
    this.#options = withDefaults('waitingLine', WAITING_LINE_DEFAULTS, given);
    checkNonNegative('maxWaitMs', this.#options.maxWaitMs);
    checkInteger('maxWaiting', this.#options.maxWaiting, 0);
  }

  /** Those who are owed an answer: also the expired that `expired` has not handed out yet. */
  get size(): number {
    return this.#size;
  }

  /** When the first waiter expires; undefined when nobody waits. */
  get nextExpiryMs(): number | undefined {
    const overdue = this.#overdue.after;
    return isEmpty(this.#overdue) ? this.#heap[0]?.expiryMs : overdue.expiryMs;
  }

  /** Its place; undefined when the line is full, or it would wait in vain (the deadline is an instant): refuse at once. */
  join(
    waiter: T,
    deadlineMs: number,
    now: number,
    criticality: Criticality = DEFAULT_CRITICALITY,
  ): LinePlace<T> | undefined {
    this.#retire(now);
    const rank = criticalityRank(criticality);
    const expiryMs = Math.min(deadlineMs, now + this.#options.maxWaitMs);
    if (!(expiryMs > now) || this.#isInVain(rank, expiryMs, now)) return undefined;
    if (this.size >= this.#options.maxWaiting && !this.#makeRoom(rank, now)) return undefined;
    const place = new LinePlace(waiter, expiryMs, this.#arrivals++, rank);
    if (this.#heap.length === 0) this.#interval.onWaiting(now);
    this.#size++;
    this.#counts[rank]!++;
    append(this.#lines[rank]!, place);
    this.#heap.push(place);
    siftUp(this.#heap, place, this.#heap.length - 1);
    return place;
  }

  /** A backend has room: of the most critical whoever came first and has not expired. */
  next(now: number): T | undefined {
    this.#retire(now);
    let rank = this.#lines.length - 1;
    while (rank > 0 && isEmpty(this.#lines[rank]!)) rank--;
    // Before it leaves: one that was alone in line until now was waited for all the time, too.
    if (this.#heap.length > 0) this.#interval.onTake(now, this.#heap.length > 1);
    return this.#take(this.#lines[rank]!);
  }

  /** One whose wait is over, to be answered with `allBusyError`; undefined when there is none (any more). */
  expired(now: number): T | undefined {
    this.#retire(now);
    return this.#take(this.#overdue);
  }

  /** The caller gave up. False when it is not in the line (any more). */
  leave(place: LinePlace<T>): boolean {
    if (isEmpty(place)) return false;
    this.#remove(place);
    return true;
  }

  /** All who are owed an answer, in no order that matters. */
  all(): T[] {
    const waiters: T[] = [];
    for (const ring of [...this.#lines, this.#overdue])
      for (let place = ring.after; place !== ring; place = place.after) waiters.push(place.waiter as T);
    return waiters;
  }

  /**
   * Not with one before it, however slow the service: what it waits for is the end of any of many requests, which may be the
   * next moment. Nor after a quiet time: a burst is sent together and ends together, so that nobody has left the line yet when
   * most of it has come.
   */
  #isInVain(rank: number, expiryMs: number, now: number): boolean {
    let before = 0;
    for (let above = rank; above < this.#counts.length; above++) before += this.#counts[above]!;
    if (before < 2) return false;
    // Somebody has waited for all of that: the service hangs.
    if (this.#interval.underWayMs(now) >= this.#options.maxWaitMs) return true;
    if (this.#interval.weight(now) < ENOUGH_TAKES) return false;
    return before * this.#interval.meanMs(now)! > expiryMs - now;
  }

  /** Sets apart those who have expired, so that `next` need not step over them again and again. */
  #retire(now: number): void {
    for (let first = this.#heap[0]; first !== undefined && first.expiryMs <= now; first = this.#heap[0]) {
      this.#setApart(first);
    }
  }

  /** The wait is over for the last of the least critical, if it is less critical than this: it would have run last. */
  #makeRoom(rank: number, now: number): boolean {
    let least = 0;
    while (least < rank && isEmpty(this.#lines[least]!)) least++;
    if (least === rank) return false;
    const last = this.#lines[least]!.before;
    this.#setApart(last);
    last.expiryMs = now;
    return true;
  }

  #setApart(place: LinePlace<T>): void {
    this.#stopWaiting(place);
    unlink(place);
    append(this.#overdue, place);
  }

  #take(ring: LinePlace<T>): T | undefined {
    const first = ring.after;
    if (first !== ring) this.#remove(first);
    return first.waiter;
  }

  #remove(place: LinePlace<T>): void {
    this.#size--;
    unlink(place);
    if (place.heapIndex >= 0) this.#stopWaiting(place);
  }

  #stopWaiting(place: LinePlace<T>): void {
    removeFromHeap(this.#heap, place);
    this.#counts[place.rank]!--;
    if (this.#heap.length === 0) this.#interval.onEmpty();
  }
}

/** What a request is refused with that could not wait, or waited in vain. */
export function allBusyError(details: {
  /** How many backends there are to send to … */
  readonly backends: number;
  /** … each of which has this many active requests, its limit. */
  readonly activeLimit: number;
  /** How many may wait for an answer at all backends together, if that is bounded. */
  readonly concurrencyLimit?: number | undefined;
  readonly waitedMs: number;
}): RejectedError {
  const { backends, activeLimit, concurrencyLimit, waitedMs } = details;
  const who = backends === 1 ? 'the one backend is' : `all ${backends} backends are`;
  const most = Math.min(activeLimit * backends, concurrencyLimit ?? Number.POSITIVE_INFINITY);
  const what =
    most < activeLimit * backends
      ? `the service is at its limit of ${most} requests at once`
      : `${who} at the limit of ${activeLimit} active requests`;
  const message = `${what}, waited ${Math.round(waitedMs)} ms`;
  return new RejectedError('PLIMSOLL_ALL_BUSY', message, { retry: 'later' });
}
