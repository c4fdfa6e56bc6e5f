import { expect, it } from 'vitest';
import { formatDuration } from './duration.js';

it.each([
  [0, '0 s'],
  [1, '1 s'],
  [59_000, '59 s'],
  [200_000, '3 min 20 s'],
  [3_600_000, '1 h 0 min'],
  [7_500_000, '2 h 5 min'],
])('%d ms is %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});
