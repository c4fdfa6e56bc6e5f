import { elapsedMs } from '../../core/index.js';

/**
 * What one connection may do that costs us more than it: open streams only to reset them (CVE-2023-44487), pings, settings.
 * It is earned back with time.
 */
export class Nuisance {
  readonly #most: number;
  readonly #perSecond: number;
  #left: number;
  #sinceMs: number;

  constructor(most: number, perSecond: number, now: number) {
    this.#most = most;
    this.#perSecond = perSecond;
    this.#left = most;
    this.#sinceMs = now;
  }

  /** One more; true: that was too many. */
  add(now: number): boolean {
    const earned = (elapsedMs(this.#sinceMs, now) / 1_000) * this.#perSecond;
    this.#left = Math.min(this.#most, this.#left + earned) - 1;
    this.#sinceMs = now;
    return this.#left < 0;
  }
}
