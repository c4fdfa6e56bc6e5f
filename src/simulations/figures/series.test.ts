import { describe, expect, it } from 'vitest';
import type { BarPanel, LinePanel } from '../../simulator/report/figure.js';
import { looksOf, ON_WHITE, SERIES_COLOURS } from './palette.js';
import { seriesOf } from './series.js';

const STYLE = {
  palette: ON_WHITE,
  looks: looksOf(['a', 'b'], SERIES_COLOURS),
  width: 100,
  areMarksBeside: true,
};

const points = (count: number) => Array.from({ length: count }, (_, at) => [at, at] as const);

function lines(...all: LinePanel['lines']): LinePanel {
  return { kind: 'lines', title: '', x: { label: '' }, y: { label: '' }, lines: all };
}

function bars(categories: number, names = ['a']): BarPanel {
  const values = Array.from({ length: categories }, (_, at) => at);
  return {
    kind: 'bars',
    title: '',
    x: { label: '', categories: values.map(String) },
    y: { label: '' },
    bars: names.map((name) => ({ name, values })),
  };
}

it('belongs to its panel, and does nothing', () => {
  for (const series of [
    ...seriesOf(lines({ name: 'a', points: points(3) }), 2, STYLE),
    ...seriesOf(bars(3), 2, STYLE),
  ])
    expect(series).toMatchObject({
      xAxisIndex: 2,
      yAxisIndex: 2,
      silent: true,
      animation: false,
      emphasis: { disabled: true },
    });
});

describe('lines', () => {
  it('have colours by name, and symbols while points are few', () => {
    const [first, second] = seriesOf(
      lines({ name: 'b', points: points(24) }, { name: 'a', points: points(25) }),
      0,
      STYLE,
    );
    expect(first).toMatchObject({ symbol: 'rect', lineStyle: { color: SERIES_COLOURS[1], type: 'solid' } });
    expect(second).toMatchObject({ symbol: 'none', lineStyle: { color: SERIES_COLOURS[0] } });
    const dashed = new Map([['a', { colour: '#123456', symbol: 'circle', isDashed: true } as const]]);
    expect(seriesOf(lines({ name: 'a', points: [] }), 0, { ...STYLE, looks: dashed })[0]).toMatchObject({
      lineStyle: { color: '#123456', type: 'dashed' },
    });
  });

  it('are the fainter the more there are', () => {
    const opacity = (count: number) => {
      const thin = Array.from({ length: count }, (_, at) => ({
        name: `t${at}`,
        points: points(2),
        isThin: true,
      }));
      const [series] = seriesOf(lines(...thin), 0, STYLE);
      return (series as { lineStyle: { opacity: number } }).lineStyle.opacity;
    };
    expect([1, 30, 60, 1_000].map(opacity)).toEqual([0.7, 0.4, 0.2, 0.15]);
  });

  it('have no more points than can be seen', () => {
    const [series] = seriesOf(lines({ name: 'a', points: points(10_000) }), 0, STYLE);
    expect((series!.data as unknown[]).length).toBe(200);
  });

  it('leave out what has no place on a logarithmic axis', () => {
    const panel = lines({
      name: 'a',
      points: [
        [0, 5],
        [1, 0],
        [2, 3],
      ],
    });
    const dataOf = (shown: LinePanel) => seriesOf(shown, 0, STYLE)[0]!.data;
    expect(dataOf(panel)).toHaveLength(3);
    expect(dataOf({ ...panel, y: { label: '', isLogarithmic: true } })).toEqual([
      [0, 5],
      [2, 3],
    ]);
    expect(dataOf({ ...panel, x: { label: '', isLogarithmic: true } })).toEqual([
      [1, 0],
      [2, 3],
    ]);
  });
});

describe('bars', () => {
  it('are apart while there is room', () => {
    expect(seriesOf(bars(30, ['a', 'b']), 0, STYLE)[0]).toMatchObject({ barCategoryGap: '40%' });
    expect(seriesOf(bars(31, ['a', 'b']), 0, STYLE)[0]).toMatchObject({ barCategoryGap: '15%' });
  });

  it('have their values on them when they are few', () => {
    const [series] = seriesOf(bars(8), 0, STYLE);
    expect(series).toMatchObject({ label: { show: true }, itemStyle: { color: SERIES_COLOURS[0] } });
    const { formatter } = series!.label as { formatter: (of: { value: unknown }) => string };
    expect(formatter({ value: 1_234.5 })).toBe('1 235');
    expect(seriesOf(bars(9), 0, STYLE)[0]).toMatchObject({ label: { show: false } });
  });
});

describe('marks', () => {
  const marks = [
    { value: 5, label: 'bound' },
    { value: 0, label: 'nothing' },
    { value: Number.NaN, label: 'unknown' },
  ];
  const markLine = (panel: LinePanel | BarPanel, areMarksBeside = true) =>
    seriesOf(panel, 0, { ...STYLE, areMarksBeside }).at(-1)!.markLine as { data: { name: string }[] };
  const namesOf = (panel: LinePanel) => markLine(panel).data.map(({ name }) => name);

  it('are lines across, exactly at their values', () => {
    expect(markLine({ ...lines(), marks })).toMatchObject({
      precision: -1,
      symbol: 'none',
      data: [{ yAxis: 5, name: 'bound' }, { yAxis: 0 }],
    });
    expect(markLine(lines()).data).toEqual([]);
  });

  it('are left out where the axis has no place for them', () => {
    expect(namesOf({ ...lines(), marks })).toEqual(['bound', 'nothing']);
    expect(namesOf({ ...lines(), marks, y: { label: '', isLogarithmic: true } })).toEqual(['bound']);
  });

  it('lie above lines, and between bars and what is written on them', () => {
    expect(markLine(lines())).toMatchObject({ z: 5 });
    expect(markLine(bars(3))).toMatchObject({ z: 2 });
  });

  it('have their labels beside the plot, or in it', () => {
    expect(markLine(lines())).toMatchObject({ label: { position: 'end' } });
    expect(markLine(lines(), false)).toMatchObject({ label: { position: 'insideEndTop' } });
  });
});
