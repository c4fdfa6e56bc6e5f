import type { Figure, Panel } from '../../simulator/report/figure.js';
import { valueScales, xAxisOption, yAxisOption } from './axes.js';
import { type CategoryLabels, categoryLabels } from './category-labels.js';
import type { Chart, ChartOption, TitleComponentOption } from './chart.js';
import { type Layout, LEGEND_ITEM, layoutFigure, panelWidth } from './layout.js';
import { FONT_FAMILY, FONT_SIZE, INK, looksOf } from './palette.js';
import type { Scale } from './scale.js';
import { seriesOf } from './series.js';
import { textWidth, tickLabel } from './text.js';

/** Beside a plot there is room for a word or two. */
const WIDEST_MARK_LABEL = 90;

/** A figure as ECharts is told to draw it: every place, every tick and every colour is decided here. */
export function chartOf(figure: Figure): Chart {
  const { panels } = figure;
  const scales = valueScales(panels, figure.sharesScale ?? false);
  const valueLabelWidth = Math.max(...scales.map(labelWidth), 0);
  const markWidth = Math.max(0, ...panels.flatMap(markWidths));
  const areMarksBeside = markWidth <= WIDEST_MARK_LABEL;
  const markLabelWidth = areMarksBeside ? Math.ceil(markWidth) : 0;
  const plotWidth = panelWidth(panels.length) - valueLabelWidth - markLabelWidth;
  const labels = panels.map((panel) =>
    categoryLabels(panel.kind === 'bars' ? panel.x.categories : [], plotWidth),
  );
  const names = [...new Set(panels.flatMap(namesOf))];
  const legend = names.length > 1 ? names : [];
  const layout = layoutFigure({
    title: figure.title,
    caption: figure.caption,
    legend,
    hasPanelTitles: panels.some(({ title }) => title !== ''),
    valueLabelWidth,
    markLabelWidth,
    below: panels.map(({ x }, at) => ({ extraHeight: labels[at]!.extraHeight, hasName: x.label !== '' })),
  });
  // The first colour is that of thin lines.
  const looks = looksOf(names, panels.some(hasThinLines) ? 1 : 0);
  const option: ChartOption = {
    animation: false,
    backgroundColor: INK.paper,
    textStyle: { fontFamily: FONT_FAMILY },
    title: titlesOf(figure, layout),
    ...(legend.length > 0 ? { legend: legendOption(legend, panels, layout) } : {}),
    grid: layout.panels.map(({ plot: { x, y, width, height } }) => ({ left: x, top: y, width, height })),
    ...axesOf(panels, scales, labels),
    series: panels.flatMap((panel, at) => seriesOf(panel, at, { looks, width: plotWidth, areMarksBeside })),
  };
  return { width: layout.width, height: layout.height, option };
}

function axesOf(panels: readonly Panel[], scales: readonly Scale[], labels: readonly CategoryLabels[]) {
  return {
    xAxis: panels.map((panel, at) => xAxisOption(panel, labels[at]!, at)),
    yAxis: panels.map((panel, at) => yAxisOption(panel, scales[at]!, at)),
  };
}

function hasThinLines(panel: Panel): boolean {
  return panel.kind === 'lines' && panel.lines.some(({ isThin }) => isThin);
}

function markWidths({ marks = [] }: Panel): number[] {
  return marks.map(({ label }) => textWidth(label, FONT_SIZE.small) + 8);
}

/** Those that a legend would show. */
function namesOf(panel: Panel): string[] {
  if (panel.kind === 'bars') return panel.bars.map(({ name }) => name);
  return panel.lines.filter(({ isThin }) => !isThin).map(({ name }) => name);
}

function labelWidth({ ticks }: Scale): number {
  return Math.ceil(Math.max(...ticks.map((tick) => textWidth(tickLabel(tick), FONT_SIZE.small))) + 12);
}

function titlesOf(figure: Figure, layout: Layout): TitleComponentOption[] {
  const { x, titleLines, titleY, captionLines, captionY } = layout;
  return [
    text(titleLines.join('\n'), x, titleY, FONT_SIZE.title, INK.title, 'bold', 24),
    text(captionLines.join('\n'), x, captionY, FONT_SIZE.caption, INK.caption, 'normal', 18),
    ...figure.panels.flatMap((panel, at) => {
      const { x: left, titleY: top, nameY } = layout.panels[at]!;
      return [
        text(panel.title, left, top, FONT_SIZE.panel, INK.title, 'bold'),
        text(panel.y.label, left, nameY, FONT_SIZE.small, INK.text),
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

function legendOption(names: readonly string[], panels: readonly Panel[], { x, legendY, width }: Layout) {
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
    textStyle: { color: INK.text, fontSize: FONT_SIZE.text },
  };
}
