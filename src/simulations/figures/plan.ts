import type { Figure, Panel } from '../../simulator/report/figure.js';
import { valueScales } from './axes.js';
import { type CategoryLabels, categoryLabels } from './category-labels.js';
import { FIGURE_WIDTH, type Layout, layoutFigure, panelWidth } from './layout.js';
import { FONT_SIZE, type Looks, looksOf, ON_WHITE, type Palette } from './palette.js';
import type { Scale } from './scale.js';
import { textWidth, tickLabel } from './text.js';

/** Beside a plot there is room for a word or two. */
const WIDEST_MARK_LABEL = 90;

/** What a figure is drawn on. */
export interface Sheet {
  readonly width: number;
  readonly palette: Palette;
}

/** A page of a report. */
export const REPORT: Sheet = { width: FIGURE_WIDTH, palette: ON_WHITE };

/** Every place, every scale and every colour of a figure, whoever draws it. */
export interface FigurePlan {
  readonly layout: Layout;
  /** Empty when there is none. */
  readonly legend: readonly string[];
  readonly looks: Looks;
  readonly plotWidth: number;
  /** Whether labels of marks stand beside the plot, or in it. */
  readonly areMarksBeside: boolean;
  /** Of each panel. */
  readonly scales: readonly Scale[];
  readonly labels: readonly CategoryLabels[];
}

export function planFigure(figure: Figure, { width, palette }: Sheet): FigurePlan {
  const { panels } = figure;
  const scales = valueScales(panels, figure.sharesScale ?? false);
  const valueLabelWidth = Math.max(...scales.map(labelWidth), 0);
  const markWidth = Math.max(0, ...panels.flatMap(markWidths));
  const areMarksBeside = markWidth <= WIDEST_MARK_LABEL;
  const markLabelWidth = areMarksBeside ? Math.ceil(markWidth) : 0;
  const plotWidth = panelWidth(panels.length, width) - valueLabelWidth - markLabelWidth;
  const labels = panels.map((panel) =>
    categoryLabels(panel.kind === 'bars' ? panel.x.categories : [], plotWidth),
  );
  const names = [...new Set(panels.flatMap(namesOf))];
  const legend = names.length > 1 ? names : [];
  const layout = layoutFigure({
    width,
    title: figure.title,
    caption: figure.caption,
    legend,
    hasPanelTitles: panels.some(({ title }) => title !== ''),
    valueLabelWidth,
    markLabelWidth,
    below: panels.map(({ x }, at) => ({ extraHeight: labels[at]!.extraHeight, hasName: x.label !== '' })),
  });
  // The first colour is that of thin lines.
  const looks = looksOf(names, palette.series, panels.some(hasThinLines) ? 1 : 0);
  return { layout, legend, looks, plotWidth, areMarksBeside, scales, labels };
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
