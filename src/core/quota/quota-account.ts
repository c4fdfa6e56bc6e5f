import { type Assumption, MOST_COST } from './assumption.js';
import { LevelCredit } from './level-credit.js';
import type { Restraint } from './own-share.js';
import { burstOf, type DebtOptions, QuotaDebts, type Savings } from './quota-debts.js';
import type { LimitLadder } from './quota-limits.js';
import { RANKS, RankLine } from './rank-line.js';
import type { RateGrid } from './rate-grid.js';
import { RecentUse } from './recent-use.js';
import type { ReportSheet } from './report-sheet.js';
import { ShareCredit } from './share-credit.js';

export interface AccountOptions extends DebtOptions {
  readonly costDecayMs: number;
  /** What is reported to others. */
  readonly sheet: ReportSheet;
}

const NOTHING: readonly number[] = Object.freeze([0, 0, 0, 0]);

/**
 * One customer's recent use, and the line below which its requests are refused: a criticality, and how much of that
 * one. The line is drawn when a slot begins, from what came before it, and holds for the slot. Demand is arrivals × mean
 * cost.
 *
 * Where a coordinator knows better, from all backends, the line is the one it says: `restrain`.
 *
 * What a request costs is known when it is done, perhaps seconds after more have been let in on the same assumption,
 * and a control that waits for it swings. So a request counts at the mean cost of its kind as soon as it is let in,
 * and only the difference later.
 */
export class QuotaAccount extends RecentUse {
  /** Takes effect with the next slot. */
  limits: LimitLadder;
  /** Its place among what is reported; undefined as long as there is nothing. */
  #seat: number | undefined = undefined;
  readonly #options: AccountOptions;
  readonly #debts: QuotaDebts;
  readonly #credit = new LevelCredit();
  readonly #share = new ShareCredit();
  readonly #line = new RankLine();
  readonly #demands = [0, 0, 0, 0];
  /** A decaying sum of those let in, without those of the slot that is filling. */
  readonly #admitted = [0, 0, 0, 0];
  /** Let in during this slot, less those given back. Whole numbers: what is given back leaves no trace. */
  readonly #admittedNow = [0, 0, 0, 0];
  /** Of those, let in while quotas did not count. */
  readonly #uncountedNow = [0, 0, 0, 0];
  /** By how much those charged during this slot cost more than had been assumed; in the end, the cost of the slot. */
  readonly #slotCosts = [0, 0, 0, 0];
  /** The part of those that is not owed. */
  readonly #unowedCosts = [0, 0, 0, 0];
  /** What a request is assumed to cost during this slot. Nothing, if nothing is known: nobody is refused on a guess. */
  readonly #meanCosts = [0, 0, 0, 0];
  /** Something happened in the slot that is filling. */
  #isTouched = false;
  /** Since the line was drawn. */
  #undecidedSlots = 0;
  /** Of those, the ones in which nothing happened. */
  #idleSlots = 0;
  /** The line: refused are the criticalities below this rank, and this share of that one. */
  #partialRank = 0;
  #refusedShare = 0;

  constructor(customer: string, slot: number, grid: RateGrid, limits: LimitLadder, options: AccountOptions) {
    super(customer, slot, grid, options.costDecayMs);
    this.limits = limits;
    this.#options = options;
    this.#debts = new QuotaDebts(options, grid.slotSeconds, limits);
    this.#drawLine();
  }

  override roll(slot: number): void {
    const slots = slot - this.slot;
    this.#undecidedSlots += slots;
    this.#idleSlots += slots;
    if (this.#isTouched) this.#endSlot();
    super.roll(slot);
  }

  /** What happened in the slot that was filling goes into the sums, and is owed. */
  #endSlot(): void {
    this.#isTouched = false;
    for (let rank = 0; rank < RANKS; rank++) {
      const admitted = this.#admittedNow[rank]!;
      const meanCost = this.#meanCosts[rank]!;
      const cost = this.#slotCosts[rank]! + admitted * meanCost;
      this.#slotCosts[rank] = cost - this.#uncountedNow[rank]! * meanCost - this.#unowedCosts[rank]!;
      this.#admitted[rank]! += admitted;
      this.#admittedNow[rank] = 0;
      this.#uncountedNow[rank] = 0;
      this.#unowedCosts[rank] = 0;
    }
    this.#settle(this.#slotCosts, 1);
    this.#slotCosts.fill(0);
  }

