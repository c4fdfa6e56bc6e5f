import type { LimitLadder } from './quota-limits.js';
import { RANKS } from './rank-line.js';

/** How much a customer may save up, and how what it used too much is paid back. */
export interface DebtOptions {
  /** A customer that uses less than it may saves up this much of its limit, to be spent at once. */
  readonly burstMs: number;
  /** What was used too much is taken from what may be used, over this time. */
  readonly repayMs: number;
  /** No customer owes more than this much of its limit. */
  readonly maxDebtMs: number;
}

/** How much of a limit is saved up: for so long, or so many requests if that is more, but for no longer than `mostMs`. */
export interface Savings {
  readonly burstMs: number;
  readonly requests: number;
  readonly mostMs: number;
}

/** In milliseconds, for requests of that cost. */
export function burstOf({ burstMs, requests, mostMs }: Savings, limits: LimitLadder, cost: number): number {
  const limit = limits[RANKS - 1]!;
  const requestsMs = limit > 0 ? (requests * cost * 1_000) / limit : 0;
  return Math.max(burstMs, Math.min(mostMs, requestsMs));
}

/**
 * Beyond so much of its limit a debt is not corrected little by little any more. Of small requests none grows so large;
 * where one costs many seconds of the limit, each that is let in meanwhile would be too much again.
 */
const STOP_SECONDS = 3;

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
  /** By the rank up to which a limit holds: whether there was one. */
  readonly #isLimited = [false, false, false, false];

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
    maxDebtMs = this.#options.maxDebtMs,
  ): void {
    if (limit === Number.POSITIVE_INFINITY) {
      // Most steps of most customers, and each slot: there is nothing to clear unless there was a limit before.
      if (this.#isLimited[top]) this.clear(top);
      this.#isLimited[top] = false;
      return;
    }
    this.#isLimited[top] = true;
    const least = (-burstMs / 1_000) * limit;
    const most = (maxDebtMs / 1_000) * limit;
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

  /**
   * The same, but what is saved up is spent as slowly as debts are paid. Of those no more than `maxDebtMs` are taken at
   * once, which leaves something; of one that is too large nothing is left until most of it is paid.
   */
  readonly steadyAllowance = (top: number, rank: number, limit: number): number => {
    if (this.isStopped(top, rank, limit)) return 0;
    const { maxDebtMs, repayMs } = this.#options;
    const debt = Math.min(this.#debts[top * RANKS + rank]!, (maxDebtMs / 1_000) * limit);
    return limit - (debt * 1_000) / repayMs;
  };

  /** The criticalities from `rank` to `top` have used so much too much that they have to wait. */
  isStopped(top: number, rank: number, limit: number): boolean {
    return this.#debts[top * RANKS + rank]! > STOP_SECONDS * limit;
  }

  /** Of all criticalities together, against the whole limit. */
  get total(): number {
    return this.#debts[(RANKS - 1) * RANKS]!;
  }
}
