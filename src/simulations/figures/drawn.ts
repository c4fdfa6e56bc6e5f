import type { BarPanel, Line, LinePanel, Mark, Panel } from '../../simulator/report/figure.js';
import { fewerPoints } from './fewer-points.js';

/** With more points than this, symbols would hide the line. */
const MOST_SYMBOLS = 24;

/** With more bars than this in a panel, there is no room between them. */
const MOST_APART = 60;

/** With more bars than this, their values are left to the axis. */
const MOST_LABELLED = 8;

type Point = Line['points'][number];

/** The points of a line that have a place on its axes, no more of them than can be told apart. */
export function pointsShown({ points }: Line, { x, y }: LinePanel, width: number): readonly Point[] {
  const shown = points.filter(([px, py]) => (!x.isLogarithmic || px > 0) && (!y.isLogarithmic || py > 0));
  return fewerPoints(shown, Math.round(2 * width));
}

export function hasSymbols(points: readonly Point[]): boolean {
  return points.length <= MOST_SYMBOLS;
}

/** The more thin lines there are, the less each one counts: where they lie on each other it gets dark. */
export function thinOpacity({ lines }: LinePanel): number {
  const thin = lines.filter(({ isThin }) => isThin).length;
  return Math.min(0.7, Math.max(0.15, 12 / thin));
}

/** The marks that have a place on the axis. */
export function marksShown({ marks = [], y }: Panel): Mark[] {
  return marks.filter(({ value }) => Number.isFinite(value) && (!y.isLogarithmic || value > 0));
}

export interface BarStyle {
  /** Of the room of a category, left free. */
  readonly categoryGap: number;
  /** Between two bars of a category, of a bar's width. */
  readonly barGap: number;
  readonly widest: number;
  /** Their values stand above them. */
  readonly isLabelled: boolean;
}

export function barStyle({ bars, x }: BarPanel): BarStyle {
  const count = bars.length * x.categories.length;
  return {
    categoryGap: count > MOST_APART ? 0.15 : 0.4,
    barGap: 0.08,
    widest: 56,
    isLabelled: count <= MOST_LABELLED,
  };
}
