import { CRITICALITIES, type Criticality, criticalityRank } from '../criticality.js';
import { isExpired } from '../deadline.js';
import { elapsedMs } from '../elapsed.js';
import { TakeInterval } from '../measuring/take-interval.js';
import type { Lane, Place } from './lane.js';
import { LaneRing } from './lane-ring.js';
import { checkRunQueue, type RunQueueOptions } from './run-queue-options.js';
import { WaitBound } from './wait-bound.js';

/** What a queue has to know of a request. */
export interface QueuedRequest {
  readonly criticality: Criticality;
  readonly customer: string;
  /** An instant, `Infinity` when there is none. */
  readonly deadlineMs: number;
  /**
   * The queue's own, while the request waits: where it stands. To find that in a table of thousands would cost more
   * than everything else the queue does. A request can wait in one queue at a time.
   */
  queuePlace?: object | undefined;
}

/** Another request took its place (to be answered as shed), or its deadline passed while it waited. */
export type DropReason = 'evicted' | 'expired';

/** Told of one that was let in and does not run. */
export type OnDrop<R> = (request: R, reason: DropReason, now: number) => void;

/** What an operator sees of one criticality. */
export interface RunQueueExplanation {
  readonly waiting: number;
  /** Of how many customers. */
  readonly customers: number;
  /** Of one that came now and ran last. */
  readonly expectedWaitMs: number;
  readonly boundMs: number;
  readonly isOverloaded: boolean;
}

/** At one take: to tell costs about 35 µs, and after a pause hundreds may be late. The rest has its turn later. */
const MOST_EVICTIONS = 4;

/**
 * Where admitted requests wait until the scheduler starts them (SRE ch. 22, "Queue Management": short queues, or none).
 * Most critical first, strictly; within a criticality customers take turns; of one customer the oldest first, and while
 * overloaded the newest: its caller is the most likely to be there still ("adaptive LIFO" in Facebook's "Fail at
 * Scale", ACM Queue 2015).
 *
 * It is bounded by how long the last to run would wait and not by its length: 50 requests of 2 ms are a short queue and
 * 50 of 200 ms are an outage. When that is too long, one has to go:
 *
 * - A less critical one, if an arrival pushes it beyond its own bound. It hears at once and can go elsewhere.
 * - Of the arrival's own criticality, one of the customer that has most waiting, if it has at least two more than the
 *   arrival's customer: the last to run of them. A customer that floods thus evicts nobody but itself, and one that
 *   sends little finds room. (One more is as even as it gets, and evicting for it would go back and forth.)
 * - Otherwise, while overloaded, the oldest of the arrival's own customer, if it has waited beyond the bound already. It
 *   would run after all that are yet to come, and the sooner its caller hears that the better.
 * - Otherwise the arrival. To refuse at the door costs about 20 µs and to evict 35, for by then the response has been
 *   made (measured on Node 20). Simulated at ten times the capacity, replacing the oldest each time evicts eight times
 *   as many as replacing only those that wait in vain, for the same goodput and the same 99th percentile.
 */
export class RunQueue<R extends QueuedRequest> {
  readonly #options: RunQueueOptions;
  readonly #onDrop: OnDrop<R>;
  /** Arrivals are being refused, so that who waits too long does so in an overload, even if the queue is short. */
  isShedding = false;
  #size = 0;
  readonly #rings: readonly LaneRing<R>[] = CRITICALITIES.map((_, rank) => new LaneRing<R>(rank));
  readonly #bound: WaitBound;
  readonly #interval = new TakeInterval();
  #lastWaitMs = 0;

  /** `onDrop` is told of each request that was let in and will not run. It may push and remove. */
  constructor(onDrop: OnDrop<R>, given?: Partial<RunQueueOptions>) {
    this.#options = checkRunQueue(given);
    this.#onDrop = onDrop;
    this.#bound = new WaitBound(this.#options);
  }

  get size(): number {
    return this.#size;
  }

  /** What no request is expected to exceed that is let in. */
  get maxWaitMs(): number {
    return this.#bound.maxWaitMs;
  }

  /** How long the request waited that `take` returned last. */
  get lastWaitMs(): number {
    return this.#lastWaitMs;
  }

  /**
   * Mean time between two that are taken while more wait; 0 while nothing is known: requests cost nothing then, and only
   * `maxWaiting` holds.
   */
  takeIntervalMs(now: number): number {
    return this.#interval.meanMs(now) ?? 0;
  }

