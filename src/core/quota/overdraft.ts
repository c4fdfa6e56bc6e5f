import type { LimitLadder } from './quota-limits.js';
import { RANKS } from './rank-line.js';

/** Nobody is held for longer than so much of its limit takes to pay. */
const MOST_MS = 60_000;

/**
 * What a customer has used beyond each of its limits in all, written off or not. It takes nothing from what may be used:
 * who wants all of its limit gets it. But it is paid by what is left unused, before anything is saved up again; and who
 * has not paid is not trusted. Otherwise one that comes in pulses would be a stranger each time.
 */
export class Overdraft {
  readonly #burstMs: number;
  /** By the rank up to which a limit holds. Below zero: saved up. */
  readonly #used: number[];

  constructor(burstMs: number, limits: LimitLadder) {
    this.#burstMs = burstMs;
    this.#used = limits.map((limit) => (limit === Number.POSITIVE_INFINITY ? 0 : (-burstMs / 1_000) * limit));
  }

  isOwed(top: number): boolean {
    return this.#used[top]! > 0;
  }

  /** By rank, what was used in so many seconds. */
  add(costs: readonly number[], seconds: number, limits: LimitLadder): void {
    let used = 0;
    for (let top = 0; top < RANKS; top++) {
      used += costs[top]!;
      const limit = limits[top]!;
      const most = (MOST_MS / 1_000) * limit;
      const least = (-this.#burstMs / 1_000) * limit;
      this.#used[top] =
        limit === Number.POSITIVE_INFINITY
          ? 0
          : Math.min(most, Math.max(least, this.#used[top]! + used - limit * seconds));
    }
  }

  /** Nothing is owed, nor saved up. */
  clear(): void {
    this.#used.fill(0);
  }
}
