import { elapsedMs } from '../elapsed.js';

/**
 * A utilization from which quotas count where spare capacity is for everybody. A tenth below the one at which the least
 * critical requests begin to be shed: that is what a signal moves between two readings when load grows by a third a
 * second.
 */
export const QUOTA_FROM = 0.7;

/**
 * Quotas count for so long after the last reading above. They themselves bring utilization down: if they ended with
 * it, it would be up again the next moment.
 */
const HOLD_MS = 10_000;

/** Whether there is spare capacity, so that quotas do not count. */
export class QuotaSuspension {
  readonly #from: number;
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(from: number) {
    this.#from = from;
  }

  /** A utilization that is no number says nothing. */
  isSuspended(utilization: number, now: number): boolean {
    if (utilization >= this.#from) this.#lastMs = now;
    return elapsedMs(this.#lastMs, now) >= HOLD_MS;
  }
}
