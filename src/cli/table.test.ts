import { expect, it } from 'vitest';
import { formatNumber, formatPercent, renderRange, renderTable } from './table.js';

it('writes numbers as people read them', () => {
  expect(formatNumber(10)).toBe('10');
  expect(formatNumber(1.256)).toBe('1.26');
  expect(formatPercent(0.0032)).toBe('0.32 %');
  expect(formatPercent(0.902)).toBe('90.2 %');
});

it('aligns text to the left and numbers to the right', () => {
  expect(
    renderTable(
      ['algorithm', 'max/mean'],
      [
        ['random', 1.5],
        ['rocksteadier', 1],
      ],
    ).split('\n'),
  ).toEqual([
    'algorithm     max/mean',
    '────────────  ────────',
    'random            1.50',
    'rocksteadier         1',
  ]);
});

it('draws a range on its scale, with a mark at 1', () => {
  expect(renderRange(0.5, 1.5, 2, 9)).toBe('··━━┿━━··');
  expect(renderRange(1, 1, 2, 9)).toBe('····┿····');
  expect(renderRange(1.5, 9, 2, 9)).toBe('····│·━━━');
});
