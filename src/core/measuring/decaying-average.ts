import { checkPositive } from '../check.js';
import { elapsedMs } from '../elapsed.js';

/** How fast samples fade. */
export interface DecayingAverageOptions {
  /** After this time a value weighs 1/e ≈ 37 % of a fresh one. */
  readonly decayMs: number;
}

/**
 * Below this weight a history says nothing any more: it could not move the average by more than a billionth of the
 * difference to a single fresh value. One lone value is forgotten after ln(10^9) ≈ 20.7 × decayMs.
 */
const NEGLIGIBLE = 1e-9;

/**
 * The average of all values seen, each weighing e^(−age / decayMs).
 *
 * Every value counts as one, however close together they come. The other common form, `old · e^(−dt/decay) + new · (1
 * − e^(−dt/decay))`, weighs a value by the silence before it: of a hundred answers in the same millisecond it
 * believes the first and ignores the rest. That suits a level that holds between readings (see DecayingLevel), not
 * answers.
 *
 * While nothing is observed all weights shrink alike, so the average stays as it is until it is forgotten.
 */
export class DecayingAverage {
  readonly #decayMs: number;
  #average = 0;
  #weight = 0;
  #at = Number.NEGATIVE_INFINITY;

  constructor(options: DecayingAverageOptions) {
    this.#decayMs = checkPositive('decayMs', options.decayMs);
  }

  /** The value is finite. */
  observe(now: number, value: number): void {
    const weight = this.#weightAt(now);
    if (now > this.#at) this.#at = now;
    if (weight < NEGLIGIBLE) {
      this.#average = value;
      this.#weight = 1;
      return;
    }
    this.#weight = weight + 1;
    // Moved by a share of the difference rather than kept as two sums: equal values then average to exactly themselves.
    this.#average += (value - this.#average) / this.#weight;
  }

  /** Undefined when nothing was observed, or so long ago that it is forgotten. Without `now`: as of the last value. */
  value(now = this.#at): number | undefined {
    return this.isEmpty(now) ? undefined : this.#average;
  }

  isEmpty(now = this.#at): boolean {
    return this.#weightAt(now) < NEGLIGIBLE;
  }

  #weightAt(now: number): number {
    return this.#weight * Math.exp(-elapsedMs(this.#at, now) / this.#decayMs);
  }
}
