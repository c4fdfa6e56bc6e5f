import { describe, expect, it } from 'vitest';
import type { BarPanel, LinePanel } from '../../simulator/report/figure.js';
import { barStyle, hasSymbols, marksShown, pointsShown, thinOpacity } from './drawn.js';

const PANEL: LinePanel = { kind: 'lines', title: '', x: { label: '' }, y: { label: '' }, lines: [] };
const points = (count: number) => Array.from({ length: count }, (_, at) => [at, at] as const);

describe('of a line', () => {
  it('what has no place on a logarithmic axis is left out', () => {
    const line = {
      name: 'a',
      points: [
        [0, 1],
        [1, 0],
        [1, 1],
      ] as const,
    };
    const log = { label: '', isLogarithmic: true };
    expect(pointsShown(line, PANEL, 100)).toHaveLength(3);
    expect(pointsShown(line, { ...PANEL, x: log }, 100)).toEqual([
      [1, 0],
      [1, 1],
    ]);
    expect(pointsShown(line, { ...PANEL, y: log }, 100)).toEqual([
      [0, 1],
      [1, 1],
    ]);
  });

  it('no more points are drawn than can be told apart, and symbols only while they are few', () => {
    expect(pointsShown({ name: 'a', points: points(10_000) }, PANEL, 100)).toHaveLength(200);
    expect([24, 25].map((count) => hasSymbols(points(count)))).toEqual([true, false]);
  });

  it('that is one of many, less is seen', () => {
    const opacity = (count: number) =>
      thinOpacity({
        ...PANEL,
        lines: points(count).map(([at]) => ({ name: `${at}`, points: [], isThin: true })),
      });
    expect([1, 24, 10_000].map(opacity)).toEqual([0.7, 0.5, 0.15]);
  });
});

it('marks that have no place are left out', () => {
  const marks = [1, 0, Number.POSITIVE_INFINITY].map((value) => ({ value, label: '' }));
  expect(marksShown({ ...PANEL, marks })).toEqual(marks.slice(0, 2));
  expect(marksShown({ ...PANEL, marks, y: { label: '', isLogarithmic: true } })).toEqual(marks.slice(0, 1));
  expect(marksShown(PANEL)).toEqual([]);
});

it('bars stand apart, and say their values, while they are few', () => {
  const bars = (count: number): BarPanel => ({
    ...PANEL,
    kind: 'bars',
    x: { label: '', categories: points(count).map(String) },
    bars: [{ name: 'a', values: [] }],
  });
  expect([8, 9, 60, 61].map((count) => barStyle(bars(count)))).toMatchObject([
    { isLabelled: true, categoryGap: 0.4 },
    { isLabelled: false, categoryGap: 0.4 },
    { categoryGap: 0.4 },
    { categoryGap: 0.15 },
  ]);
});
