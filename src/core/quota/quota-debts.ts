import type { LimitLadder } from './quota-limits.js';
import { RANKS } from './rank-line.js';

export interface DebtOptions {
  /** A customer that uses less than it may saves up this much of its limit, to be spent at once. */
  readonly burstMs: number;
  /** What was used too much is taken from what may be used, over this time. */
  readonly repayMs: number;
  /** No customer owes more than this much of its limit. */
  readonly maxDebtMs: number;
}

/**
 * What a customer has used beyond its limits or, below zero, has saved up. For each step of its ladder of limits
 * there is a debt for each criticality up to there: that of the criticality *and those above it*. So what the
 * sheddable ones used too much is paid for by the sheddable ones; critical ones owe nothing as long as they fit by
 * themselves.
 */
export class QuotaDebts {
  readonly #options: DebtOptions;
  readonly #slotSeconds: number;
  #burstMs: number;
  /** By the rank up to which a limit holds × the rank from which use is counted. 0 where there is no limit. */
  readonly #debts: number[] = new Array(RANKS * RANKS).fill(0);

  /** Who was never seen has used nothing. */
  constructor(options: DebtOptions, slotSeconds: number, limits: LimitLadder) {
    this.#options = options;
    this.#slotSeconds = slotSeconds;
    this.#burstMs = options.burstMs;
    this.forget(limits);
  }

  /** All is saved up, so much from now on, or a part of it. */
  forget(limits: LimitLadder, burstMs = this.#burstMs, part = 1): void {
    this.#burstMs = burstMs;
    this.#debts.fill(0);
    this.settle([0, 0, 0, 0], (burstMs / 1_000) * part, limits);
  }

  /** From 0, nothing saved up, to 1, all that may be. */
  savedPart(limits: LimitLadder): number {
    const most = (this.#burstMs / 1_000) * limits[RANKS - 1]!;
    // Who has no limit, or may have no savings, has lost none.
    return most > 0 && most < Number.POSITIVE_INFINITY ? Math.max(0, -this.total / most) : 1;
  }

  /** Nothing is saved up, and nothing owed, of the limit that holds up to a rank. */
  clear(top: number): void {
    this.#debts.fill(0, top * RANKS, (top + 1) * RANKS);
  }

  /** By rank, what was used in so many seconds. */
  settle(costs: readonly number[], seconds: number, limits: LimitLadder): void {
    for (let top = 0; top < RANKS; top++) this.settleStep(top, costs, seconds, limits[top]!);
  }

  /** The same for one limit, the one that holds up to a rank. */
  settleStep(
    top: number,
    costs: readonly number[],
    seconds: number,
    limit: number,
    burstMs = this.#burstMs,
  ): void {
    if (limit === Number.POSITIVE_INFINITY) {
      this.clear(top);
      return;
    }
    const least = (-burstMs / 1_000) * limit;
    const most = (this.#options.maxDebtMs / 1_000) * limit;
    let used = 0;
    for (let rank = top; rank >= 0; rank--) {
      used += costs[rank]!;
      const debt = this.#debts[top * RANKS + rank]! + used - limit * seconds;
      this.#debts[top * RANKS + rank] = Math.min(most, Math.max(least, debt));
    }
  }

  /** What the criticalities from `rank` to `top` may use together in the next slot, as a rate per second. */
  readonly allowance = (top: number, rank: number, limit: number): number => {
    const debt = this.#debts[top * RANKS + rank]!;
    // A credit may be spent at once: who has it is within its quota. A debt paid at once would be an outage.
    return limit - (debt < 0 ? debt / this.#slotSeconds : (debt * 1_000) / this.#options.repayMs);
  };

  /** The same, but what is saved up is spent as slowly as debts are paid. */
  readonly steadyAllowance = (top: number, rank: number, limit: number): number =>
    limit - (this.#debts[top * RANKS + rank]! * 1_000) / this.#options.repayMs;

  /** Of all criticalities together, against the whole limit. */
  get total(): number {
    return this.#debts[(RANKS - 1) * RANKS]!;
  }
}
