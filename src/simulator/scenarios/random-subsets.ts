import { nearestRank } from '../../core/measuring/index.js';
import { between, type Check } from '../report/result.js';

type Bounds = readonly [least: number, most: number];

/**
 * A run of random subsetting that the text prints: connections of the least and of the most used backend, over the
 * mean. It is one draw, and the next one is another: bounds are for what is typical, from 3,000 draws, and wide enough
 * for the median of any 200 of them.
 */
export interface TextRun {
  /** Of all backends that are in a subset. */
  readonly share: number;
  readonly min: number;
  readonly max: number;
  /** Of the median over seeds. */
  readonly typicalMin: Bounds;
  readonly typicalMax: Bounds;
}

/** SRE ch. 20, figure 20-3: 57 to 109 connections, 90 on average. */
export const FIGURE_20_3_RUN: TextRun = {
  share: 0.3,
  min: 57 / 90,
  max: 109 / 90,
  typicalMin: [0.74, 0.78],
  typicalMax: [1.24, 1.28],
};

/** SRE ch. 20, figure 20-4: 15 to 45 connections, 30 on average. */
export const FIGURE_20_4_RUN: TextRun = {
  share: 0.1,
  min: 15 / 30,
  max: 45 / 30,
  typicalMin: [0.45, 0.6],
  typicalMax: [1.4, 1.6],
};

/** A type and not an interface, as all rows: only then is it known to be flat. */
export type RandomRunsRow = {
  section: 'random over seeds';
  size: number;
  of: 'min/mean' | 'max/mean';
  mean: number;
  p5: number;
  p50: number;
  p95: number;
  /** What the run printed in the text found, and which share of our runs lies at or below it. */
  text: number;
  atOrBelowTextShare: number;
};

/** How min/mean and max/mean came out, one value for each draw, and where the text's run lies among them. */
export function runsRows(
  size: number,
  mins: readonly number[],
  maxs: readonly number[],
  text: TextRun,
): [min: RandomRunsRow, max: RandomRunsRow] {
  return [runsRow(size, 'min/mean', mins, text.min), runsRow(size, 'max/mean', maxs, text.max)];
}

function runsRow(
  size: number,
  of: RandomRunsRow['of'],
  values: readonly number[],
  text: number,
): RandomRunsRow {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const [p5, p50, p95] = [quantile(values, 0.05), quantile(values, 0.5), quantile(values, 0.95)];
  const atOrBelowTextShare = values.filter((value) => value <= text).length / values.length;
  return { section: 'random over seeds', size, of, mean, p5, p50, p95, text, atOrBelowTextShare };
}

export function typicalChecks(text: TextRun, min: RandomRunsRow, max: RandomRunsRow): Check[] {
  const which = `random, ${100 * text.share} %`;
  return [
    between(`${which}: typical min/mean`, min.p50, ...text.typicalMin),
    between(`${which}: typical max/mean`, max.p50, ...text.typicalMax),
  ];
}

/** By nearest rank: always a run that happened. */
export function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[nearestRank(share, values.length) - 1]!;
}
