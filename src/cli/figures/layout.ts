import { FONT_SIZE } from './palette.js';
import { textWidth, wrapText } from './text.js';

/** As wide as a page of a report allows without being made smaller. */
export const FIGURE_WIDTH = 960;

const MARGIN = 24;

/** Between two panels beside each other, and below each other. */
const COLUMN_GAP = 24;
const ROW_GAP = 20;

const LINE_HEIGHT = { title: 24, caption: 18, legend: 22, panelTitle: 20, axisName: 20 } as const;

/** Below the plot: labels of the axis, then its name. */
const TICK_LABELS = 20;
const AXIS_NAME = 20;

/** The fewer there are in a row, the higher they are. */
const PLOT_HEIGHT: Readonly<Record<number, number>> = { 1: 320, 2: 250, 3: 220 };

/** In the legend: the sample of a line, then its name. */
export const LEGEND_ITEM = { width: 22, height: 10, gap: 20, padding: 5 } as const;

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface PanelLayout {
  /** Where title and name of the upright axis start. */
  readonly x: number;
  readonly titleY: number;
  readonly nameY: number;
  /** What the axes enclose. */
  readonly plot: Box;
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly x: number;
  readonly titleLines: readonly string[];
  readonly titleY: number;
  readonly captionLines: readonly string[];
  readonly captionY: number;
  readonly legendY: number;
  readonly panels: readonly PanelLayout[];
}

export interface Contents {
  readonly title: string;
  readonly caption: string;
  /** Empty when there is no legend. */
  readonly legend: readonly string[];
  readonly hasPanelTitles: boolean;
  /** The widest label beside an upright axis. */
  readonly valueLabelWidth: number;
  /** The widest label of a mark, beside the plot. */
  readonly markLabelWidth: number;
  /** What is below each plot. */
  readonly below: readonly Below[];
}

export interface Below {
  /** What turned labels need more than a line. */
  readonly extraHeight: number;
  readonly hasName: boolean;
}

/** One beside the other up to three, four as two and two, more by three. */
export function panelsPerRow(panels: number): number {
  return panels === 4 ? 2 : Math.min(3, Math.max(1, panels));
}

/** The width of each of so many panels, with everything that belongs to them. */
export function panelWidth(panels: number): number {
  const columns = panelsPerRow(panels);
  return (FIGURE_WIDTH - 2 * MARGIN - (columns - 1) * COLUMN_GAP) / columns;
}

/** Where everything is, from top to bottom. */
export function layoutFigure(contents: Contents): Layout {
  const inner = FIGURE_WIDTH - 2 * MARGIN;
  // Bold letters are wider.
  const titleLines = wrapText(contents.title, FONT_SIZE.title * 1.08, inner);
  const captionLines = wrapText(contents.caption, FONT_SIZE.caption, inner);
  const titleY = MARGIN - 4;
  const captionY = titleY + titleLines.length * LINE_HEIGHT.title + 2;
  const legendY = captionY + captionLines.length * LINE_HEIGHT.caption + 12;
  const panelsY = legendY + legendRows(contents.legend, inner) * LINE_HEIGHT.legend + 8;
  const { panels, bottom } = layoutPanels(contents, panelsY);
  const heads = { titleLines, titleY, captionLines, captionY, legendY };
  return { width: FIGURE_WIDTH, height: bottom + MARGIN, x: MARGIN, ...heads, panels };
}

function layoutPanels(contents: Contents, top: number): { panels: PanelLayout[]; bottom: number } {
  const { below, valueLabelWidth, markLabelWidth } = contents;
  const columns = panelsPerRow(below.length);
  const across = panelWidth(below.length);
  const width = across - valueLabelWidth - markLabelWidth;
  const height = PLOT_HEIGHT[columns]!;
  const above = (contents.hasPanelTitles ? LINE_HEIGHT.panelTitle : 0) + LINE_HEIGHT.axisName;
  const panels: PanelLayout[] = [];
  let bottom = top - ROW_GAP;
  for (let from = 0; from < below.length; from += columns) {
    const titleY = bottom + ROW_GAP;
    const row = below.slice(from, from + columns);
    for (const at of row.keys()) {
      const x = MARGIN + at * (across + COLUMN_GAP);
      const plot = { x: x + valueLabelWidth, y: titleY + above, width, height };
      panels.push({ x, titleY, nameY: plot.y - LINE_HEIGHT.axisName, plot });
    }
    bottom = titleY + above + height + Math.max(...row.map(heightBelow));
  }
  return { panels, bottom };
}

function heightBelow({ extraHeight, hasName }: Below): number {
  return TICK_LABELS + extraHeight + (hasName ? AXIS_NAME : 0);
}

/** As the legend breaks its lines itself. */
function legendRows(names: readonly string[], width: number): number {
  let rows = 0;
  let left = 0;
  for (const name of names) {
    const needed =
      LEGEND_ITEM.width + LEGEND_ITEM.padding + textWidth(name, FONT_SIZE.text) + LEGEND_ITEM.gap;
    if (needed > left) [rows, left] = [rows + 1, width + LEGEND_ITEM.gap];
    left -= needed;
  }
  return rows;
}
