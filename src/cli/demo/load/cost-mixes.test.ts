import { expect, it } from 'vitest';
import { COST_MIXES } from './cost-mixes.js';

it.each(Object.entries(COST_MIXES))('%s has a mean of 1', (_, parts) => {
  expect(parts.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 9);
  expect(parts.reduce((sum, { value, share }) => sum + value * share, 0)).toBeCloseTo(1, 9);
});
