import { CRITICALITIES, type Criticality } from '../../core/index.js';
import type { Spread } from '../../core/measuring/index.js';
import type { LoadFigures, OutcomeCounts } from './messages.js';

/** What a run of the demo came to. */
export interface Summary {
  readonly seconds: number;
  /** What the fleet can serve a second, as measured before. */
  readonly capacity: number;
  /** What was asked of it, as a multiple of that. */
  readonly multiple: number;
  /** Requests a second: sent, … */
  readonly offered: number;
  /** … and answered well within the deadline. */
  readonly goodput: number;
  readonly peak: number;
  readonly goodputOfPeak: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Counts, of the whole time. */
  readonly refused: Readonly<Record<Criticality, number>>;
  readonly byCriticality: Readonly<Record<Criticality, OutcomeCounts>>;
  readonly byCustomer: Readonly<Record<string, OutcomeCounts>>;
  readonly failed: number;
  readonly lateOrLost: number;
  /** Of the backends' utilization. */
  readonly spread: { readonly maxOverMean: number; readonly minOverMean: number };
  /** The share of this machine's processors that other programs took meanwhile. */
  readonly elsewhere: number;
}

/** What else is known of a run. */
export interface RunFacts {
  readonly capacity: number;
  readonly peak: number;
  /** How evenly the backends were used. */
  readonly used: Spread;
  readonly elsewhere: number;
}

export function summaryOf(figures: LoadFigures, { capacity, peak, used, elsewhere }: RunFacts): Summary {
  const { ms, byCriticality, byCustomer, p50Ms, p99Ms, failed, late } = figures;
  const perSecond = (count: number) => (ms > 0 ? (count * 1_000) / ms : 0);
  const goodput = perSecond(figures.served);
  const offered = perSecond(figures.offered);
  const most = Math.max(peak, capacity);
  return {
    seconds: rounded(ms / 1_000, 1),
    capacity: rounded(capacity, 1),
    multiple: rounded(capacity > 0 ? offered / capacity : 0, 2),
    offered: rounded(offered, 1),
    goodput: rounded(goodput, 1),
    peak: rounded(most, 1),
    goodputOfPeak: rounded(most > 0 ? goodput / most : 0, 3),
    p50Ms: rounded(p50Ms, 1),
    p99Ms: rounded(p99Ms, 1),
    refused: Object.fromEntries(
      CRITICALITIES.map((name) => [name, byCriticality[name].refused]),
    ) as Summary['refused'],
    byCriticality,
    byCustomer,
    failed,
    lateOrLost: late,
    spread: { maxOverMean: rounded(used.maxOverMean, 3), minOverMean: rounded(used.minOverMean, 3) },
    elsewhere: rounded(elsewhere, 3),
  };
}

function rounded(value: number, decimals: number): number {
  return Number(value.toFixed(decimals));
}
