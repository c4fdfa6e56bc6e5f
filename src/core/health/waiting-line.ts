import { checkInteger, checkNonNegative, withDefaults } from '../check.js';
import { CRITICALITIES, type Criticality, criticalityRank, DEFAULT_CRITICALITY } from '../criticality.js';
import { RejectedError } from '../errors.js';

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

/** A waiter's place, in a ring of links (first come, first served) and in a heap (first to expire at the top). */
class Place<T> {
  before: Place<T> = this;
  after: Place<T> = this;
  heapIndex = -1;
  readonly waiter: T | undefined;
  expiryMs: number;
  readonly arrival: number;

  constructor(waiter: T | undefined, expiryMs: number, arrival: number) {
    this.waiter = waiter;
    this.expiryMs = expiryMs;
    this.arrival = arrival;
  }
}

/**
 * Where requests wait for a moment when every backend is at its flow-control limit: the most critical are served first,
 * and of those whoever came first. Room that becomes free thus goes to what is critical as long as any of it waits, and
 * in an overload the rest is what waits in vain. When the line is full, one that is less critical makes room.
 *
 * Deadlines differ, so the first to expire is often not the first that came: each has a place in both orders, and leaves
 * both at once. Every operation costs at most O(log n) for each waiter it concerns, and nothing is kept of those who have
 * left.
 *
 * It sets no timer. The driver keeps one, for `nextExpiryMs`, and calls `expired` until there is none.
 */
export class WaitingLine<T> {
  readonly #options: WaitingLineOptions;
  readonly #places = new Map<T, Place<T>>();
  /** For each criticality a ring's own link: its `after` is the first in line, its `before` the last. */
  readonly #lines: readonly Place<T>[] = CRITICALITIES.map(() => new Place<T>(undefined, 0, 0));
  /** The same for those whose wait is over but who have not been told yet. They are in no heap. */
  readonly #overdue = new Place<T>(undefined, 0, 0);
  readonly #heap: Place<T>[] = [];
  #arrivals = 0;

  constructor(given?: Partial<WaitingLineOptions>) {
    this.#options = withDefaults('waitingLine', WAITING_LINE_DEFAULTS, given);
    checkNonNegative('maxWaitMs', this.#options.maxWaitMs);
    checkInteger('maxWaiting', this.#options.maxWaiting, 0);
  }

  /** Those who are owed an answer: also the expired that `expired` has not handed out yet. */
  get size(): number {
    return this.#places.size;
  }

  /** When the first waiter expires; undefined when nobody waits. */
  get nextExpiryMs(): number | undefined {
    const overdue = this.#overdue.after;
    return isEmpty(this.#overdue) ? this.#heap[0]?.expiryMs : overdue.expiryMs;
  }

  /** False when the line is full or the deadline, an instant, leaves no time: refuse at once. */
  join(waiter: T, deadlineMs: number, now: number, criticality: Criticality = DEFAULT_CRITICALITY): boolean {
    if (this.#places.has(waiter)) throw new Error('a waiter can be in the line only once');
    const rank = criticalityRank(criticality);
    const expiryMs = Math.min(deadlineMs, now + this.#options.maxWaitMs);
    if (!(expiryMs > now) || (this.size >= this.#options.maxWaiting && !this.#makeRoom(rank, now)))
      return false;
    const place = new Place(waiter, expiryMs, this.#arrivals++);
    this.#places.set(waiter, place);
    append(this.#lines[rank]!, place);
    this.#heap.push(place);
    siftUp(this.#heap, place, this.#heap.length - 1);
    return true;
  }

  /** A backend has room: of the most critical whoever came first and has not expired. */
  next(now: number): T | undefined {
    this.#retire(now);
    let rank = this.#lines.length - 1;
    while (rank > 0 && isEmpty(this.#lines[rank]!)) rank--;
    return this.#take(this.#lines[rank]!);
  }

  /** One whose wait is over, to be answered with `allBusyError`; undefined when there is none (any more). */
  expired(now: number): T | undefined {
    this.#retire(now);
    return this.#take(this.#overdue);
  }

  /** The caller gave up. False when it is not in the line (any more). */
  leave(waiter: T): boolean {
    const place = this.#places.get(waiter);
    if (place === undefined) return false;
    this.#remove(place);
    return true;
  }

  /** Sets apart those who have expired, so that `next` need not step over them again and again. */
  #retire(now: number): void {
    for (let first = this.#heap[0]; first !== undefined && first.expiryMs <= now; first = this.#heap[0]) {
      this.#setApart(first);
    }
  }

  /** The wait is over for the last of the least critical, if it is less critical than this: it would have run last. */
  #makeRoom(rank: number, now: number): boolean {
    this.#retire(now);
    let least = 0;
    while (least < rank && isEmpty(this.#lines[least]!)) least++;
    if (least === rank) return false;
    const last = this.#lines[least]!.before;
    this.#setApart(last);
    last.expiryMs = now;
    return true;
  }

  #setApart(place: Place<T>): void {
    removeFromHeap(this.#heap, place);
    unlink(place);
    append(this.#overdue, place);
  }

  #take(ring: Place<T>): T | undefined {
    const first = ring.after;
    if (first !== ring) this.#remove(first);
    return first.waiter;
  }

  #remove(place: Place<T>): void {
    this.#places.delete(place.waiter as T);
    unlink(place);
    if (place.heapIndex >= 0) removeFromHeap(this.#heap, place);
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

function isEmpty<T>(ring: Place<T>): boolean {
  return ring.after === ring;
}

function append<T>(ring: Place<T>, place: Place<T>): void {
  place.before = ring.before;
  place.after = ring;
  ring.before.after = place;
  ring.before = place;
}

function unlink<T>(place: Place<T>): void {
  place.before.after = place.after;
  place.after.before = place.before;
}

/** Ties go to who came first, so that the order is total and a run can be repeated. */
function expiresBefore<T>(a: Place<T>, b: Place<T>): boolean {
  return a.expiryMs < b.expiryMs || (a.expiryMs === b.expiryMs && a.arrival < b.arrival);
}

function put<T>(heap: Place<T>[], place: Place<T>, index: number): void {
  heap[index] = place;
  place.heapIndex = index;
}

/** The hole at `from` moves up to where the place belongs. */
function siftUp<T>(heap: Place<T>[], place: Place<T>, from: number): void {
  let hole = from;
  while (hole > 0) {
    const parent = heap[(hole - 1) >> 1]!;
    if (!expiresBefore(place, parent)) break;
    put(heap, parent, hole);
    hole = (hole - 1) >> 1;
  }
  put(heap, place, hole);
}

function siftDown<T>(heap: Place<T>[], place: Place<T>, from: number): void {
  let hole = from;
  for (let child = 2 * hole + 1; child < heap.length; child = 2 * hole + 1) {
    if (child + 1 < heap.length && expiresBefore(heap[child + 1]!, heap[child]!)) child++;
    if (!expiresBefore(heap[child]!, place)) break;
    put(heap, heap[child]!, hole);
    hole = child;
  }
  put(heap, place, hole);
}

/** The last one fills the hole, and moves to where it belongs: down, or up when it comes from another branch. */
function removeFromHeap<T>(heap: Place<T>[], place: Place<T>): void {
  const hole = place.heapIndex;
  const last = heap.pop()!;
  place.heapIndex = -1;
  if (last === place) return;
  siftDown(heap, last, hole);
  siftUp(heap, last, last.heapIndex);
}
