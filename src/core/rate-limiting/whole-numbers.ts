import { checkInteger, checkNonNegative } from '../check.js';

/**
 * The most that a limit may be, and a burst in the units of RateScale: with a debt of as much again and a cost on top,
 * sums stay below 2^53.
 */
export const MOST = 2 ** 51;

/** 34 years: such a window still passes 2,048 in the finest units. */
export const MOST_WINDOW_MS = 2 ** 40;

/** An instant as all algorithms count it. */
export function wholeMs(now: number): number {
  return Math.floor(checkNonNegative('now', now));
}

/**
 * What is whole already, the way engines have small whole numbers: in their place. A difference of others stays an object of its
 * own in each decision, a fifth of the memory that it takes.
 */
export function asWhole(ms: number): number {
  return Math.floor(ms);
}

/**
 * When the window began that an instant lies in. Exact for whole numbers below 2^53: what a quotient is short of the next
 * whole one is more than its rounding. `%` would do the same by a call into C, and take twice as long.
 */
export function windowBeginMs(ms: number, windowMs: number): number {
  return Math.floor(ms / windowMs) * windowMs;
}

export function checkCost(cost: number): number {
  return checkInteger('cost', cost, 0);
}

export function checkLimit(limit: unknown): number {
  return checkInteger('limit', limit, 1, MOST);
}

export function checkWindowMs(windowMs: unknown): number {
  return checkInteger('windowMs', windowMs, 1, MOST_WINDOW_MS);
}
