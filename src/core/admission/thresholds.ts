import { checkPositive, withDefaults } from '../check.js';
import { CRITICALITIES, type Criticality, criticalityRank } from '../criticality.js';

/** What becomes of a request at a utilization. */
export type Verdict = 'admit' | 'degrade' | 'refuse';

/** Utilizations between which requests of one criticality go from served over degraded to refused. */
export interface Threshold {
  /**
   * From here on requests are answered by the cheaper handler, one after the other until at `refuseFrom` all of them
   * are.
   */
  readonly degradeFrom: number;
  /** From here on requests are refused … */
  readonly refuseFrom: number;
  /** … one after the other until here all of them are. */
  readonly refuseAll: number;
}

/** Utilizations at which one criticality is degraded and refused. */
export interface ThresholdOptions {
  /** Undefined: the same as `refuseFrom`, so that nothing is degraded. */
  readonly degradeFrom: number | undefined;
  /** From this utilization on some are refused … */
  readonly refuseFrom: number;
  /** … and from this on all. */
  readonly refuseAll: number;
}

function threshold(refuseFrom: number, refuseAll: number): ThresholdOptions {
  return Object.freeze({ degradeFrom: undefined, refuseFrom, refuseAll });
}

/**
 * CRITICAL, which most requests are, begins where the book does: at utilization 1, when runnable work exceeds the
 * processors. Below it both sheddable ones go, so that a backend provisioned for its critical requests refuses none of
 * them. Above it the ranges are wider: a signal that overshoots by a tenth should cost sheddable work all it has, but
 * critical work only a part.
 */
export const THRESHOLD_DEFAULTS: Readonly<Record<Criticality, ThresholdOptions>> = Object.freeze({
  SHEDDABLE: threshold(0.8, 0.9),
  SHEDDABLE_PLUS: threshold(0.9, 1),
  CRITICAL: threshold(1, 1.2),
  CRITICAL_PLUS: threshold(1.2, 1.5),
});

function degradeFrom(utilization: number): Partial<ThresholdOptions> {
  return Object.freeze({ degradeFrom: utilization });
}

/**
 * For a server with cheaper handlers, over the defaults: each criticality is degraded while the one below it is refused
 * (SRE ch. 21: degraded responses first, an error when even those are too much).
 */
export const DEGRADING_THRESHOLDS: Readonly<Record<Criticality, Partial<ThresholdOptions>>> = Object.freeze({
  SHEDDABLE: degradeFrom(0.7),
  SHEDDABLE_PLUS: degradeFrom(0.8),
  CRITICAL: degradeFrom(0.9),
  CRITICAL_PLUS: degradeFrom(1),
});

/** What `explain` says of one criticality. */
export interface ThresholdReading extends Threshold {
  readonly criticality: Criticality;
  /** Of all its requests, those that would be answered by the cheaper handler … */
  readonly degradedShare: number;
  /** … and those that would be refused. */
  readonly refusedShare: number;
}

/**
 * Which requests go at a utilization (SRE ch. 21: "higher thresholds for higher criticality"). The ranges do not
 * overlap: as with quotas there, a criticality is refused only when all of the lower ones are. Within a range the
 * refused share grows in a straight line, and a request is refused when its place in the order of refusal is below
 * the share: a threshold at which all of them went at once would make everything swing between full and empty.
 */
export class Thresholds {
  /** Least critical first. */
  readonly ranges: readonly Threshold[];

  constructor(given?: Partial<Record<Criticality, Partial<ThresholdOptions>>>) {
    const options = withDefaults('thresholds', THRESHOLD_DEFAULTS as Record<Criticality, object>, given);
    const ranges = CRITICALITIES.map((criticality) =>
      checkThreshold(
        criticality,
        withDefaults(criticality, THRESHOLD_DEFAULTS[criticality], options[criticality]),
      ),
    );
    for (let rank = 1; rank < ranges.length; rank++) checkAbove(rank, ranges[rank]!, ranges[rank - 1]!);
    this.ranges = Object.freeze(ranges);
  }

  /**
   * `order` is the request's place in [0, 1), see refusalOrder. NaN, as utilization, refuses nothing: no comparison
   * holds.
   */
  decide(criticality: Criticality, utilization: number, order: number): Verdict {
    const { degradeFrom, refuseFrom, refuseAll } = this.ranges[criticalityRank(criticality)]!;
    if (utilization <= degradeFrom) return 'admit';
    if (order < (utilization - refuseFrom) / (refuseAll - refuseFrom)) return 'refuse';
    if (degradeFrom === refuseFrom) return 'admit';
    return order < (utilization - degradeFrom) / (refuseFrom - degradeFrom) ? 'degrade' : 'admit';
  }

  /** Share of this criticality's requests that is refused. */
  refusedShare(criticality: Criticality, utilization: number): number {
    const { refuseFrom, refuseAll } = this.ranges[criticalityRank(criticality)]!;
    return shareBetween(refuseFrom, refuseAll, utilization);
  }

  explain(utilization: number): ThresholdReading[] {
    return CRITICALITIES.map((criticality, rank) => {
      const range = this.ranges[rank]!;
      const refusedShare = this.refusedShare(criticality, utilization);
      const touchedShare = shareBetween(range.degradeFrom, range.refuseFrom, utilization);
      const degradedShare = range.degradeFrom < range.refuseFrom ? touchedShare - refusedShare : 0;
      return { criticality, ...range, degradedShare, refusedShare };
    });
  }
}

/** How far a utilization is on the way: 0 up to `from`, 1 from `to` on. */
export function shareBetween(from: number, to: number, utilization: number): number {
  if (!(utilization > from)) return 0;
  return utilization < to ? (utilization - from) / (to - from) : 1;
}

function checkThreshold(criticality: Criticality, options: ThresholdOptions): Threshold {
  const refuseFrom = checkPositive(`${criticality}.refuseFrom`, options.refuseFrom);
  const refuseAll = checkPositive(`${criticality}.refuseAll`, options.refuseAll);
  const degradeFrom = checkPositive(`${criticality}.degradeFrom`, options.degradeFrom ?? refuseFrom);
  if (refuseAll <= refuseFrom) {
    throw new RangeError(
      `${criticality}.refuseAll must be > its refuseFrom (${refuseFrom}), got ${refuseAll}`,
    );
  }
  if (degradeFrom > refuseFrom) {
    throw new RangeError(
      `${criticality}.degradeFrom must be <= its refuseFrom (${refuseFrom}), got ${degradeFrom}`,
    );
  }
  return Object.freeze({ degradeFrom, refuseFrom, refuseAll });
}

function checkAbove(rank: number, range: Threshold, lower: Threshold): void {
  const own = CRITICALITIES[rank]!;
  const other = CRITICALITIES[rank - 1]!;
  if (range.refuseFrom < lower.refuseAll) {
    const bound = `>= ${other}.refuseAll (${lower.refuseAll})`;
    throw new RangeError(`${own}.refuseFrom must be ${bound}, got ${range.refuseFrom}`);
  }
  if (range.degradeFrom < lower.degradeFrom) {
    const bound = `>= ${other}.degradeFrom (${lower.degradeFrom})`;
    throw new RangeError(`${own}.degradeFrom must be ${bound}, got ${range.degradeFrom}`);
  }
}
