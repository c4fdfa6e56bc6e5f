import { elapsedMs } from '../elapsed.js';

/** Short: a load that begins is seen while it begins. */
const FAST_MS = 1_000;

/** Long: one that pauses for less than a refresh is not forgotten. */
const SLOW_MS = 16_000;

/**
 * Over a decay of τ seconds a rate of λ a second is known to √(λ / 2τ): at 10 a second 1.8 % by the slow average. The
 * fast one, 22 %, is above it most of the time, which covers noise; a tenth is left for growth until the next refresh.
 */
const HEADROOM = 1.1;

/** Less than one unit in 11 days is nothing. */
const NEGLIGIBLE = 1e-6;

/** What its callers ask for, a second, whether they get it or not: the larger of two decaying averages. */
export class CapacityDemand {
  #fast = 0;
  #slow = 0;
  #at = Number.NEGATIVE_INFINITY;

  observe(now: number, cost: number): void {
    this.#fast = this.#kept(this.#fast, FAST_MS, now) + cost;
    this.#slow = this.#kept(this.#slow, SLOW_MS, now) + cost;
    if (now > this.#at) this.#at = now;
  }

  /** What to ask for. */
  wants(now: number): number {
    const fast = this.#kept(this.#fast, FAST_MS, now) / FAST_MS;
    const slow = this.#kept(this.#slow, SLOW_MS, now) / SLOW_MS;
    const wants = HEADROOM * Math.max(fast, slow) * 1_000;
    return wants < NEGLIGIBLE ? 0 : wants;
  }

  #kept(sum: number, decayMs: number, now: number): number {
    return sum * Math.exp(-elapsedMs(this.#at, now) / decayMs);
  }
}
