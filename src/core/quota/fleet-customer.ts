import { elapsedMs } from '../elapsed.js';
import { Overdraft } from './overdraft.js';
import { type DebtOptions, QuotaDebts } from './quota-debts.js';
import { FITS } from './quota-levels.js';
import type { LimitLadder } from './quota-limits.js';
import { RANKS, RankLine } from './rank-line.js';

export interface FleetOptions extends DebtOptions {
  /** How often limits are divided, for what is saved up and may be spent until the next time. */
  readonly everyMs: number;
  /** What was used until so long after a customer was restrained, was used before it could be known to backends. */
  readonly reactionMs: number;
}

/**
 * Who is restrained saves up no more than this. Something it must be: what is used swings around the limit, and if only
 * what is too much counted, the mean would end below it.
 */
const HELD_BURST_MS = 500;

/** And owes no more than this: nobody is refused everything for longer. */
const HELD_DEBT_MS = 60_000;

/**
 * Demand that has grown so much since a customer was restrained was not known then: reports had but a part of it, and
 * the levels made of that let pass many times too much. Half as much again they bear (see LevelCredit).
 */
const UNKNOWN = 1.5;

/**
 * What the coordinator knows of one customer: what it saved up or owes, at all backends together, and the line below
 * which it is refused. Who has savings is not restrained. Who is restrained owes what it still uses too much: that is
 * taken from its room, and so corrects what the level was wrong by.
 *
 * All this is by step of its limits: who is over the one for its sheddable requests keeps what it saved up for the
 * critical ones.
 */
export class FleetCustomer {
  readonly name: string;
  limits: LimitLadder;
  /** The criticality that does not fit, and what all backends may use of it together. Infinity: all fits. */
  rank = 0;
  room = Number.POSITIVE_INFINITY;
  /** At each backend: filled in by who knows them. */
  level = Number.POSITIVE_INFINITY;
  /** Whether backends were told of it the last time. */
  isListed = false;
  readonly #options: FleetOptions;
  readonly #debts: QuotaDebts;
  readonly #overdraft: Overdraft;
  readonly #line = new RankLine();
  /** By the rank up to which a limit holds: since when it is restrained by that limit. */
  readonly #heldMs: (number | undefined)[] = new Array(RANKS).fill(undefined);
  /** What was wanted then, of all criticalities. */
  readonly #heldDemands: number[] = new Array(RANKS).fill(0);

  constructor(name: string, limits: LimitLadder, options: FleetOptions) {
    this.name = name;
    this.limits = limits;
    this.#options = options;
    this.#debts = new QuotaDebts(options, options.everyMs / 1_000, limits);
    this.#overdraft = new Overdraft(options.burstMs, limits);
  }

  get isHeld(): boolean {
    return this.#heldMs.some(isSet);
  }

  /** What backends are told: one that fits and is held is held to its part of the highest step that it overdrew. */
  get told(): { readonly rank: number; readonly level: number } {
    if (!this.isHeld || this.level < Number.POSITIVE_INFINITY) return this;
    return { rank: this.#heldMs.findLastIndex(isSet), level: FITS };
  }

  /** Left to spend beyond the limit; below zero: used too much. */
  get savings(): number {
    return 0 - this.#debts.total;
  }

  /** It is refused something already, by the word of an earlier coordinator: then it has nothing saved up. */
  inherit(): void {
    for (let top = 0; top < RANKS; top++) this.#debts.clear(top);
    this.#overdraft.clear();
  }

  /**
   * By rank: what was used in the seconds since the last time, and what is wanted a second. `isCounted`: quotas count
   * where most of it is used.
   */
  decide(
    used: readonly number[],
    seconds: number,
    demands: readonly number[],
    isCounted: boolean,
    now: number,
  ): void {
    if (isCounted) this.#overdraft.add(used, seconds, this.limits);
    else this.#overdraft.clear();
    const demand = demands.reduce((sum, each) => sum + each, 0);
    for (let top = 0; top < RANKS; top++) this.#settle(top, used, seconds, demand, isCounted, now);
    const isOver =
      this.#line.draw(this.limits, demands, this.#allowance) && (this.#line.isFelt || this.#isStopped());
    for (let top = 0; top < RANKS; top++) {
      if (isOver && top === this.#line.top) {
        if (this.#heldMs[top] === undefined) this.#hold(top, demand, now);
      } else if (!this.#overdraft.isOwed(top)) this.#heldMs[top] = undefined;
    }
    // Without savings and debts: what its limits themselves leave, for when nobody is heard. Not for one that is held and
    // fits: what is said of one that is held counts at once.
    const isLimited =
      isOver || (!this.isHeld && this.#line.draw(this.limits, demands, plainly) && this.#line.isFelt);
    this.rank = isLimited ? this.#line.rank : 0;
    this.room = isLimited ? this.#line.room : Number.POSITIVE_INFINITY;
  }

  /** It was too much only by rounding. */
  fits(): void {
    for (let top = 0; top < RANKS; top++) if (!this.#overdraft.isOwed(top)) this.#heldMs[top] = undefined;
  }

  /**
   * By the rank up to which a limit holds, what is left of it when the line is drawn. Below zero: more than that is let
   * pass, to make up for what backends let pass too little before.
   */
  spare(top: number, demands: readonly number[]): number {
    let spare = this.limits[top]!;
    for (let rank = top; rank >= this.rank; rank--) {
      spare -= rank > this.rank ? demands[rank]! : Math.min(demands[rank]!, this.room);
    }
    return spare;
  }

  /** What it used before it could be restrained is not taken from its room: to refuse all for seconds helps nobody. */
  #hold(top: number, demand: number, now: number): void {
    this.#heldMs[top] = now;
    this.#heldDemands[top] = demand;
    this.#debts.clear(top);
  }

  #settle(
    top: number,
    used: readonly number[],
    seconds: number,
    demand: number,
    isCounted: boolean,
    now: number,
  ): void {
    const heldMs = this.#heldMs[top];
    const limit = this.limits[top]!;
    if (heldMs === undefined) this.#debts.settleStep(top, used, seconds, limit);
    // Restrained it is all the same, for the moment in which they count again; but what it uses until then is not owed.
    else if (!isCounted) this.#hold(top, demand, now);
    else if (elapsedMs(heldMs, now) > this.#options.reactionMs)
      this.#debts.settleStep(top, used, seconds, limit, HELD_BURST_MS, HELD_DEBT_MS);
    else if (demand > UNKNOWN * this.#heldDemands[top]!) this.#hold(top, demand, now);
  }

  /** Requests that cost seconds of a limit are rare: backends must know before the next one comes. */
  #isStopped(): boolean {
    const { top, rank } = this.#line;
    return this.#heldMs[top] !== undefined && this.#debts.isStopped(top, rank, this.limits[top]!);
  }

  readonly #allowance = (top: number, rank: number, limit: number): number => {
    const { allowance, steadyAllowance } = this.#debts;
    return (this.#heldMs[top] === undefined ? allowance : steadyAllowance)(top, rank, limit);
  };
}

function isSet(ms: number | undefined): boolean {
  return ms !== undefined;
}

function plainly(_top: number, _rank: number, limit: number): number {
  return limit;
}
