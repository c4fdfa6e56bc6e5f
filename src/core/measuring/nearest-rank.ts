import { checkWithin } from '../check.js';

/**
 * The rank, counted from 1, of the q-quantile among `count` ordered values: the smallest value that at least a share
 * q of all values does not exceed. It is always one of the values, never something between two; q = 0 is the smallest
 * value, 1 the largest, 0.5 of an even number the lower of the two in the middle.
 */
export function nearestRank(q: number, count: number): number {
  // 0.07 × 100 is 7.000000000000001 in binary, and would be rounded up to the 8th. Two roundings of 2^-53 can hide in
  // the product (of q and of the product itself): taking off 2^-50 of it is enough, and moves no other rank.
  return Math.max(1, Math.ceil(checkWithin('quantile', q, 0, 1) * count * (1 - 2 ** -50)));
}
