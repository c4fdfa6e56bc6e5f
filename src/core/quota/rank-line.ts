import { CRITICALITIES } from '../criticality.js';
import type { LimitLadder } from './quota-limits.js';

export const RANKS = CRITICALITIES.length;

/** What the criticalities from `rank` to `top` may use together, a second, of a limit that holds up to `top`. */
export type Allowance = (top: number, rank: number, limit: number) => number;

/**
 * The line below which a customer's requests are refused: from the most critical down, each criticality's demand is set
 * against what may be used, and the first that does not fit is refused in part; all lower ones are refused. A limit
 * that binds a criticality also covers all lower ones, so there is never a second one in part.
 */
export class RankLine {
  /** The criticality that does not fit. Everything fits when there is room for all of its demand. */
  rank = 0;
  room = Number.POSITIVE_INFINITY;
  /** The rank up to which the limit holds that leaves no more than this room. */
  top = 0;
  /** Whether something is wanted that is refused, and not only would be. */
  isFelt = false;
  /** By the rank up to which a limit holds: what higher criticalities have taken of it while the line is drawn. */
  readonly #spoken = [0, 0, 0, 0];

  /** Whether something is refused, or would be if it came. */
  draw(limits: LimitLadder, demands: readonly number[], allowance: Allowance): boolean {
    this.#spoken.fill(0);
    this.isFelt = false;
    for (let rank = RANKS - 1; rank >= 0; rank--) {
      const demand = demands[rank]!;
      this.rank = rank;
      this.room = this.#roomOf(rank, limits, allowance);
      if (this.room <= 0 || demand > this.room) {
        // Without room for it, there is none for those below it either.
        for (let below = rank; below >= 0; below--) this.isFelt ||= demands[below]! > this.room;
        return true;
      }
      for (let top = rank; top < RANKS; top++) this.#spoken[top]! += demand;
    }
    return false;
  }

  /** What all limits that hold for a criticality leave to it, after those above it. */
  #roomOf(rank: number, limits: LimitLadder, allowance: Allowance): number {
    let room = Number.POSITIVE_INFINITY;
    for (let top = rank; top < RANKS; top++) {
      const limit = limits[top]!;
      if (limit === Number.POSITIVE_INFINITY) continue;
      const left = allowance(top, rank, limit) - this.#spoken[top]!;
      if (left >= room) continue;
      room = left;
      this.top = top;
    }
    return Math.max(0, room);
  }
}
