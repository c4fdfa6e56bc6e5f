import { expect, it } from 'vitest';
import { outcomeOf } from './sender.js';

it.each([
  [200, 10, 'served'],
  [200, 1_000, 'served'],
  [200, 1_001, 'late'],
  [503, 10, 'refused'],
  [429, 10, 'refused'],
  [503, 1_500, 'late'],
  [504, 900, 'late'],
  [502, 10, 'failed'],
  [404, 10, 'failed'],
] as const)('%d after %d ms is %s', (status, latencyMs, outcome) => {
  expect(outcomeOf(status, latencyMs)).toBe(outcome);
});
