import type { BarPanel, LinePanel, Panel } from '../../simulator/report/figure.js';
import { formatNumber } from '../report/numbers.js';
import type { BarSeriesOption, LineSeriesOption, SeriesOption } from './chart.js';
import { fewerPoints } from './fewer-points.js';
import { FONT_SIZE, INK, type Look, SERIES_COLOURS } from './palette.js';

/** With more points than this, symbols would hide the line. */
const MOST_SYMBOLS = 24;

/** With more bars than this in a panel, there is no room between them. */
const MOST_APART = 60;

/** With more bars than this, their values are left to the axis. */
const MOST_LABELLED = 8;

const VALUE_LABEL = {
  position: 'top',
  distance: 3,
  color: INK.text,
  fontSize: FONT_SIZE.small,
  textBorderColor: INK.paper,
  textBorderWidth: 3,
  formatter: ({ value }: { value: unknown }) => formatNumber(value as number),
} as const;

export type Looks = ReadonlyMap<string, Look>;

export interface PanelStyle {
  readonly looks: Looks;
  /** Of the plot. */
  readonly width: number;
  /** Whether labels of marks stand beside the plot, or in it. */
  readonly areMarksBeside: boolean;
}

/** Everything that is drawn in one panel. */
export function seriesOf(panel: Panel, at: number, style: PanelStyle): SeriesOption[] {
  const data = panel.kind === 'bars' ? barSeries(panel, style.looks) : lineSeries(panel, style);
  const all = [...data, markSeries(panel, style)];
  return all.map((series) => ({
    ...series,
    xAxisIndex: at,
    yAxisIndex: at,
    silent: true,
    animation: false,
    emphasis: { disabled: true },
  }));
}

function barSeries({ bars, x }: BarPanel, looks: Looks): BarSeriesOption[] {
  const count = bars.length * x.categories.length;
  const isCrowded = count > MOST_APART;
  return bars.map(({ name, values }) => ({
    type: 'bar',
    name,
    data: [...values],
    itemStyle: { color: looks.get(name)!.colour },
    barCategoryGap: isCrowded ? '15%' : '40%',
    barGap: '8%',
    barMaxWidth: 56,
    label: { ...VALUE_LABEL, show: count <= MOST_LABELLED },
  }));
}

function lineSeries({ lines, y, x }: LinePanel, { looks, width }: PanelStyle): LineSeriesOption[] {
  const thin = lines.filter(({ isThin }) => isThin).length;
  return lines.map(({ name, points, isThin }): LineSeriesOption => {
    const shown = points.filter(([px, py]) => (!x.isLogarithmic || px > 0) && (!y.isLogarithmic || py > 0));
    const data = fewerPoints(shown, Math.round(2 * width)).map(([px, py]) => [px, py]);
    if (isThin) return { type: 'line', name, data, symbol: 'none', lineStyle: thinStyle(thin), z: 2 };
    const { colour, symbol, isDashed } = looks.get(name)!;
    return {
      type: 'line',
      name,
      data,
      symbol: data.length > MOST_SYMBOLS ? 'none' : symbol,
      symbolSize: 6,
      itemStyle: { color: colour, borderWidth: 0, opacity: 1 },
      lineStyle: { color: colour, width: 2, type: isDashed ? 'dashed' : 'solid' },
      z: 3,
    };
  });
}

/** The more there are, the less each one counts: where they lie on each other it gets dark. */
function thinStyle(lines: number) {
  return { color: SERIES_COLOURS[0], width: 1, opacity: Math.min(0.7, Math.max(0.15, 12 / lines)) };
}

/** Marks belong to no data of the panel: they have a series of their own, which has none. */
function markSeries({ marks = [], y, kind }: Panel, { areMarksBeside }: PanelStyle): LineSeriesOption {
  const shown = marks.filter(({ value }) => Number.isFinite(value) && (!y.isLogarithmic || value > 0));
  return {
    type: 'line',
    name: '',
    data: [],
    markLine: {
      // Above bars, but below what is written on them.
      z: kind === 'bars' ? 2 : 5,
      // Or it would be drawn at 0.99 when 0.994 is meant.
      precision: -1,
      silent: true,
      animation: false,
      symbol: 'none',
      lineStyle: { color: INK.mark, width: 1, type: [5, 4] },
      label: {
        position: areMarksBeside ? 'end' : 'insideEndTop',
        formatter: '{b}',
        color: INK.mark,
        fontSize: FONT_SIZE.small,
        textBorderColor: INK.paper,
        textBorderWidth: 3,
        distance: 6,
      },
      data: shown.map(({ value, label }) => ({ yAxis: value, name: label, z2: 2 })),
    },
  };
}
