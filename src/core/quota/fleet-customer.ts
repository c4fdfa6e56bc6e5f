import { elapsedMs } from '../elapsed.js';
import { type DebtOptions, QuotaDebts } from './quota-debts.js';
import type { LimitLadder } from './quota-limits.js';
import { RankLine } from './rank-line.js';

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

/**
 * What the coordinator knows of one customer: what it saved up or owes, at all backends together, and the line below
 * which it is refused. Who has savings is not restrained. Who is restrained owes what it still uses too much: that is
 * taken from its room, and so corrects what the level was wrong by.
 */
export class FleetCustomer {
  readonly name: string;
  limits: LimitLadder;
  /** The criticality that does not fit, and what all backends may use of it together. Infinity: all fits. */
  rank = 0;
  room = Number.POSITIVE_INFINITY;
  /** At each backend: filled in by who knows them. */
  level = Number.POSITIVE_INFINITY;
  isHeld = false;
  readonly #options: FleetOptions;
  readonly #debts: QuotaDebts;
  readonly #line = new RankLine();
  #heldMs = 0;

  constructor(name: string, limits: LimitLadder, options: FleetOptions) {
    this.name = name;
    this.limits = limits;
    this.#options = options;
    this.#debts = new QuotaDebts(options, options.everyMs / 1_000, limits);
  }

  /** Left to spend beyond the limit; below zero: used too much. */
  get savings(): number {
    return 0 - this.#debts.total;
  }

  /** It is refused something already, by the word of an earlier coordinator: then it has nothing saved up. */
  inherit(): void {
    this.#debts.clear();
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
    // Restrained it is all the same, for the moment in which they count again; but what it uses until then is not owed.
    if (!isCounted && this.isHeld) this.#hold(now);
    else this.#settle(used, seconds, now);
    const { allowance, steadyAllowance } = this.#debts;
    const isOver = this.#line.draw(this.limits, demands, this.isHeld ? steadyAllowance : allowance);
    if (isOver && !this.isHeld) this.#hold(now);
    this.isHeld = isOver;
    // Without savings and debts: what its limits themselves leave, for when nobody is heard.
    const isLimited = isOver || this.#line.draw(this.limits, demands, plainly);
    this.rank = isLimited ? this.#line.rank : 0;
    this.room = isLimited ? this.#line.room : Number.POSITIVE_INFINITY;
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

  /** What it used before it could be restrained is written off: to refuse it altogether for seconds helps nobody. */
  #hold(now: number): void {
    this.#heldMs = now;
    this.#debts.clear();
  }

  #settle(used: readonly number[], seconds: number, now: number): void {
    if (!this.isHeld) this.#debts.settle(used, seconds, this.limits);
    else if (elapsedMs(this.#heldMs, now) > this.#options.reactionMs)
      this.#debts.settle(used, seconds, this.limits, HELD_BURST_MS);
  }
}

function plainly(_top: number, _rank: number, limit: number): number {
  return limit;
}
