import { CRITICALITIES } from '../criticality.js';
import { elapsedMs } from '../elapsed.js';
import type { RunQueueOptions } from './run-queue-options.js';

/** However slow requests are, a bound is not stretched beyond this: callers rarely wait longer than a few seconds. */
const MOST_STRETCHED_MS = 1_000;

/**
 * How long a request of each criticality may be expected to wait. It is told who comes and goes, and counts for each
 * criticality what would run before it: its own and everything more critical.
 *
 * The bound is tight once requests have been waiting without a pause for `tightenAfterMs`, and wide again as soon as
 * there is one. Each criticality is judged by itself and those above it. If the whole queue were judged as one, a few
 * sheddable requests that starve behind a steady stream of critical ones would keep it from ever being empty, and
 * critical bursts would be refused on account of work that they do not even wait for. The other way round it is
 * right: where critical requests wait all the time, sheddable ones have no business waiting long.
 */
export class WaitBound {
  readonly #options: RunQueueOptions;
  readonly #ahead: number[] = CRITICALITIES.map(() => 0);
  /** Since when requests of this criticality or above have been waiting without a pause; Infinity when they are not. */
  readonly #sinceMs: number[] = CRITICALITIES.map(() => Number.POSITIVE_INFINITY);
  #intervalMs = 0;
  /** By how much the bounds are longer than the options say. */
  #stretch = 1;

  constructor(options: RunQueueOptions) {
    this.#options = options;
  }

  /** Mean time between two that are taken; 0 while unknown. */
  set intervalMs(intervalMs: number) {
    const { leastRequests, tightWaitMs } = this.#options;
    this.#intervalMs = intervalMs;
    this.#stretch = Math.max(1, Math.min(leastRequests * intervalMs, MOST_STRETCHED_MS) / tightWaitMs);
  }

  get maxWaitMs(): number {
    return this.#options.maxWaitMs * this.#stretch;
  }

  get maxAgeMs(): number {
    return this.#options.maxAgeMs * this.#stretch;
  }

  get tightWaitMs(): number {
    return this.#options.tightWaitMs * this.#stretch;
  }

  onEnter(rank: number, now: number): void {
    for (let below = rank; below >= 0; below--) {
      this.#ahead[below]!++;
      if (this.#isStanding(below) && this.#sinceMs[below] === Number.POSITIVE_INFINITY)
        this.#sinceMs[below] = now;
    }
  }

  onLeave(rank: number): void {
    for (let below = rank; below >= 0; below--) {
      this.#ahead[below]!--;
      if (!this.#isStanding(below)) this.#sinceMs[below] = Number.POSITIVE_INFINITY;
    }
  }

  /** How many wait that are at least as critical. */
  ahead(rank: number): number {
    return this.#ahead[rank]!;
  }

  isTight(rank: number, now: number): boolean {
    return elapsedMs(this.#sinceMs[rank]!, now) >= this.#options.tightenAfterMs * this.#stretch;
  }

  boundMs(rank: number, now: number): number {
    return this.isTight(rank, now) ? this.tightWaitMs : this.maxWaitMs;
  }

  /**
   * Would one that has so many before it wait too long? Not with one before it, however slow the server: CoDel too lets
   * a single packet stand (RFC 8289, `maxpacket`), else a server of slow requests would run dry between two of them.
   */
  isExceeded(rank: number, before: number, intervalMs: number, now: number): boolean {
    return before > 1 && before * intervalMs > this.boundMs(rank, now);
  }

  #isStanding(rank: number): boolean {
    const ahead = this.#ahead[rank]!;
    return ahead > 0 && ahead * this.#intervalMs >= this.#options.standingWaitMs * this.#stretch;
  }
}
