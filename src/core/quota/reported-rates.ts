import { RANKS } from './rank-line.js';
import { NEGLIGIBLE, type RateGrid } from './rate-grid.js';
import { DEMAND_AT, REPORT_STRIDE } from './usage-report.js';

/**
 * What a backend reports of one customer. Use is the mean since the last report, so that the sum over reports is what
 * was used, and what was used before a level was heard is not held against the level. Demand is a decaying mean.
 */
export class ReportedRates {
  readonly #grid: RateGrid;
  /**
   * As in a row of a report: by rank what was used since the last one, then decaying sums of what was wanted. One list,
   * since a thousand of these are gone through four times a second, and none is in the processor's cache any more.
   */
  readonly #sums = [0, 0, 0, 0, 0, 0, 0, 0];
  #wasRefused = false;
  #isZero = true;

  constructor(grid: RateGrid) {
    this.#grid = grid;
  }

  /** In the slot that was filling; `roll` follows. */
  add(rank: number, used: number, refused: number): void {
    this.#sums[rank]! += used;
    this.#sums[DEMAND_AT + rank]! += used + refused;
    if (used !== 0 || refused !== 0) this.#isZero = false;
    if (refused > 0) this.#wasRefused = true;
  }

  roll(slots: number): void {
    const kept = this.#grid.kept(slots);
    const sums = this.#sums;
    let isZero = true;
    for (let at = DEMAND_AT; at < REPORT_STRIDE; at++) {
      const before = sums[at]!;
      if (before === 0) continue;
      const wanted = before * kept;
      sums[at] = Math.abs(wanted) < NEGLIGIBLE ? 0 : wanted;
      isZero &&= sums[at] === 0;
    }
    this.#isZero = isZero;
  }

  /** All that was wanted has faded, as of the last roll. */
  get isZero(): boolean {
    return this.#isZero;
  }

  /**
   * Writes a row, into zeros, and begins the next report, so many slots after the last. Whether something was refused
   * since.
   */
  take(into: Float32Array, at: number, slots: number): boolean {
    const seconds = slots * this.#grid.slotSeconds;
    const sums = this.#sums;
    for (let rank = 0; rank < RANKS; rank++) {
      // Most customers have one criticality.
      if (sums[DEMAND_AT + rank] === 0 && sums[rank] === 0) continue;
      // A request that cost less than was assumed takes away what was counted earlier.
      const used = Math.max(0, sums[rank]! / seconds);
      const wanted = Math.max(0, sums[DEMAND_AT + rank]! / this.#grid.steadySeconds);
      sums[rank] = 0;
      into[at + rank] = used;
      into[at + DEMAND_AT + rank] = wanted;
    }
    const wasRefused = this.#wasRefused;
    this.#wasRefused = false;
    return wasRefused;
  }

  /** Of all ranks. */
  get demandPerSecond(): number {
    let wanted = 0;
    for (let at = DEMAND_AT; at < REPORT_STRIDE; at++) wanted += this.#sums[at]!;
    return Math.max(0, wanted) / this.#grid.steadySeconds;
  }
}
