import { checkInteger } from '../check.js';

/**
 * A piece of time in which the number of requests in flight did not change, and how it ended. Pieces follow each other
 * without gaps, so that an algorithm can add up what it wants to know; it needs no clock and no list of requests.
 */
export interface LimitSample {
  /** When the piece ended. */
  readonly now: number;
  /** How many were in flight during it. */
  readonly inFlight: number;
  /** It ended because a request was done; otherwise because one came, and was let in or not. */
  readonly isDone: boolean;
  /** How long that request ran; 0 when none was done. */
  readonly latencyMs: number;
}

/** What an adaptive limit rests on, as plain data. */
export interface LimitEstimate {
  /** The fewest requests in flight that keep the server fully busy. */
  readonly knee: number;
  /** How long a request takes when none waits for another. */
  readonly baseMs: number;
  /** How long it took lately, at the limit. */
  readonly latencyMs: number;
  readonly throughputPerSecond: number;
  /** The limit is lowered for a moment, to measure. */
  readonly isDipping: boolean;
}

/** Decides how many requests may run at once. A ConcurrencyLimiter enforces it, and makes the samples. */
export interface LimitAlgorithm {
  /** A whole number, at least 1. */
  readonly limit: number;
  /** The sample is only lent: the next one is written into the same object. */
  onSample(sample: LimitSample): void;
  /** Something else lets through so many at the most: a limit above that would never be reached, and never learn again. */
  boundBy?(most: number): void;
  /** Undefined before anything was learned. */
  explain?(): LimitEstimate | undefined;
}

/** A limit that does not adapt. */
export function fixedLimit(limit: number): LimitAlgorithm {
  checkInteger('limit', limit, 1);
  return { limit, onSample() {} };
}
