import { expect, it } from 'vitest';
import { offsetOf } from './place.js';

const TEXT = 'ab\n\ncde';

it.each([
  [1, 1, 0],
  [1, 2, 1],
  [2, 1, 3],
  [3, 1, 4],
  [3, 3, 6],
  [3, 99, 7],
  [99, 1, 7],
])('line %d, column %d is at %d', (line, column, at) => {
  expect(offsetOf(TEXT, line, column)).toBe(at);
});
