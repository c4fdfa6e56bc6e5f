import { describe, expect, it } from 'vitest';
import type { Figure, LinePanel } from '../../simulator/report/figure.js';
import { chartOf } from './option.js';
import { SERIES_COLOURS } from './palette.js';
import { GROUPED_BARS, LATENCY_BY_LOAD, MANY_BARS, MIXED, THIN_LINES } from './samples.contract.js';

/** Options are made to be passed on: a look into them. */
// biome-ignore lint/suspicious/noExplicitAny: ECharts' options are unions of unions
const optionOf = (figure: Figure): any => chartOf(figure).option;

const texts = (figure: Figure): string[] => optionOf(figure).title.map(({ text }: { text: string }) => text);

const PANEL: LinePanel = {
  kind: 'lines',
  title: '',
  x: { label: 'x' },
  y: { label: 'y' },
  lines: [{ name: 'one', points: [[0, 1]] }],
};

describe('a figure', () => {
  it('has its title, its caption, and the titles and axes of its panels', () => {
    expect(texts(THIN_LINES)).toEqual([
      'CPU of every backend over time',
      'Machines of different speed and antagonistic neighbours: only weights and probes even it out.',
      'round-robin',
      'CPU, 1 = reserved',
      'least-loaded',
      'CPU, 1 = reserved',
      'weighted',
      'CPU, 1 = reserved',
    ]);
    expect(texts(LATENCY_BY_LOAD).slice(2)).toEqual(['p99 latency, ms']);
    expect(texts(MIXED)[0]).toMatch(/\n/);
  });

  it('has a place for each panel', () => {
    const { grid, xAxis, yAxis } = optionOf(MIXED);
    expect([grid.length, xAxis.length, yAxis.length]).toEqual([5, 5, 5]);
    expect(chartOf(MIXED).height).toBeGreaterThan(grid[4].top + grid[4].height);
  });

  it('may be empty', () => {
    expect(chartOf({ title: 'nothing', caption: '', panels: [] })).toMatchObject({ width: 960 });
  });

  it('is on one scale where panels share it', () => {
    const maxima = (figure: Figure) => optionOf(figure).yAxis.map(({ max }: { max: number }) => max);
    expect(maxima(THIN_LINES)).toEqual([1.5, 1.5, 1.5]);
    expect(new Set(maxima({ ...THIN_LINES, sharesScale: false })).size).toBeGreaterThan(1);
  });

  it('is not animated, on white', () => {
    expect(optionOf(MANY_BARS)).toMatchObject({ animation: false, backgroundColor: '#ffffff' });
  });
});

describe('a legend', () => {
  it('names lines and bars, where there is more than one', () => {
    expect(optionOf(LATENCY_BY_LOAD).legend.data).toEqual([
      { name: 'round-robin' },
      { name: 'least-loaded' },
      { name: 'weighted' },
      { name: 'prequal' },
    ]);
    expect(optionOf(GROUPED_BARS).legend).toMatchObject({
      data: [{ icon: 'rect' }, {}, {}, {}],
      itemWidth: 10,
      selectedMode: false,
    });
    expect(optionOf(MANY_BARS)).not.toHaveProperty('legend');
  });

  it('names neither thin lines, nor the same one twice', () => {
    expect(optionOf(THIN_LINES)).not.toHaveProperty('legend');
    expect(optionOf(MIXED)).not.toHaveProperty('legend');
    expect(optionOf({ ...LATENCY_BY_LOAD, panels: [PANEL, PANEL] })).not.toHaveProperty('legend');
  });
});

describe('colours', () => {
  const colours = (figure: Figure): string[] =>
    optionOf(figure).series.flatMap(
      ({ lineStyle }: { lineStyle?: { color: string } }) => lineStyle?.color ?? [],
    );

  it('leave the first to thin lines', () => {
    expect(colours(THIN_LINES).every((colour) => colour === SERIES_COLOURS[0])).toBe(true);
    const both = { ...PANEL, lines: [...PANEL.lines, { name: 'thin', points: [], isThin: true }] };
    expect(colours({ ...MIXED, panels: [both] })).toEqual([SERIES_COLOURS[1], SERIES_COLOURS[0]]);
    expect(colours({ ...MIXED, panels: [PANEL] })).toEqual([SERIES_COLOURS[0]]);
  });
});

describe('labels of marks', () => {
  const withMark = (label: string) =>
    optionOf({ title: '', caption: '', panels: [{ ...PANEL, marks: [{ value: 1, label }] }] });

  it('stand beside the plot when they are short, in it when they are long', () => {
    const [none, short, long] = ['', 'bound', 'what the book says it should be'].map(withMark);
    expect(short.grid[0].width).toBeLessThan(none.grid[0].width);
    expect(short.series[1].markLine.label.position).toBe('end');
    expect(long.grid[0].width).toBeGreaterThan(short.grid[0].width);
    expect(long.series[1].markLine.label.position).toBe('insideEndTop');
  });
});
