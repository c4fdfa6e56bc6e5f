import { checkInteger } from '../check.js';
import { RollingSum } from './rolling-sum.js';

/** How long attempts are remembered, and which are told apart. */
export interface AttemptHistogramOptions {
  /** What "recent history" is. */
  readonly windowMs?: number;
  /** Into how many slots the window is cut. */
  readonly slots?: number;
  /** The highest attempt told apart; those above are counted with it. */
  readonly maxAttempt?: number;
}

const DEFAULTS = {
  /**
   * 10 s: at 100 arrivals a second that is 1000 of them, and a share of retries of 5 % is then known to ± 0.7 % (σ).
   * Much longer, and a backend goes on saying "don't retry" after its neighbours have recovered.
   */
  windowMs: 10_000,
  /** A second each: the window is at most 10 % too long. */
  slots: 10,
  /** SRE ch. 21, "Deciding to Retry": a request is attempted at most three times. */
  maxAttempt: 3,
};

/**
 * How many requests arrived lately as first attempt, second, third. A backend that sheds looks at it: many retries
 * among the arrivals mean that other backends are shedding too, and another retry would only add load (SRE ch. 21,
 * "Deciding to Retry"). Memory: 8 bytes × (slots + 1) × maxAttempt.
 *
 * Attempts count from 1. They come from clients: whoever decoded the number has validated it, and what is impossible
 * all the same counts as the nearest possible (NaN as 1), so that no header can break the histogram.
 */
export class AttemptHistogram {
  readonly #sums: readonly RollingSum[];

  constructor(options: AttemptHistogramOptions = {}) {
    const windowMs = options.windowMs ?? DEFAULTS.windowMs;
    const slots = options.slots ?? DEFAULTS.slots;
    // With 1 a retry could not be told from a first attempt.
    const maxAttempt = checkInteger('maxAttempt', options.maxAttempt ?? DEFAULTS.maxAttempt, 2);
    this.#sums = Array.from({ length: maxAttempt }, () => new RollingSum({ windowMs, slots }));
  }

  record(now: number, attempt: number): void {
    this.#sumOf(attempt).add(now);
  }

  count(now: number, attempt: number): number {
    return this.#sumOf(attempt).total(now);
  }

  total(now: number): number {
    let total = 0;
    for (const sum of this.#sums) total += sum.total(now);
    return total;
  }

  /** The share of arrivals that are not first attempts; 0 when nothing arrived. */
  retryShare(now: number): number {
    const total = this.total(now);
    return total === 0 ? 0 : (total - this.count(now, 1)) / total;
  }

  /** First attempts, second, and so on up to maxAttempt. */
  counts(now: number): number[] {
    return this.#sums.map((sum) => sum.total(now));
  }

  #sumOf(attempt: number): RollingSum {
    const last = this.#sums.length;
    // Asked this way round, NaN ends at 1.
    const clamped = attempt > 1 ? Math.min(Math.floor(attempt), last) : 1;
    return this.#sums[clamped - 1]!;
  }
}
