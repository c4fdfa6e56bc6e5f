import { CRITICALITIES } from '../criticality.js';
import { elapsedMs } from '../elapsed.js';
import type { RunQueueOptions } from './run-queue-options.js';

/**
 * How long a request of each criticality may be expected to wait. It is told who comes and goes, and counts for each
 * criticality what would run before it: its own and everything more critical.
 *
 * The bound is tight once that count has not been 0 for `tightenAfterMs`, and wide again as soon as it is. Each
 * criticality is judged by itself and those above it. If the whole queue were judged as one, a few sheddable requests
 * that starve behind a steady stream of critical ones would keep it from ever being empty, and critical bursts would be
 * refused on account of work that they do not even wait for. The other way round it is right: where critical requests
 * wait all the time, sheddable ones have no business waiting long.
 */
export class WaitBound {
  readonly #options: RunQueueOptions;
  readonly #ahead: number[] = CRITICALITIES.map(() => 0);
  /** Since when something of this criticality or above has been waiting. */
  readonly #sinceMs: number[] = CRITICALITIES.map(() => 0);

  constructor(options: RunQueueOptions) {
    this.#options = options;
  }

  onEnter(rank: number, now: number): void {
    for (let below = rank; below >= 0; below--) {
      if (this.#ahead[below]!++ === 0) this.#sinceMs[below] = now;
    }
  }

  onLeave(rank: number): void {
    for (let below = rank; below >= 0; below--) this.#ahead[below]!--;
  }

  /** How many wait that are at least as critical. */
  ahead(rank: number): number {
    return this.#ahead[rank]!;
  }

  isTight(rank: number, now: number): boolean {
    return this.#ahead[rank]! > 0 && elapsedMs(this.#sinceMs[rank]!, now) >= this.#options.tightenAfterMs;
  }

  boundMs(rank: number, now: number): number {
    return this.isTight(rank, now) ? this.#options.tightWaitMs : this.#options.maxWaitMs;
  }

  /**
   * Would one that has so many before it wait too long? Not with one before it, however slow the server: CoDel too lets
   * a single packet stand (RFC 8289, `maxpacket`), else a server of slow requests would run dry between two of them.
   */
  isExceeded(rank: number, before: number, intervalMs: number, now: number): boolean {
    return before > 1 && before * intervalMs > this.boundMs(rank, now);
  }
}
