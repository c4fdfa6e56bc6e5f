import { expect, it } from 'vitest';
import { sectionsOf } from './sections.js';

it('are in the order in which they are met, those without a title first', () => {
  const [a, b, c, d] = [{ section: 'x', n: 1 }, { n: 2 }, { section: 'y', n: 3 }, { section: 'x', n: 4 }];
  expect(sectionsOf([a, b, c, d])).toEqual([
    ['', [b]],
    ['x', [a, d]],
    ['y', [c]],
  ]);
  expect(sectionsOf([])).toEqual([]);
});
