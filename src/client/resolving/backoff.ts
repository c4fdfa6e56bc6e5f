import type { Random } from '../../core/index.js';

/**
 * How long to wait after one failure, and the next, and the next: twice as long each time, up to a limit. Between half
 * of it and all of it, so that a thousand clients whose DNS fails at the same moment do not come back at the same one.
 */
export class Backoff {
  readonly #leastMs: number;
  readonly #mostMs: number;
  readonly #random: Random;
  #failures = 0;

  constructor(leastMs: number, mostMs: number, random: Random) {
    this.#leastMs = leastMs;
    this.#mostMs = mostMs;
    this.#random = random;
  }

  get failures(): number {
    return this.#failures;
  }

  next(): number {
    // Infinity after a thousand failures, which the limit takes care of.
    const ceilingMs = Math.min(this.#mostMs, this.#leastMs * 2 ** this.#failures++);
    return ceilingMs * (0.5 + 0.5 * this.#random());
  }

  reset(): void {
    this.#failures = 0;
  }
}
