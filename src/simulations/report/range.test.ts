import { expect, it } from 'vitest';
import { renderRange, scaleFor } from './range.js';

it('draws a range on its scale, with a mark at 1', () => {
  expect(renderRange(0.5, 1.5, 2, 9)).toBe('··━━┿━━··');
  expect(renderRange(1, 1, 2, 9)).toBe('····┿····');
  expect(renderRange(1.5, 9, 2, 9)).toBe('····│·━━━');
  expect(renderRange(0, 2, 2)).toHaveLength(31);
});

it('stretches the scale for what is above twice the mean', () => {
  expect(scaleFor([1, 1.5])).toBe(2);
  expect(scaleFor([2.01, 1])).toBe(3);
  expect(scaleFor([])).toBe(2);
  expect(scaleFor([Number.POSITIVE_INFINITY, 7])).toBe(7);
});
