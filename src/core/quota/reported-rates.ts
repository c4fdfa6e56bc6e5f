import { RANKS } from './rank-line.js';
import { NEGLIGIBLE, type RateGrid } from './rate-grid.js';
import { DEMAND_AT } from './usage-report.js';

/**
 * What a backend reports of one customer. Use is the mean since the last report, so that the sum over reports is what
 * was used, and what was used before a level was heard is not held against the level. Demand is a decaying mean.
 */
export class ReportedRates {
  readonly #grid: RateGrid;
  /** By rank, since the last report. */
  readonly #used = [0, 0, 0, 0];
  #wasRefused = false;
  #isZero = true;
  /** Decaying sums. */
  readonly #wanted = [0, 0, 0, 0];

  constructor(grid: RateGrid) {
    this.#grid = grid;
  }

  /** In the slot that was filling; `roll` follows. */
  add(rank: number, used: number, refused: number): void {
    this.#used[rank]! += used;
    this.#wanted[rank]! += used + refused;
    if (used !== 0 || refused !== 0) this.#isZero = false;
    if (refused > 0) this.#wasRefused = true;
  }

  roll(slots: number): void {
    const kept = this.#grid.kept(slots);
    let isZero = true;
    for (let rank = 0; rank < RANKS; rank++) {
      const before = this.#wanted[rank]!;
      if (before === 0) continue;
      const wanted = before * kept;
      this.#wanted[rank] = Math.abs(wanted) < NEGLIGIBLE ? 0 : wanted;
      isZero &&= this.#wanted[rank] === 0;
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
    for (let rank = 0; rank < RANKS; rank++) {
      // Most customers have one criticality.
      if (this.#wanted[rank] === 0 && this.#used[rank] === 0) continue;
      // A request that cost less than was assumed takes away what was counted earlier.
      const used = Math.max(0, this.#used[rank]! / seconds);
      const wanted = Math.max(0, this.#wanted[rank]! / this.#grid.steadySeconds);
      this.#used[rank] = 0;
      into[at + rank] = used;
      into[at + DEMAND_AT + rank] = wanted;
    }
    const wasRefused = this.#wasRefused;
    this.#wasRefused = false;
    return wasRefused;
  }

  /** Of all ranks. */
  get demandPerSecond(): number {
    const wanted = this.#wanted.reduce((sum, each) => sum + each, 0);
    return Math.max(0, wanted) / this.#grid.steadySeconds;
  }
}
