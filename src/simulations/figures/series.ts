import type { BarPanel, LinePanel, Panel } from '../../simulator/report/figure.js';
import { formatNumber } from '../report/numbers.js';
import type { BarSeriesOption, LineSeriesOption, SeriesOption } from './chart.js';
import { barStyle, hasSymbols, marksShown, pointsShown, thinOpacity } from './drawn.js';
import { FONT_SIZE, type Looks, type Palette } from './palette.js';

function valueLabel({ text, paper }: Palette) {
  return {
    position: 'top',
    distance: 3,
    color: text,
    fontSize: FONT_SIZE.small,
    textBorderColor: paper,
    textBorderWidth: 3,
    formatter: ({ value }: { value: unknown }) => formatNumber(value as number),
  } as const;
}

export interface PanelStyle {
  readonly palette: Palette;
  readonly looks: Looks;
  /** Of the plot. */
  readonly width: number;
  /** Whether labels of marks stand beside the plot, or in it. */
  readonly areMarksBeside: boolean;
}

/** Everything that is drawn in one panel. */
export function seriesOf(panel: Panel, at: number, style: PanelStyle): SeriesOption[] {
  const data = panel.kind === 'bars' ? barSeries(panel, style) : lineSeries(panel, style);
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

function barSeries(panel: BarPanel, { looks, palette }: PanelStyle): BarSeriesOption[] {
  const { categoryGap, barGap, widest, isLabelled } = barStyle(panel);
  return panel.bars.map(({ name, values }) => ({
    type: 'bar',
    name,
    data: [...values],
    itemStyle: { color: looks.get(name)!.colour },
    barCategoryGap: percent(categoryGap),
    barGap: percent(barGap),
    barMaxWidth: widest,
    label: { ...valueLabel(palette), show: isLabelled },
  }));
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}

function lineSeries(panel: LinePanel, { looks, width, palette }: PanelStyle): LineSeriesOption[] {
  const thinStyle = { color: palette.series[0]!, width: 1, opacity: thinOpacity(panel) };
  return panel.lines.map((line): LineSeriesOption => {
    const { name, isThin } = line;
    const shown = pointsShown(line, panel, width);
    const data = shown.map(([px, py]) => [px, py]);
    if (isThin) return { type: 'line', name, data, symbol: 'none', lineStyle: thinStyle, z: 2 };
    const { colour, symbol, isDashed } = looks.get(name)!;
    return {
      type: 'line',
      name,
      data,
      symbol: hasSymbols(shown) ? symbol : 'none',
      symbolSize: 6,
      itemStyle: { color: colour, borderWidth: 0, opacity: 1 },
      lineStyle: { color: colour, width: 2, type: isDashed ? 'dashed' : 'solid' },
      z: 3,
    };
  });
}

/** Marks belong to no data of the panel: they have a series of their own, which has none. */
function markSeries(panel: Panel, { areMarksBeside, palette }: PanelStyle): LineSeriesOption {
  return {
    type: 'line',
    name: '',
    data: [],
    markLine: {
      // Above bars, but below what is written on them.
      z: panel.kind === 'bars' ? 2 : 5,
      // Or it would be drawn at 0.99 when 0.994 is meant.
      precision: -1,
      silent: true,
      animation: false,
      symbol: 'none',
      lineStyle: { color: palette.mark, width: 1, type: [5, 4] },
      label: {
        position: areMarksBeside ? 'end' : 'insideEndTop',
        formatter: '{b}',
        color: palette.mark,
        fontSize: FONT_SIZE.small,
        textBorderColor: palette.paper,
        textBorderWidth: 3,
        distance: 6,
      },
      data: marksShown(panel).map(({ value, label }) => ({ yAxis: value, name: label, z2: 2 })),
    },
  };
}
