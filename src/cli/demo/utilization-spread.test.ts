import { expect, it } from 'vitest';
import { UtilizationSpread } from './utilization-spread.js';

it('compares what backends were used on average', () => {
  const seen = new UtilizationSpread();
  expect(seen.spread.maxOverMean).toBe(1);
  for (const utilization of [0.8, 1]) seen.observe('a', utilization);
  for (const utilization of [0.2, 0.4]) seen.observe('b', utilization);
  expect(seen.spread.mean).toBeCloseTo(0.6, 9);
  expect(seen.spread.maxOverMean).toBeCloseTo(1.5, 9);
});
