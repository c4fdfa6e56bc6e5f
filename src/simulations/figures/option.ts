import type { Figure, Panel } from '../../simulator/report/figure.js';
import { xAxisOption, yAxisOption } from './axes.js';
import type { CategoryLabels } from './category-labels.js';
import type { Chart, ChartOption, TitleComponentOption } from './chart.js';
import { type Layout, LEGEND_ITEM, LINE_HEIGHT } from './layout.js';
import { FONT_FAMILY, FONT_SIZE, type Palette } from './palette.js';
import { planFigure, REPORT, type Sheet } from './plan.js';
import type { Scale } from './scale.js';
import { seriesOf } from './series.js';

/** A figure as ECharts is told to draw it: it decides nothing by itself. */
export function chartOf(figure: Figure, sheet: Sheet = REPORT): Chart {
  const { panels } = figure;
  const { palette } = sheet;
  const { layout, legend, looks, plotWidth, areMarksBeside, scales, labels } = planFigure(figure, sheet);
  const option: ChartOption = {
    animation: false,
    backgroundColor: palette.paper,
    textStyle: { fontFamily: FONT_FAMILY },
    title: titlesOf(figure, layout, palette),
    ...(legend.length > 0 ? { legend: legendOption(legend, panels, layout, palette) } : {}),
    grid: layout.panels.map(({ plot: { x, y, width, height } }) => ({ left: x, top: y, width, height })),
    ...axesOf(panels, scales, labels, palette),
    series: panels.flatMap((panel, at) =>
      seriesOf(panel, at, { palette, looks, width: plotWidth, areMarksBeside }),
    ),
  };
  return { width: layout.width, height: layout.height, option };
}

function axesOf(
  panels: readonly Panel[],
  scales: readonly Scale[],
  labels: readonly CategoryLabels[],
  palette: Palette,
) {
  return {
    xAxis: panels.map((panel, at) => xAxisOption(panel, labels[at]!, at, palette)),
    yAxis: panels.map((panel, at) => yAxisOption(panel, scales[at]!, at, palette)),
  };
}

function titlesOf(figure: Figure, layout: Layout, palette: Palette): TitleComponentOption[] {
  const { x, titleLines, titleY, captionLines, captionY } = layout;
  return [
    text(titleLines.join('\n'), x, titleY, FONT_SIZE.title, palette.title, 'bold', LINE_HEIGHT.title),
    text(
      captionLines.join('\n'),
      x,
      captionY,
      FONT_SIZE.caption,
      palette.caption,
      'normal',
      LINE_HEIGHT.caption,
    ),
    ...figure.panels.flatMap((panel, at) => {
      const { x: left, titleY: top, nameY } = layout.panels[at]!;
      return [
        text(panel.title, left, top, FONT_SIZE.panel, palette.title, 'bold'),
        text(panel.y.label, left, nameY, FONT_SIZE.small, palette.text),
      ];
    }),
  ].filter((title) => title.text !== '');
}

function text(
  content: string,
  left: number,
  top: number,
  fontSize: number,
  color: string,
  fontWeight: 'normal' | 'bold' = 'normal',
  lineHeight?: number,
): TitleComponentOption {
  const textStyle = { fontSize, color, fontWeight, ...(lineHeight === undefined ? {} : { lineHeight }) };
  return { text: content, left, top, padding: 0, textStyle, textAlign: 'left' };
}

function legendOption(
  names: readonly string[],
  panels: readonly Panel[],
  { x, legendY, width }: Layout,
  palette: Palette,
) {
  const isOfBars = panels.every(({ kind }) => kind === 'bars');
  return {
    data: names.map((name) => (isOfBars ? { name, icon: 'rect' } : { name })),
    left: x,
    top: legendY,
    width: width - 2 * x,
    padding: 0,
    itemGap: LEGEND_ITEM.gap,
    itemWidth: isOfBars ? LEGEND_ITEM.height : LEGEND_ITEM.width,
    itemHeight: LEGEND_ITEM.height,
    selectedMode: false,
    textStyle: { color: palette.text, fontSize: FONT_SIZE.text },
  };
}
