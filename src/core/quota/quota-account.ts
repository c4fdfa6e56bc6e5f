import { CRITICALITIES } from '../criticality.js';
import { type DebtOptions, QuotaDebts } from './quota-debts.js';
import type { LimitLadder } from './quota-limits.js';
import type { RateGrid } from './rate-grid.js';
import { RecentUse } from './recent-use.js';

const RANKS = CRITICALITIES.length;

export interface AccountOptions extends DebtOptions {
  readonly costDecayMs: number;
}

/**
 * One customer's recent use, and the line below which its requests are refused: a criticality, and how much of that
 * one.
 *
 * The line is drawn when a slot begins, from what came before it, and holds for the slot. From the most critical down,
 * each criticality's demand (arrivals × mean cost) is set against what may be used, and the first that does not fit is
 * refused in part; all lower ones are refused.
 *
 * What a request costs is known when it is done, perhaps seconds after more have been let in on the same assumption,
 * and a control that waits for it swings. So a request counts at the mean cost of its kind as soon as it is let in,
 * and only the difference later.
 */
export class QuotaAccount extends RecentUse {
  /** Takes effect with the next slot. */
  limits: LimitLadder;
  readonly #debts: QuotaDebts;
  /** A decaying sum of those let in, without those of the slot that is filling. */
  readonly #admitted = [0, 0, 0, 0];
  /** Let in during this slot, less those given back. Whole numbers: what is given back leaves no trace. */
  readonly #admittedNow = [0, 0, 0, 0];
  /** By how much those charged during this slot cost more than had been assumed; in the end, the cost of the slot. */
  readonly #slotCosts = [0, 0, 0, 0];
  /** What a request is assumed to cost during this slot. Nothing, if nothing is known: nobody is refused on a guess. */
  readonly #meanCosts = [0, 0, 0, 0];
  /** By the rank up to which a limit holds: what higher criticalities have taken of it while the line is drawn. */
  readonly #spoken = [0, 0, 0, 0];
  /** The line: refused are the criticalities below this rank, and this share of that one. */
  #partialRank = 0;
  #refusedShare = 0;

  constructor(customer: string, slot: number, grid: RateGrid, limits: LimitLadder, options: AccountOptions) {
    super(customer, slot, grid, options.costDecayMs);
    this.limits = limits;
    this.#debts = new QuotaDebts(options, grid.slotSeconds, limits);
    this.#drawLine();
  }

  override roll(slot: number): void {
    const slots = slot - this.slot;
    const kept = this.grid.kept(slots);
    for (let rank = 0; rank < RANKS; rank++) {
      const admitted = this.#admittedNow[rank]!;
      this.#slotCosts[rank]! += admitted * this.#meanCosts[rank]!;
      this.#admitted[rank] = (this.#admitted[rank]! + admitted) * kept;
      this.#admittedNow[rank] = 0;
    }
    // First the slot that was filling, then those in which nothing happened: no matter when somebody looks.
    this.#debts.settle(this.#slotCosts, this.grid.slotSeconds, this.limits);
    this.#slotCosts.fill(0);
    if (slots > 1) this.#debts.settle(this.#slotCosts, (slots - 1) * this.grid.slotSeconds, this.limits);
    super.roll(slot);
    const now = slot * this.grid.slotMs;
    for (let rank = 0; rank < RANKS; rank++) this.#meanCosts[rank] = this.meanCost(rank, now) ?? 0;
    this.#drawLine();
  }

  admit(rank: number, order: number): boolean {
    if (rank > this.#partialRank || (rank === this.#partialRank && !(order < this.#refusedShare))) {
      this.#admittedNow[rank]! += 1;
      return true;
    }
    this.refuse(rank);
    return false;
  }

  cancel(rank: number): void {
    this.#admittedNow[rank]! -= 1;
  }

  override charge(rank: number, cost: number, now: number): void {
    this.#slotCosts[rank]! += cost - this.#meanCosts[rank]!;
    super.charge(rank, cost, now);
  }

  override worth(now: number): number {
    return super.worth(now) + Math.max(0, this.debt);
  }

  /** Used beyond the limit and not paid back; below zero: saved up. */
  get debt(): number {
    return this.#debts.total;
  }

  refusedShare(rank: number): number {
    if (rank === this.#partialRank) return this.#refusedShare;
    return rank < this.#partialRank ? 1 : 0;
  }

  #drawLine(): void {
    this.#partialRank = 0;
    this.#refusedShare = 0;
    this.#spoken.fill(0);
    for (let rank = RANKS - 1; rank >= 0; rank--) {
      // Given back in a later slot than let in, a few may count below zero for a while.
      const arrived = Math.max(0, this.#admitted[rank]! + this.refused(rank));
      const demand = (arrived * this.#meanCosts[rank]!) / this.grid.steadySeconds;
      const room = this.#room(rank);
      if (room <= 0) {
        this.#partialRank = rank + 1;
        return;
      }
      if (demand > room) {
        this.#partialRank = rank;
        this.#refusedShare = 1 - room / demand;
        return;
      }
      for (let top = rank; top < RANKS; top++) this.#spoken[top]! += demand;
    }
  }

  /** What all limits that hold for a criticality leave to it, after those above it. */
  #room(rank: number): number {
    let room = Number.POSITIVE_INFINITY;
    for (let top = rank; top < RANKS; top++) {
      const limit = this.limits[top]!;
      if (limit === Number.POSITIVE_INFINITY) continue;
      room = Math.min(room, this.#debts.allowance(top, rank, limit) - this.#spoken[top]!);
    }
    return room;
  }
}
