import { FITS, type QuotaLevels, SPARE_STRIDE } from './quota-levels.js';
import type { LimitLadder } from './quota-limits.js';
import { DEMAND_AT, REPORT_STRIDE } from './usage-report.js';

/** What a coordinator allows. */
export interface Restraint {
  /** Criticalities above this one pass, those below it do not, and of this one so much a second. Infinity: all. */
  readonly rank: number;
  readonly level: number;
  /** All those up to this one together have so much a second. Infinity: as much as they like. */
  readonly top: number;
  readonly share: number;
}

/** Demand is known to a third where there are ten requests a second, and moves between two reports. */
const MARGIN = 1.5;

/**
 * What a row of levels says to one backend, which knows what it has reported itself. Besides the level it keeps to a
 * share: what was granted to it, or its equal part if that is more, and an equal part of what is spare. A level alone
 * would let each backend pass as much as the busiest.
 *
 * `row` is that of the columns, `reported` the customer's in the report; 0: none.
 */
export function ownShare(
  levels: QuotaLevels,
  row: number,
  limits: LimitLadder,
  rates: Float32Array,
  reported: number,
): Restraint {
  const told = levels.level[row]!;
  const fits = told >= FITS;
  const rank = fits ? 0 : levels.rank[row]!;
  const level = fits ? Number.POSITIVE_INFINITY : told;
  // The step that binds it is this one or a higher one.
  let top = levels.rank[row]!;
  while (top < SPARE_STRIDE - 1 && limits[top] === Number.POSITIVE_INFINITY) top++;
  let granted = 0;
  for (let each = rank; each <= top && reported > 0; each++) {
    const demand = rates[reported * REPORT_STRIDE + DEMAND_AT + each]!;
    granted += each === rank ? Math.min(demand, level) : demand;
  }
  const equal = limits[top]! / levels.backends;
  const spare = Math.max(0, levels.spare[row * SPARE_STRIDE + top]!) / levels.backends;
  return { rank, level, top, share: MARGIN * Math.max(equal, granted) + spare };
}
