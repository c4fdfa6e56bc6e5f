import { chartOf } from '../../simulations/figures/option.js';
import { REPORT, type Sheet } from '../../simulations/figures/plan.js';
import type { Figure } from '../../simulator/report/figure.js';
import { renderChart } from './echarts.js';
import { type Drawing, stackDrawings, tidyMarkup } from './svg.js';

/** All figures in one SVG, the same bytes for the same data. */
export function drawFigures(figures: readonly Figure[], sheet: Sheet = REPORT): string {
  return stackDrawings(figures.map((figure, at) => drawFigure(figure, at, sheet)));
}

function drawFigure(figure: Figure, at: number, sheet: Sheet): Drawing {
  const chart = chartOf(figure, sheet);
  const markup = tidyMarkup(renderChart(chart), `figure${at}`);
  return { title: figure.title, caption: figure.caption, width: chart.width, height: chart.height, markup };
}
