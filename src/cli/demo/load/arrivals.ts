import type { Random } from '../../../core/index.js';

/**
 * When requests are due: as many clients that know nothing of each other make them, with gaps of any length (a Poisson
 * process). What has become of earlier ones makes no difference.
 */
export class Arrivals {
  readonly #random: Random;
  #perMs = 0;
  #nextMs = Number.POSITIVE_INFINITY;

  constructor(random: Random) {
    this.#random = random;
  }

  /** When the next one is due; Infinity: never. */
  get nextMs(): number {
    return this.#nextMs;
  }

  /** From now on so many. A process without a memory may be begun anew at any time. */
  setRate(perSecond: number, now: number): void {
    this.#perMs = perSecond / 1_000;
    this.#nextMs = now + this.#gapMs();
  }

  /** Whether one is due; the next call asks about the one after it. */
  take(now: number): boolean {
    if (this.#nextMs > now) return false;
    this.#nextMs += this.#gapMs();
    return true;
  }

  #gapMs(): number {
    return this.#perMs === 0 ? Number.POSITIVE_INFINITY : -Math.log(1 - this.#random()) / this.#perMs;
  }
}
