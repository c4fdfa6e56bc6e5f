import { expect, it } from 'vitest';
import { CRITICALITY_MIXES } from './criticality-mixes.js';

it.each(Object.entries(CRITICALITY_MIXES))('%s is whole, and one in twenty is CRITICAL_PLUS', (_, parts) => {
  expect(parts.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 9);
  expect(parts[0]).toEqual({ value: 'CRITICAL_PLUS', share: 0.05 });
});
