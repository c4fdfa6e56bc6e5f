import { checkInteger } from '../check.js';
import type { RateOptions } from './rate-limit-options.js';
import { checkLimit, checkWindowMs, MOST } from './whole-numbers.js';

/**
 * A rate in whole numbers. 300 in 7 s is 0.042857… a millisecond, which no double has; in grains, of which 7,000 / 100
 * are one unit of cost, it is 3 grains a millisecond. With g = gcd(limit, windowMs):
 *
 *   perMs = limit / g grains flow in a millisecond,   unit = windowMs / g grains are a cost of 1.
 */
export interface RateScale {
  readonly perMs: number;
  readonly unit: number;
  /** The largest cost that passes from rest, and the same in grains. */
  readonly burst: number;
  readonly capacity: number;
}

/** The whole numbers in which a rate is reckoned: what passes in a window, exact to the last unit. */
export function rateScale({ limit, windowMs, burst = limit }: RateOptions): RateScale {
  const divisor = greatestCommonDivisor(checkLimit(limit), checkWindowMs(windowMs));
  const unit = windowMs / divisor;
  checkInteger('burst', burst, 1, Math.floor(MOST / unit));
  return { perMs: limit / divisor, unit, burst, capacity: burst * unit };
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
