import { type Criticality, criticalityRank } from '../criticality.js';
import { TakeInterval } from '../measuring/take-interval.js';
import type { OnDrop, QueuedRequest } from './run-queue.js';
import type { RunQueueOptions } from './run-queue-options.js';

interface Waiting<R> {
  readonly request: R;
  readonly sinceMs: number;
}

/**
 * The rules of the run queue written down so that they are plainly right: one list in order of arrival, searched from
 * end to end for every question. What it shares with the real one is the learned interval, which has tests of its own.
 */
export class NaiveRunQueue<R extends QueuedRequest> {
  lastWaitMs = 0;
  readonly #onDrop: OnDrop<R>;
  readonly #options: RunQueueOptions;
  readonly #interval = new TakeInterval();
  #waiting: Waiting<R>[] = [];
  /** By rank: customers in the order of their turns, and in the order in which they came. */
  readonly #turns: string[][] = [[], [], [], []];
  readonly #opened: string[][] = [[], [], [], []];
  readonly #sinceMs = [0, 0, 0, 0];

  constructor(onDrop: OnDrop<R>, options: RunQueueOptions) {
    this.#onDrop = onDrop;
    this.#options = options;
  }

  get size(): number {
    return this.#waiting.length;
  }

  sizeOf(criticality: Criticality): number {
    return this.#of(criticalityRank(criticality)).length;
  }

  expectedWaitMs(now: number, criticality: Criticality = 'SHEDDABLE'): number {
    return this.#ahead(criticalityRank(criticality)) * (this.#interval.meanMs(now) ?? 0);
  }

  isOverloaded(now: number, criticality: Criticality = 'SHEDDABLE'): boolean {
    return this.#isTight(criticalityRank(criticality), now);
  }

  push(request: R, now: number): boolean {
    const { maxWaiting, tightWaitMs } = this.#options;
    const rank = criticalityRank(request.criticality);
    const least = [0, 1, 2, 3].find((other) => other === rank || this.#of(other).length > 0)!;
    const perRequest = this.#interval.meanMs(now) ?? 0;
    const tooLong = (other: number, before: number) =>
      before > 1 && before * perRequest > (this.#isTight(other, now) ? tightWaitMs : this.#options.maxWaitMs);
    const isStale = (place: Waiting<R> | undefined) =>
      place !== undefined && this.#isTight(rank, now) && now - place.sinceMs > tightWaitMs;

    const out: Waiting<R>[] = [];
    if (tooLong(rank, this.#ahead(rank)) || (least === rank && this.size >= maxWaiting)) {
      const own = this.#of(rank, request.customer);
      const longest = this.#longest(rank);
      if (longest.length > own.length + 1) out.push(this.#lastToRun(longest, rank, now));
      else if (isStale(own[0])) out.push(own[0]!);
      else return false;
    }
    for (let below = 0; below <= rank; below++) if (this.#ahead(below) === 0) this.#sinceMs[below] = now;
    if (this.size === 0) this.#interval.onWaiting(now);
    this.#waiting.push({ request, sinceMs: now });
    for (const customers of [this.#turns[rank]!, this.#opened[rank]!]) {
      if (!customers.includes(request.customer)) customers.push(request.customer);
    }
    for (const place of out) this.#leave(place);
    if (this.size > maxWaiting || tooLong(least, this.#ahead(least) - 1)) {
      const longest = this.#longest(least);
      if (least < rank || (longest.length > 1 && isStale(longest[0]))) {
        out.push(this.#lastToRun(longest, least, now));
        this.#leave(out.at(-1)!);
      }
    }
    for (const place of out) {
      this.#onDrop(place.request, now >= place.request.deadlineMs ? 'expired' : 'evicted', now);
    }
    return true;
  }

  take(now: number): R | undefined {
    for (;;) {
      const rank = [3, 2, 1, 0].find((other) => this.#of(other).length > 0);
      if (rank === undefined) return undefined;
      const lane = this.#of(rank, this.#turns[rank]![0]);
      const oldest = lane[0]!;
      const isDue = now - oldest.sinceMs > this.#options.maxWaitMs || now >= oldest.request.deadlineMs;
      const place = this.#isTight(rank, now) && !isDue ? lane.at(-1)! : oldest;
      if (now >= place.request.deadlineMs) {
        this.#leave(place);
        this.#onDrop(place.request, 'expired', now);
        continue;
      }
      this.#turns[rank]!.push(this.#turns[rank]!.shift()!);
      this.#leave(place);
      this.#interval.onTake(now, this.size > 0);
      this.lastWaitMs = now - place.sinceMs;
      return place.request;
    }
  }

  remove(request: R): boolean {
    const place = this.#waiting.find((other) => other.request === request);
    if (place !== undefined) this.#leave(place);
    return place !== undefined;
  }

  /** Those of one rank, or of one customer of it. */
  #of(rank: number, customer?: string): Waiting<R>[] {
    return this.#waiting.filter(
      ({ request }) =>
        criticalityRank(request.criticality) === rank && request.customer === (customer ?? request.customer),
    );
  }

  #ahead(rank: number): number {
    return this.#waiting.filter(({ request }) => criticalityRank(request.criticality) >= rank).length;
  }

  #isTight(rank: number, now: number): boolean {
    return this.#ahead(rank) > 0 && now - this.#sinceMs[rank]! >= this.#options.tightenAfterMs;
  }

  /** Of equals the one whose customer came first. */
  #longest(rank: number): Waiting<R>[] {
    const lanes = this.#opened[rank]!.map((customer) => this.#of(rank, customer));
    return lanes.toSorted((a, b) => b.length - a.length)[0] ?? [];
  }

  #lastToRun(lane: Waiting<R>[], rank: number, now: number): Waiting<R> {
    return this.#isTight(rank, now) ? lane[0]! : lane.at(-1)!;
  }

  #leave(place: Waiting<R>): void {
    this.#waiting = this.#waiting.filter((other) => other !== place);
    const { criticality, customer } = place.request;
    const rank = criticalityRank(criticality);
    if (this.#of(rank, customer).length === 0) {
      this.#turns[rank] = this.#turns[rank]!.filter((other) => other !== customer);
      this.#opened[rank] = this.#opened[rank]!.filter((other) => other !== customer);
    }
    if (this.size === 0) this.#interval.onEmpty();
  }
}
