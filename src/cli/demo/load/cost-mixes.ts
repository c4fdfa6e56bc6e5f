import type { Part } from './draw.js';

/**
 * How much work requests are, as multiples of the usual one. The mean of each mix is 1, so that what the fleet can serve
 * stays about the same, and what changes is how hard it is to spread.
 */
export const COST_MIXES = {
  even: [{ value: 1, share: 1 }],
  mixed: [
    { value: 0.5, share: 0.5 },
    { value: 1, share: 0.3 },
    { value: 2.25, share: 0.2 },
  ],
  // One in a hundred takes as long as ten others: long enough to be stood behind, and done before its deadline.
  'heavy-tail': [
    { value: 0.7, share: 0.9 },
    { value: 3, share: 0.09 },
    { value: 10, share: 0.01 },
  ],
} as const satisfies Record<string, readonly Part<number>[]>;

export type CostMixName = keyof typeof COST_MIXES;
