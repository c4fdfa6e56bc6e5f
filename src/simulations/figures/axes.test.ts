import { describe, expect, it } from 'vitest';
import type { BarPanel, LinePanel } from '../../simulator/report/figure.js';
import { valueScales, xAxisOption, yAxisOption } from './axes.js';
import { ON_WHITE } from './palette.js';

const PLAIN = { every: 1, rotate: 0, extraHeight: 0 };

function lines(ys: number[], changes: Partial<LinePanel> = {}): LinePanel {
  const points = ys.map((y, at) => [at + 1, y] as const);
  return {
    kind: 'lines',
    title: '',
    x: { label: 'x' },
    y: { label: 'y' },
    lines: [{ name: 'a', points }],
    ...changes,
  };
}

const BARS: BarPanel = {
  kind: 'bars',
  title: '',
  x: { label: 'backend', categories: ['a', 'b', 'c'] },
  y: { label: 'y' },
  bars: [{ name: 'n', values: [98, 99, 100] }],
};

describe('scales', () => {
  it('are of each panel, or of all', () => {
    const panels = [lines([1, 10]), lines([1, 50])];
    expect(valueScales(panels, false).map(({ max }) => max)).toEqual([10, 50]);
    expect(valueScales(panels, true).map(({ max }) => max)).toEqual([50, 50]);
  });

  it('hold the marks, too', () => {
    expect(valueScales([lines([1, 10], { marks: [{ value: 80, label: 'm' }] })], false)[0]!.max).toBe(80);
  });

  it('start at 0 for bars, are logarithmic where that is asked for', () => {
    expect(valueScales([BARS], false)[0]!.min).toBe(0);
    expect(valueScales([lines([99, 100])], false)[0]!.min).toBeGreaterThan(90);
    expect(valueScales([lines([99, 100]), BARS], true)[0]!.min).toBe(0);
    expect(valueScales([lines([1, 1_000], { y: { label: 'y', isLogarithmic: true } })], false)[0]!.min).toBe(
      1,
    );
  });
});

describe('a closer look', () => {
  const least = (...panels: LinePanel[]) => valueScales(panels, true)[0]!.min;
  const marks = [{ value: 99, label: 'bound' }];

  it('is taken at lines, and sooner when there is a mark to compare them with', () => {
    expect(least(lines([99, 100]))).toBeGreaterThan(90);
    expect(least(lines([90, 100]))).toBe(0);
    expect(least(lines([90, 100], { marks }))).toBeGreaterThan(80);
    expect(least(lines([70, 100], { marks }))).toBe(0);
    expect(least(lines([90, 100], { marks }), lines([90, 100]))).toBe(0);
  });
});

describe('the upright axis', () => {
  it('has its ticks, and light lines across', () => {
    expect(yAxisOption(BARS, { min: 0, max: 2, ticks: [0, 1, 2] }, 3, ON_WHITE)).toMatchObject({
      type: 'value',
      gridIndex: 3,
      min: 0,
      max: 2,
      axisLabel: { customValues: [0, 1, 2] },
      axisTick: { customValues: [0, 1, 2] },
      splitLine: { show: true },
    });
  });

  it('lets bars stand on the least value where there is no 0', () => {
    const panel = { ...BARS, y: { label: 'y', isLogarithmic: true } };
    expect(yAxisOption(panel, { min: 10, max: 100, ticks: [10, 100] }, 0, ON_WHITE)).toMatchObject({
      type: 'log',
      startValue: 10,
    });
  });
});

describe('the axis below', () => {
  it('has numbers for lines', () => {
    expect(xAxisOption(lines([5, 6, 7, 8]), PLAIN, 1, ON_WHITE)).toMatchObject({
      type: 'value',
      gridIndex: 1,
      name: 'x',
      min: 1,
      max: 4,
      axisLabel: { customValues: [1, 1.5, 2, 2.5, 3, 3.5, 4] },
      splitLine: { show: false },
    });
    const panel = lines([5, 6, 7, 8], { x: { label: 'x', isLogarithmic: true } });
    expect(xAxisOption(panel, PLAIN, 0, ON_WHITE)).toMatchObject({ type: 'log', min: 1, max: 5 });
  });

  it('has names for bars, as many as there is room for', () => {
    const option = xAxisOption(BARS, { every: 2, rotate: 30, extraHeight: 12 }, 0, ON_WHITE);
    expect(option).toMatchObject({
      type: 'category',
      data: ['a', 'b', 'c'],
      nameGap: 40,
      axisLabel: { rotate: 30 },
    });
    const { interval } = option.axisLabel as { interval: (index: number) => boolean };
    expect([0, 1, 2].map(interval)).toEqual([true, false, true]);
  });
});
