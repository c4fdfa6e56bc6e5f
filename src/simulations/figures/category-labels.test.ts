import { expect, it } from 'vitest';
import { categoryLabels } from './category-labels.js';

const names = ['round-robin', 'least-loaded', 'weighted', 'prequal'];

it('shows all labels where there is room', () => {
  expect(categoryLabels(names, 900)).toEqual({ every: 1, rotate: 0, extraHeight: 0 });
  expect(categoryLabels([], 900)).toEqual({ every: 1, rotate: 0, extraHeight: 0 });
});

it('turns a few that are too long', () => {
  const { every, rotate, extraHeight } = categoryLabels(names, 200);
  expect({ every, rotate }).toEqual({ every: 1, rotate: 30 });
  // Half of the longest, which is about sixty pixels.
  expect(extraHeight).toBeGreaterThan(20);
  expect(extraHeight).toBeLessThan(40);
});

it('leaves some of many out, at round numbers', () => {
  const many = Array.from({ length: 300 }, (_, at) => String(at));
  expect(categoryLabels(many, 900)).toEqual({ every: 10, rotate: 0, extraHeight: 0 });
  expect(categoryLabels(many, 800)).toMatchObject({ every: 20 });
  expect(categoryLabels(many.slice(0, 40), 800)).toMatchObject({ every: 2 });
});
