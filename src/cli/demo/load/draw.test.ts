import { expect, it } from 'vitest';
import { draw } from './draw.js';

const PARTS = [
  { value: 'a', share: 1 },
  { value: 'b', share: 2 },
  { value: 'never', share: 0 },
  { value: 'c', share: 1 },
];

it.each([
  [0, 'a'],
  [0.249, 'a'],
  [0.25, 'b'],
  [0.749, 'b'],
  [0.75, 'c'],
  [0.999_999, 'c'],
  [1, 'c'],
])('of %d makes %s', (drawn, value) => {
  expect(draw(PARTS, drawn)).toBe(value);
});
