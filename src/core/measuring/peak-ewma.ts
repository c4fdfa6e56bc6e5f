import { checkPositive } from '../check.js';
import { elapsedMs } from '../elapsed.js';

/** How fast a peak fades. */
export interface PeakDecayingAverageOptions {
  /** How slowly a peak is forgiven: after this time 37 % of it is left. */
  readonly decayMs?: number;
}

const DEFAULTS = {
  /**
   * Finagle's. Long enough to outlast a pause of the garbage collector, short enough that a healed backend is back
   * within the minute.
   */
  decayMs: 10_000,
};

/** What is left of a peak after 20.7 × decayMs, and is then called nothing. */
const NEGLIGIBLE = 1e-9;

/**
 * An average that believes bad news at once and good news slowly, as Finagle's `PeakEwma` does: it jumps to a value
 * above it, and nears one below it over decayMs. For choosing by latency: a backend that turns slow is left after its
 * first slow answer, not after the tenth.
 *
 * Without news it sinks towards 0, so that a backend which was avoided for its latency is tried again. Finagle sinks
 * as a side effect of being read; here reading changes nothing, and the result does not depend on who looks how
 * often.
 */
export class PeakDecayingAverage {
  readonly #decayMs: number;
  #peak = 0;
  #at = Number.NEGATIVE_INFINITY;

  constructor(options: PeakDecayingAverageOptions = {}) {
    this.#decayMs = checkPositive('decayMs', options.decayMs ?? DEFAULTS.decayMs);
  }

  /** The value is finite and >= 0. */
  observe(now: number, value: number): void {
    const kept = this.#keptAt(now);
    if (now > this.#at) this.#at = now;
    this.#peak = value >= this.#peak ? value : value + (this.#peak - value) * kept;
  }

  /** Never below the last value at the time it was observed. 0 when nothing is known. */
  value(now: number): number {
    const kept = this.#keptAt(now);
    return kept < NEGLIGIBLE ? 0 : this.#peak * kept;
  }

  #keptAt(now: number): number {
    return Math.exp(-elapsedMs(this.#at, now) / this.#decayMs);
  }
}
