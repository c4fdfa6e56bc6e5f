import { elapsedMs } from '../elapsed.js';
import type { LimitSample } from './concurrency-limit-algorithm.js';
import { Tally } from './concurrency-limit-tally.js';

/** Stretches further apart than this do not belong together: the server may have become another. */
const STALE_MS = 10_000;

/**
 * Tallies the stretches in which the limit was what held requests back: from one moment at the limit to the next,
 * when they are no further apart than a request takes. Beyond that the server may have stood idle in between, and a
 * throughput with idle time in it says nothing about what the server can do. So light load teaches nothing, nor do
 * rare bursts.
 *
 * Not only the time at the limit itself: a server that works in lockstep (20 slots, constant times: nothing for a
 * while, then 20 done at once) is below it whenever it has done something.
 */
export class StretchTally {
  readonly #tally = new Tally();
  /** Since the last moment at the limit; counts when another one follows in time. */
  readonly #pending = new Tally();
  #atLimitMs = Number.NEGATIVE_INFINITY;

  get tally(): Readonly<Tally> {
    return this.#tally;
  }

  /** True when the piece was at the limit, which is when the tally may have grown. */
  add(since: number, sample: LimitSample, limit: number, maxGapMs: number): boolean {
    const isAtLimit = sample.inFlight >= limit;
    if (isAtLimit) {
      const gapMs = elapsedMs(this.#atLimitMs, since);
      if (gapMs <= maxGapMs) this.#tally.addAll(this.#pending);
      else if (gapMs > STALE_MS) this.#tally.clear();
      this.#pending.clear();
      this.#atLimitMs = sample.now;
    }
    this.#pending.add(since, sample);
    return isAtLimit;
  }

  /** What was tallied has been used. A stretch that has begun goes on. */
  clear(): void {
    this.#tally.clear();
  }
}
