import { chartOf } from '../../simulations/figures/option.js';
import type { Figure } from '../../simulator/report/figure.js';
import { renderChart } from './echarts.js';
import { type Drawing, stackDrawings, tidyMarkup } from './svg.js';

/** All figures in one SVG, the same bytes for the same data. */
export function drawFigures(figures: readonly Figure[]): string {
  return stackDrawings(figures.map(drawFigure));
}

function drawFigure(figure: Figure, at: number): Drawing {
  const chart = chartOf(figure);
  const markup = tidyMarkup(renderChart(chart), `figure${at}`);
  return { title: figure.title, caption: figure.caption, width: chart.width, height: chart.height, markup };
}
