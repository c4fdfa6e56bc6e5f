import { expect, it } from 'vitest';
import { batchCriticality } from './batch-criticality.js';

it.each([
  ['CRITICAL_PLUS', 'SHEDDABLE_PLUS'],
  ['CRITICAL', 'SHEDDABLE_PLUS'],
  ['SHEDDABLE_PLUS', 'SHEDDABLE_PLUS'],
  ['SHEDDABLE', 'SHEDDABLE'],
] as const)('a batch request that says %s is %s', (said, is) => {
  expect(batchCriticality(said)).toBe(is);
});
