import { expect, it } from 'vitest';
import { agoText, axisEnd, niceAbove } from './time-option.js';
import type { TimeSeries } from './time-series.js';

it.each([
  [0, 0],
  [0.93, 1],
  [1.2, 1.5],
  [97, 105],
  [480, 550],
])('leaves room above %s', (value, end) => {
  expect(niceAbove(value)).toBeCloseTo(end);
});

it('ends an axis above what is stacked, and above lines', () => {
  const looks = ['stack', 'stack', 'line'] as const;
  const series = looks.map((look): TimeSeries => ({ name: look, colour: 'good', look, pick: () => 0 }));
  const points = [[[0, 40]], [[0, 50]], [[0, 60]]] as const;
  expect(axisEnd(series, points, 0)).toBe(95);
  expect(axisEnd(series, points, 200)).toBe(200);
  expect(axisEnd(series, [[[0, null]], [], []], 10)).toBe(10);
});

it('counts back from now', () => {
  expect([-300_000, -61_000, 0].map(agoText)).toEqual(['-5 min', '-61 s', 'now']);
});
