import { CRITICALITIES, type Criticality, criticalityRank, DEFAULT_CRITICALITY } from '../criticality.js';
import { shareBetween, type Threshold, Thresholds } from './thresholds.js';

/**
 * How long arrivals are remembered: they then weigh 1/e. At 100 requests a second the mix is known to within four
 * points, and one that changes is followed in the time that a flood takes to build a queue.
 */
const DECAY_MS = 1_000;

/** Less of a memory than a billionth of one request is none. */
const NEGLIGIBLE = 1e-9;

/**
 * What a degraded request spares of what a full one costs. Nobody knows: with nothing said, half way. It only sets
 * how soon degrading is followed by refusing, not where the balance is.
 */
const DEGRADED_SPARES = 0.5;

/**
 * Turns a share of the arriving requests, the relief that a backend needs, into the utilization at which the
 * thresholds give just that, for the mix of criticalities that is arriving. From .8 to .9 all may be refused or
 * nothing, depending on how much of the traffic is SHEDDABLE: a controller that moves along utilizations reacts a
 * hundred times too strongly here and too weakly there. Along relief it is the same everywhere. (Uber's Cinnamon
 * keeps the distribution of arriving priorities for the same reason.)
 */
export class ReliefScale {
  readonly #ranges: readonly Threshold[];
  /** Every utilization at which some threshold begins or ends, ascending: relief is straight in between. */
  readonly #marks: readonly number[];
  readonly #arrivals = new Float64Array(CRITICALITIES.length);

  constructor(thresholds: Thresholds = new Thresholds()) {
    this.#ranges = thresholds.ranges;
    const marks = thresholds.ranges.flatMap(({ degradeFrom, refuseFrom, refuseAll }) => [
      degradeFrom,
      refuseFrom,
      refuseAll,
    ]);
    this.#marks = [...new Set(marks)].sort((a, b) => a - b);
  }

  /** The lowest utilization at which anything happens. */
  get lowest(): number {
    return this.#marks[0]!;
  }

  onArrival(criticality: Criticality): void {
    this.#arrivals[criticalityRank(criticality)]!++;
  }

  forget(passedMs: number): void {
    const kept = Math.exp(-passedMs / DECAY_MS);
    for (let rank = 0; rank < this.#arrivals.length; rank++) this.#arrivals[rank]! *= kept;
  }

  /** Criticalities that do not arrive are passed over, since nothing would be won there. */
  utilizationFor(relief: number): number {
    let below = 0;
    let lower = 0;
    for (const mark of this.#marks) {
      const here = this.#reliefAt(mark);
      if (here >= relief && here > below) return lower + ((mark - lower) * (relief - below)) / (here - below);
      below = here;
      lower = mark;
    }
    return lower;
  }

  #reliefAt(utilization: number): number {
    let total = 0;
    for (const arrived of this.#arrivals) total += arrived;
    // Who tells of no arrivals has only requests that say nothing of their criticality.
    if (total < NEGLIGIBLE) return spared(this.#ranges[criticalityRank(DEFAULT_CRITICALITY)]!, utilization);
    let relief = 0;
    for (let rank = 0; rank < this.#ranges.length; rank++) {
      relief += (this.#arrivals[rank]! / total) * spared(this.#ranges[rank]!, utilization);
    }
    return relief;
  }
}

/** Share of one criticality's work that is spared. */
function spared({ degradeFrom, refuseFrom, refuseAll }: Threshold, utilization: number): number {
  const refused = shareBetween(refuseFrom, refuseAll, utilization);
  if (degradeFrom === refuseFrom) return refused;
  const touched = shareBetween(degradeFrom, refuseFrom, utilization);
  return DEGRADED_SPARES * touched + (1 - DEGRADED_SPARES) * refused;
}
