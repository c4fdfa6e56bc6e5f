import type { LimitAlgorithm, LimitEstimate, LimitSample } from './concurrency-limit-algorithm.js';

/** While it goes down, one is let in for every two that are done: what is critical is rarely more than half. */
const LOWERED_BY_EACH = 1 / 2;

/**
 * Lowers another limit slowly. When a limit goes from 100 to 5 at once, nobody is let in until 95 are done, which a slow
 * service takes a second for: longer than anybody waits, so that for so long all are refused, the most critical with the
 * rest. A server that holds its own requests back can bear that; it has them all in its queue. Up it goes at once.
 */
export class GentleLimit implements LimitAlgorithm {
  readonly #wanted: LimitAlgorithm;
  #held: number;

  constructor(wanted: LimitAlgorithm) {
    this.#wanted = wanted;
    this.#held = wanted.limit;
  }

  get limit(): number {
    return Math.ceil(this.#held);
  }

  onSample(sample: LimitSample): void {
    this.#wanted.onSample(sample);
    const { limit } = this.#wanted;
    if (this.#held <= limit) this.#held = limit;
    else if (sample.isDone)
      this.#held = Math.max(limit, Math.min(this.#held, sample.inFlight) - LOWERED_BY_EACH);
  }

  /** At once: nobody is refused by it who was not refused already. */
  boundBy(most: number): void {
    this.#wanted.boundBy?.(most);
    this.#held = Math.max(this.#wanted.limit, Math.min(this.#held, most));
  }

  explain(): LimitEstimate | undefined {
    return this.#wanted.explain?.();
  }
}