  /** What follows from the sums is found out when somebody comes: reports need none of it, and there are more of them. */
  #decide(): void {
    const slots = this.#undecidedSlots;
    if (slots === 0) return;
    this.#undecidedSlots = 0;
    this.#settle(NOTHING, this.#idleSlots);
    const now = this.slot * this.grid.slotMs;
    const kept = this.grid.kept(slots);
    for (let rank = 0; rank < RANKS; rank++) {
      this.#admitted[rank]! *= kept;
      this.#meanCosts[rank] = this.meanCost(rank, now) ?? 0;
    }
    this.#drawLine();
    if (this.#credit.isHolding) {
      const { rank } = this.#credit;
      const seconds = slots * this.grid.slotSeconds;
      const most = this.#options.maxDebtMs / 1_000;
      this.#credit.roll(seconds, this.#demands[rank]!, this.#meanCosts[rank]!, most);
      this.#share.roll(seconds, this.#dearest(), most);
    }
  }

  /** `isCounted`: whether quotas count now. If not, it passes, and is never owed. */
  admit(rank: number, order: number, isCounted = true): boolean {
    this.#decide();
    this.#isTouched = true;
    if (isCounted && !this.#passes(rank, order)) {
      this.refuse(rank);
      return false;
    }
    this.#admittedNow[rank]! += 1;
    if (!isCounted) this.#uncountedNow[rank]! += 1;
    this.#report(rank, this.#meanCosts[rank]!);
    return true;
  }

  /** Of one that is let in now. */
  assumption(rank: number, isCounted = true): Assumption {
    this.#decide();
    return { cost: this.#meanCosts[rank]!, isOwed: isCounted };
  }

  cancel(rank: number, assumed = this.assumption(rank)): void {
    this.#decide();
    this.#isTouched = true;
    this.#admittedNow[rank]! -= 1;
    if (!assumed.isOwed) this.#uncountedNow[rank]! -= 1;
    // Nothing in the slot in which it was let in: then no trace is left.
    this.#add(rank, this.#meanCosts[rank]! - assumed.cost, assumed.isOwed);
    this.#report(rank, -assumed.cost);
    if (assumed.isOwed) this.#correct(rank, -assumed.cost);
  }

  override charge(rank: number, cost: number, now: number, assumed = this.assumption(rank)): void {
    this.#decide();
    this.#isTouched = true;
    const bounded = Math.min(cost, MOST_COST);
    const more = bounded - assumed.cost;
    this.#add(rank, more, assumed.isOwed);
    this.#report(rank, more);
    if (assumed.isOwed) this.#correct(rank, more);
    super.charge(rank, bounded, now);
  }

  override refuse(rank: number): void {
    this.#decide();
    this.#isTouched = true;
    this.#options.sheet.refuse(this.#seated(), rank, this.#meanCosts[rank]!);
    super.refuse(rank);
  }

  override close(): void {
    if (this.#seat !== undefined) this.#options.sheet.leave(this.#seat);
    this.#seat = undefined;
  }

  /** Refuses what is beyond it. At once, and until told otherwise. */
  restrain({ rank, level, top, share }: Restraint): void {
    // Who is held already has its credit rolled when somebody comes: there are levels four times a second, and most of those
    // who are held are in no cache then.
    if (!this.#credit.isHolding) this.#decide();
    this.#credit.hold(rank, level, this.#demands[rank]!);
    this.#share.hold(top, share);
  }

  /**
   * From now on these limits alone. The part of its savings that it had under other ones it has under these; who was
   * restrained has none.
   */
  release(limits: LimitLadder, savings: Savings): void {
    this.#decide();
    const part = this.#credit.isHolding ? 0 : this.#debts.savedPart(this.limits);
    this.limits = limits;
    this.#credit.release();
    this.#share.release();
    this.#debts.forget(limits, burstOf(savings, limits, this.#dearest()), part);
    this.#drawLine();
  }

  get isRestrained(): boolean {
    return this.#credit.isHolding;
  }

  override worth(now: number): number {
    return super.worth(now) + Math.max(0, this.debt);
  }

  /** Used beyond the limit and not paid back; below zero: saved up. */
  get debt(): number {
    this.#decide();
    return this.#debts.total;
  }

  refusedShare(rank: number): number {
    this.#decide();
    const held = this.#credit;
    const partialRank = held.isHolding ? held.rank : this.#partialRank;
    if (rank === partialRank) return held.isHolding ? held.refusedShare : this.#refusedShare;
    return rank < partialRank ? 1 : 0;
  }

  #passes(rank: number, order: number): boolean {
    const held = this.#credit;
    if (held.isHolding) {
      const cost = this.#meanCosts[rank]!;
      if (rank < held.rank || !this.#share.passes(rank, order, cost)) return false;
      if (rank === held.rank && !held.admit(order, cost)) return false;
      this.#share.take(rank, cost);
      return true;
    }
    return rank > this.#partialRank || (rank === this.#partialRank && !(order < this.#refusedShare));
  }

  /** So much was used, as far as is known; below zero: less than was said. */
  #report(rank: number, cost: number): void {
    this.#options.sheet.use(this.#seated(), rank, cost);
  }

  #seated(): number {
    this.#seat ??= this.#options.sheet.take(this, this.slot * this.grid.slotMs);
    return this.#seat;
  }

  #add(rank: number, cost: number, isOwed: boolean): void {
    this.#slotCosts[rank]! += cost;
    if (!isOwed) this.#unowedCosts[rank]! += cost;
  }

  #correct(rank: number, cost: number): void {
    if (!this.#credit.isHolding) return;
    if (this.#credit.rank === rank) this.#credit.correct(cost);
    this.#share.take(rank, cost);
  }

  /** First a slot in which something happened, then those in which nothing did: no matter when somebody looks. */
  #settle(costs: readonly number[], slots: number): void {
    this.#idleSlots -= slots;
    if (slots > 0 && !this.#credit.isHolding)
      this.#debts.settle(costs, slots * this.grid.slotSeconds, this.limits);
  }

  /** The mean cost of the dearest kind. */
  #dearest(): number {
    const [a, b, c, d] = this.#meanCosts as [number, number, number, number];
    return Math.max(a, b, c, d);
  }

  #drawLine(): void {
    for (let rank = 0; rank < RANKS; rank++) {
      // Given back in a later slot than let in, a few may count below zero for a while.
      const arrived = Math.max(0, this.#admitted[rank]! + this.refused(rank));
      this.#demands[rank] = (arrived * this.#meanCosts[rank]!) / this.grid.steadySeconds;
    }
    this.#partialRank = 0;
    this.#refusedShare = 0;
    if (!this.#line.draw(this.limits, this.#demands, this.#debts.allowance)) return;
    const { rank, room } = this.#line;
    // Nothing at all passes, whatever the order says.
    if (room === 0) this.#partialRank = rank + 1;
    else {
      this.#partialRank = rank;
      this.#refusedShare = 1 - room / this.#demands[rank]!;
    }
  }
}
