import { elapsedMs } from '../elapsed.js';
import type { LimitAlgorithm, LimitEstimate, LimitSample } from './concurrency-limit-algorithm.js';

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

/** What the limiter does now, and why, as plain data. */
export interface ConcurrencyLimiterState {
  readonly limit: number;
  readonly inFlight: number;
  /** Undefined when the limit is fixed or has learned nothing yet. */
  readonly estimate: LimitEstimate | undefined;
}

/**
 * Lets no more requests run at once than its algorithm says. Each `tryAcquire` that was granted is followed by
 * exactly one `release` or `cancel`.
 */
export class ConcurrencyLimiter {
  readonly #algorithm: LimitAlgorithm;
  readonly #sample: Writable<LimitSample> = { now: 0, inFlight: 0, isDone: false, latencyMs: 0 };
  #inFlight = 0;

  constructor(algorithm: LimitAlgorithm) {
    this.#algorithm = algorithm;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get limit(): number {
    return this.#algorithm.limit;
  }

  /** May one more run? If so it counts as running. */
  tryAcquire(now: number): boolean {
    // Refusals are told too: when everything hangs, nothing else tells the algorithm that time passes.
    this.#tell(now, false, 0);
    if (this.#inFlight >= this.#algorithm.limit) return false;
    this.#inFlight++;
    return true;
  }

  /** One that was let in at `startedMs` is done. */
  release(startedMs: number, now: number): void {
    this.#checkAcquired();
    this.#tell(now, true, elapsedMs(startedMs, now));
    this.#inFlight--;
  }

  /**
   * One that was let in never ran, or ended for reasons that are not the server's (its caller left). Right after
   * `tryAcquire` it is as if that had never been called.
   */
  cancel(): void {
    this.#checkAcquired();
    this.#inFlight--;
  }

  /** Something else has just refused what this limit would have let in: it lets through so many at the most. */
  boundBy(most: number): void {
    this.#algorithm.boundBy?.(most);
  }

  explain(): ConcurrencyLimiterState {
    return { limit: this.limit, inFlight: this.#inFlight, estimate: this.#algorithm.explain?.() };
  }

  /** A second release of one request would let one more run, for ever. */
  #checkAcquired(): void {
    if (this.#inFlight === 0) throw new Error('a request was released that was not acquired');
  }

  #tell(now: number, isDone: boolean, latencyMs: number): void {
    const sample = this.#sample;
    sample.now = now;
    sample.inFlight = this.#inFlight;
    sample.isDone = isDone;
    sample.latencyMs = latencyMs;
    this.#algorithm.onSample(sample);
  }
}
