import { expect, it } from 'vitest';
import { positionOf } from './positions.js';

it('lie between the ends of an axis, upright ones from below', () => {
  const at = positionOf({ min: 0, max: 10, ticks: [] }, false, 200, 100);
  expect([0, 5, 10].map(at)).toEqual([200, 150, 100]);
  expect(positionOf({ min: 0, max: 3, ticks: [] }, false, 0, 100)(1)).toBe(33.3);
});

it('are as far from each other as their logarithms', () => {
  const at = positionOf({ min: 1, max: 100, ticks: [] }, true, 0, 100);
  expect([1, 10, 100].map(at)).toEqual([0, 50, 100]);
});