  sizeOf(criticality: Criticality): number {
    return this.#rings[criticalityRank(criticality)]!.size;
  }

  /** False: refused. True: it waits, and up to two others were dropped for it. */
  push(request: R, now: number): boolean {
    if (request.queuePlace !== undefined) throw new Error('a request can be in the run queue only once');
    const rank = criticalityRank(request.criticality);
    const least = this.#leastCritical(rank);
    const intervalMs = this.takeIntervalMs(now);
    this.#bound.intervalMs = intervalMs;
    let displaced: Place<R> | undefined;
    if (
      this.#bound.isExceeded(rank, this.#bound.ahead(rank), intervalMs, now) ||
      (least === rank && this.size >= this.#options.maxWaiting)
    ) {
      displaced = this.#displacedBy(request.customer, rank, now);
      if (displaced === undefined) return false;
    }
    // In before the other is out: a lane that is never empty keeps its turn.
    if (this.#size === 0) this.#interval.onWaiting(now);
    request.queuePlace = this.#rings[rank]!.add(request, request.customer, now);
    this.#size++;
    this.#bound.onEnter(rank, now);
    if (displaced !== undefined) this.#leave(displaced);
    const excess = this.#excess(least, rank, intervalMs, now);
    if (excess !== undefined) this.#leave(excess);
    if (displaced !== undefined) this.#tell(displaced, now);
    if (excess !== undefined) this.#tell(excess, now);
    return true;
  }

  /** The next to run; those whose deadline has passed are dropped on the way. Undefined when nothing waits. */
  take(now: number): R | undefined {
    let evictions = 0;
    while (this.#size > 0) {
      const mayEvict = evictions < MOST_EVICTIONS;
      const place = this.#next(now, mayEvict)!;
      const { request, lane, sinceMs } = place;
      if (isExpired(request.deadlineMs, now)) {
        // It does not use up its customer's turn.
        this.#leave(place);
        this.#onDrop(request, 'expired', now);
        continue;
      }
      if (mayEvict && this.#isInVain(place, now)) {
        evictions++;
        this.#leave(place);
        this.#onDrop(request, 'evicted', now);
        continue;
      }
      this.#rings[lane.rank]!.endTurn(lane);
      this.#bound.intervalMs = this.takeIntervalMs(now);
      this.#leave(place);
      this.#interval.onTake(now, this.size > 0);
      this.#lastWaitMs = elapsedMs(sinceMs, now);
      return request;
    }
    return undefined;
  }

  /** Drops who has waited beyond `maxAgeMs` or past its deadline. For when nothing is taken for a while. */
  expire(now: number): void {
    const { maxAgeMs } = this.#bound;
    const over = this.#rings
      .flatMap((ring) => ring.places())
      .filter(
        ({ request, sinceMs }) => elapsedMs(sinceMs, now) > maxAgeMs || isExpired(request.deadlineMs, now),
      );
    for (const place of over) this.#leave(place);
    for (const place of over) this.#tell(place, now);
  }

  /** One that came to an empty queue runs at once: as if it had been pushed and taken, without the work. */
  pass(now: number): void {
    this.#interval.onTake(now, false);
    this.#lastWaitMs = 0;
  }

  /** The caller went away while it waited: as if it had never been pushed. False when it does not wait (any more). */
  remove(request: R): boolean {
    const place = request.queuePlace as Place<R> | undefined;
    if (place === undefined) return false;
    this.#leave(place);
    return true;
  }

  /** How long one of this criticality would wait that came now and ran last of it; 0 while that is unknown. */
  expectedWaitMs(now: number, criticality: Criticality = 'SHEDDABLE'): number {
    return this.#bound.ahead(criticalityRank(criticality)) * this.takeIntervalMs(now);
  }

  /**
   * Has something at least this critical waited all the time lately? The bound is tight then, and the newest run
   * first.
   */
  isOverloaded(now: number, criticality: Criticality = 'SHEDDABLE'): boolean {
    return this.#bound.isTight(criticalityRank(criticality), now);
  }

  explain(now: number): {
    readonly takeIntervalMs: number | undefined;
    readonly lastWaitMs: number;
    readonly byCriticality: Readonly<Record<Criticality, RunQueueExplanation>>;
  } {
    const byCriticality = Object.fromEntries(
      CRITICALITIES.map((criticality, rank) => {
        const { size, customers } = this.#rings[rank]!;
        const explanation: RunQueueExplanation = {
          waiting: size,
          customers,
          expectedWaitMs: this.expectedWaitMs(now, criticality),
          boundMs: this.#bound.boundMs(rank, now),
          isOverloaded: this.isOverloaded(now, criticality),
        };
        return [criticality, explanation];
      }),
    ) as Record<Criticality, RunQueueExplanation>;
    return { takeIntervalMs: this.#interval.meanMs(now), lastWaitMs: this.#lastWaitMs, byCriticality };
  }

  /** The least critical of what waits, or `rank` if nothing less critical does. */
  #leastCritical(rank: number): number {
    let least = 0;
    while (least < rank && this.#rings[least]!.size === 0) least++;
    return least;
  }

  /** Whose turn it is: to run or, if it waits in vain and that may be said now, to be told so. */
  #next(now: number, mayEvict: boolean): Place<R> {
    let rank = CRITICALITIES.length - 1;
    while (this.#rings[rank]!.turn === undefined) rank--;
    const { oldest, newest } = this.#rings[rank]!.turn!;
    if (this.#isInVain(oldest!, now)) return (mayEvict ? oldest : newest)!;
    if (!this.#bound.isTight(rank, now)) return oldest!;
    // Newest first must not mean the oldest never. After an overload that ends without the queue having been empty
    // there is time for it; and if it has expired, it goes.
    const isDue = elapsedMs(oldest!.sinceMs, now) > this.#bound.maxWaitMs;
    return (isDue || isExpired(oldest!.request.deadlineMs, now) ? oldest : newest)!;
  }

  /** Has it waited longer than it should while overloaded, and others can run in its place? */
  #isInVain({ lane, sinceMs }: Place<R>, now: number): boolean {
    if (this.#size === 1 || elapsedMs(sinceMs, now) <= this.#bound.maxAgeMs) return false;
    return this.isShedding || this.#bound.isTight(lane.rank, now);
  }

  /** Whose place in a full queue an arrival of the same criticality may take. */
  #displacedBy(customer: string, rank: number, now: number): Place<R> | undefined {
    const ring = this.#rings[rank]!;
    const own = ring.laneOf(customer);
    const { longest } = ring;
    if (longest !== undefined && longest.length > (own?.length ?? 0) + 1)
      return this.#lastToRun(longest, now);
    return own !== undefined && this.#isStale(own.oldest!, now) ? own.oldest : undefined;
  }

  /**
   * One too many after an arrival. Of the arrival's own criticality only one that waits in vain: two out for one in, so
   * that a backlog from before the overload was noticed shrinks even though arrivals outnumber what is taken. Never
   * more: each costs the time of a refusal, and thousands at once would stall the server.
   */
  #excess(least: number, rank: number, intervalMs: number, now: number): Place<R> | undefined {
    const before = this.#bound.ahead(least) - 1;
    if (this.size <= this.#options.maxWaiting && !this.#bound.isExceeded(least, before, intervalMs, now)) {
      return undefined;
    }
    const longest = this.#rings[least]!.longest!;
    const mayGo = least < rank || (longest.length > 1 && this.#isStale(longest.oldest!, now));
    return mayGo ? this.#lastToRun(longest, now) : undefined;
  }

  #lastToRun(lane: Lane<R>, now: number): Place<R> {
    return (this.#bound.isTight(lane.rank, now) ? lane.oldest : lane.newest)!;
  }

  /** Has it waited beyond the bound, and newer ones of its customer are going to run before it? */
  #isStale(place: Place<R>, now: number): boolean {
    const isTight = this.#bound.isTight(place.lane.rank, now);
    return isTight && elapsedMs(place.sinceMs, now) > this.#bound.tightWaitMs;
  }

  #leave(place: Place<R>): void {
    const { rank } = place.lane;
    place.request.queuePlace = undefined;
    this.#size--;
    this.#rings[rank]!.remove(place);
    this.#bound.onLeave(rank);
    if (this.size === 0) this.#interval.onEmpty();
  }

  #tell({ request }: Place<R>, now: number): void {
    this.#onDrop(request, isExpired(request.deadlineMs, now) ? 'expired' : 'evicted', now);
  }
}
