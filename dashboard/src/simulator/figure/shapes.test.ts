import { describe, expect, it } from 'vitest';
import type { BarPanel } from '../../../../src/simulator/report/figure.js';
import { barBoxes, linePath, symbolPath } from './shapes.js';

const same = (value: number) => value;

it('a line goes through its points', () => {
  expect(
    linePath(
      [
        [1, 2],
        [3, 4],
        [5, 6],
      ],
      same,
      (value) => 10 - value,
    ),
  ).toBe('M1 8L3 6L5 4');
  expect(linePath([], same, same)).toBe('');
});

it('symbols are around their point', () => {
  expect(
    (['circle', 'rect', 'triangle', 'diamond'] as const).map((symbol) => symbolPath(symbol, 10, 20)),
  ).toEqual([
    'M7 20a3 3 0 1 0 6 0a3 3 0 1 0 -6 0',
    'M7 17h6v6h-6z',
    'M10 17l3 6h-6z',
    'M10 17l3 3l-3 3l-3 -3z',
  ]);
});

describe('bars', () => {
  const panel: BarPanel = {
    kind: 'bars',
    title: '',
    x: { label: '', categories: ['p', 'q'] },
    y: { label: '' },
    bars: [
      { name: 'a', values: [10, 20] },
      { name: 'b', values: [30, 0] },
    ],
  };
  const plot = { x: 100, y: 0, width: 80, height: 50 };
  const style = { categoryGap: 0.5, barGap: 0, widest: 56, isLabelled: false };
  const boxes = (changes: Partial<typeof style> = {}) =>
    barBoxes(panel, { ...style, ...changes }, plot, (value) => 50 - value, 50);

  it('stand beside each other in the middle of their category, from the bottom up', () => {
    expect(boxes()).toEqual([
      { name: 'a', value: 10, x: 110, y: 40, width: 10, height: 10 },
      { name: 'a', value: 20, x: 150, y: 30, width: 10, height: 20 },
      { name: 'b', value: 30, x: 120, y: 20, width: 10, height: 30 },
      { name: 'b', value: 0, x: 160, y: 50, width: 10, height: 0 },
    ]);
  });

  it('are no wider than is becoming', () => {
    expect(boxes({ widest: 4 }).map(({ x, width }) => [x, width])).toEqual([
      [116, 4],
      [156, 4],
      [120, 4],
      [160, 4],
    ]);
  });
});
