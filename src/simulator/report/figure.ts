/** What a figure shows, as data: drawn by whoever can draw (the command line draws SVG). */
export interface Figure {
  readonly title: string;
  /** One sentence: what to see in it. */
  readonly caption: string;
  /** Side by side while there is room, all on the same scale when `sharesScale`. */
  readonly panels: readonly Panel[];
  readonly sharesScale?: boolean;
}

/** One picture of a figure. */
export type Panel = LinePanel | BarPanel;

/** What an axis is of. */
export interface Axis {
  readonly label: string;
  readonly isLogarithmic?: boolean;
}

/** A level to compare with, drawn as a thin line across. */
export interface Mark {
  readonly value: number;
  readonly label: string;
}

/** Values over time, or over load. */
export interface LinePanel {
  readonly kind: 'lines';
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly lines: readonly Line[];
  readonly marks?: readonly Mark[];
}

/** A line of a panel. */
export interface Line {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
  /** One of very many (every backend of a fleet): thin, and without a name in the legend. */
  readonly isThin?: boolean;
}

/** Values of named things. */
export interface BarPanel {
  readonly kind: 'bars';
  readonly title: string;
  /** Names below the bars; with more than can be read only some are shown. */
  readonly x: Axis & { readonly categories: readonly string[] };
  readonly y: Axis;
  readonly bars: readonly Bars[];
  readonly marks?: readonly Mark[];
}

/** One value for each category; several of these stand beside each other. */
export interface Bars {
  readonly name: string;
  readonly values: readonly number[];
}
