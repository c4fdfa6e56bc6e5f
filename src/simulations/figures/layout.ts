import { FONT_SIZE } from './palette.js';
import { textWidth, wrapText } from './text.js';

/** As wide as a page of a report allows without being made smaller. */
export const FIGURE_WIDTH = 960;

/** Around everything; a narrow page has none to spare. */
const MARGIN = { wide: 24, narrow: 8 } as const;
const NARROW = 600;

function marginOf(width: number): number {
  return width < NARROW ? MARGIN.narrow : MARGIN.wide;
}

/** Narrower than this a panel shows nothing any more: then fewer stand beside each other. */
const LEAST_PANEL = 240;

/** Between two panels beside each other, and below each other. */
const COLUMN_GAP = 24;
const ROW_GAP = 20;

export const LINE_HEIGHT = { title: 24, caption: 18, legend: 22, panelTitle: 20, axisName: 20 } as const;

/** Below the plot: labels of the axis, then its name. */
const TICK_LABELS = 20;
const AXIS_NAME = 20;

/** The fewer there are in a row, the higher they are. */
const PLOT_HEIGHT: Readonly<Record<number, number>> = { 1: 320, 2: 250, 3: 220 };

/** But no higher than this part of the panel's width. */
const STEEPEST = 0.8;

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
  readonly width: number;
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

/** One beside the other up to three, four as two and two, more by three; fewer where there is no room. */
export function panelsPerRow(panels: number, width: number): number {
  const wanted = panels === 4 ? 2 : Math.min(3, Math.max(1, panels));
  const inner = width - 2 * marginOf(width);
  const possible = Math.floor((inner + COLUMN_GAP) / (LEAST_PANEL + COLUMN_GAP));
  return Math.max(1, Math.min(wanted, possible));
}

/** The width of each of so many panels, with everything that belongs to them. */
export function panelWidth(panels: number, width: number): number {
  const columns = panelsPerRow(panels, width);
  return (width - 2 * marginOf(width) - (columns - 1) * COLUMN_GAP) / columns;
}

/** Where everything is, from top to bottom. */
export function layoutFigure(contents: Contents): Layout {
  const { width } = contents;
  const margin = marginOf(width);
  const inner = width - 2 * margin;
  // Bold letters are wider.
  const titleLines = wrapText(contents.title, FONT_SIZE.title * 1.08, inner);
  const captionLines = wrapText(contents.caption, FONT_SIZE.caption, inner);
  const titleY = margin - 4;
  const captionY = titleY + titleLines.length * LINE_HEIGHT.title + 2;
  const legendY = captionY + captionLines.length * LINE_HEIGHT.caption + 12;
  const panelsY = legendY + legendRows(contents.legend, inner) * LINE_HEIGHT.legend + 8;
  const { panels, bottom } = layoutPanels(contents, panelsY);
  const heads = { titleLines, titleY, captionLines, captionY, legendY };
  return { width, height: bottom + margin, x: margin, ...heads, panels };
}

function layoutPanels(contents: Contents, top: number): { panels: PanelLayout[]; bottom: number } {
  const { below, valueLabelWidth, markLabelWidth } = contents;
  const columns = panelsPerRow(below.length, contents.width);
  const across = panelWidth(below.length, contents.width);
  const width = across - valueLabelWidth - markLabelWidth;
  const height = Math.round(Math.min(PLOT_HEIGHT[columns]!, STEEPEST * across));
  const above = (contents.hasPanelTitles ? LINE_HEIGHT.panelTitle : 0) + LINE_HEIGHT.axisName;
  const panels: PanelLayout[] = [];
  let bottom = top - ROW_GAP;
  for (let from = 0; from < below.length; from += columns) {
    const titleY = bottom + ROW_GAP;
    const row = below.slice(from, from + columns);
    for (const at of row.keys()) {
      const x = marginOf(contents.width) + at * (across + COLUMN_GAP);
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

function legendRows(names: readonly string[], width: number): number {
  return (legendPlaces(names, width).at(-1)?.row ?? -1) + 1;
}

export interface LegendPlace {
  readonly name: string;
  readonly row: number;
  readonly x: number;
}

/** Where each name of a legend is, in lines that are no wider than that. */
export function legendPlaces(names: readonly string[], width: number): LegendPlace[] {
  let row = 0;
  let x = 0;
  return names.map((name) => {
    const needed =
      LEGEND_ITEM.width + LEGEND_ITEM.padding + textWidth(name, FONT_SIZE.text) + LEGEND_ITEM.gap;
    if (x > 0 && x + needed > width + LEGEND_ITEM.gap) [row, x] = [row + 1, 0];
    const place = { name, row, x };
    x += needed;
    return place;
  });
}
