import { elapsedMs } from '../../elapsed.js';
import type { LeaseAsk, LeaseGrant } from './lease-ledger.js';

/** A block is to last about so long: then 10 asks a second are enough, and what lies idle is a tenth of a second's worth. */
const HORIZON_MS = 100;

/** Rates are not believed at once: an ask is for at most so many times what the last one brought. */
const GROWTH = 8;

/** Below this a block is asked for when it is needed, not before: a key that few ask for leaves nothing idle. */
const LEAST_AHEAD = 16;

/** Nobody has come for so long: what is left goes back. Twice the horizon, so that not every pause ends a lease. */
export const IDLE_MS = 2 * HORIZON_MS;

/** The same for a few units, of keys that somebody comes for now and then; before they end by themselves. */
const SMALL_IDLE_MS = 800;

/** That there is nothing is believed for so long at the most: others may have given something back. */
const EMPTY_MS = 1_000;

/** What a block says: it has enough, it is known that there is none, or somebody must be asked. */
export type BlockAnswer = 'allowed' | 'refused' | 'unknown';

/**
 * Units of one key that this process decides upon by itself. Time is monotonic and its own.
 *
 * How much it asks for follows what it used since it last asked, so that each process gets by its share of the load;
 * it asks again when half is gone, before anybody must wait.
 */
export class TokenBlock {
  readonly #nextTurn: () => number;
  #units = 0;
  #endsMs = 0;
  #epochMs = 0;
  #turn = 0;
  /** Nothing is to be had before that, unless it is less than this; and when there will be something, as it was said. */
  #emptyUntilMs = 0;
  #retryAtMs = 0;
  #emptyFor = 0;
  #lowMark = 0;
  #used = 0;
  #askedMs = Number.POSITIVE_INFINITY;
  #lastGranted = 0;
  #lastUseMs = 0;
  #remainingThere = 0;
  #resetAtMs = 0;
  #isAsking = false;

  /** Turns must grow over all blocks that one holder ever has of a key: an earlier one was overtaken. */
  constructor(nextTurn: () => number) {
    this.#nextTurn = nextTurn;
  }

  /** Takes so many, if it has them. */
  take(now: number, cost: number): BlockAnswer {
    this.#lastUseMs = now;
    if (now >= this.#endsMs) this.#units = Math.min(0, this.#units);
    if (cost <= this.#units) {
      this.#units -= cost;
      this.#used += cost;
      return 'allowed';
    }
    return now < this.#emptyUntilMs && cost >= this.#emptyFor ? 'refused' : 'unknown';
  }

  /** To be told with what is given back. */
  get turn(): number {
    return this.#turn;
  }

  /**
   * What was taken and is not used after all; less than nothing is what was used beyond it, a debt of at most `most`. If
   * somebody was asked since, it has been told of as used, and may be with others already: then it stays so.
   */
  giveBack(now: number, units: number, turn: number, most: number): void {
    if (units > 0 && (turn !== this.#turn || now >= this.#endsMs)) return;
    const after = Math.max(-most, this.#units + units);
    this.#used -= after - this.#units;
    this.#units = after;
  }

  /** What was used beyond a reservation is still to be paid. */
  get isInDebt(): boolean {
    return this.#units < 0;
  }

  /** Whether the next one of this cost would have to wait, and somebody can be asked before it comes. */
  isSpent(now: number, cost: number): boolean {
    return this.#valid(now) < cost && !this.#isAsking && now >= this.#emptyUntilMs;
  }

  /** Whether it is time to ask, before somebody must wait for it. */
  isLow(now: number): boolean {
    return this.#units < this.#lowMark && !this.#isAsking && now >= this.#emptyUntilMs;
  }

  get isAsking(): boolean {
    return this.#isAsking;
  }

  /**
   * Asks for what it will need. `needs` is what the first of those who wait needs, `waiting` what all of them do, and
   * `missed` what those needed who could not wait and may come again.
   */
  ask(holder: string, now: number, needs: number, waiting = needs, missed = 0): LeaseAsk {
    const holds = this.#valid(now);
    const elapsed = elapsedMs(this.#askedMs, now);
    const perMs = elapsed > 0 ? this.#used / elapsed : 0;
    const known = waiting + missed;
    const most = GROWTH * Math.max(this.#lastGranted, known);
    const expected = Math.max(known, Math.min(Math.ceil(perMs * HORIZON_MS), most));
    // Of a debt any part may be paid; who waits needs all of it to be.
    const more = holds < 0 ? 0 : Math.max(0, needs - holds);
    const urgent = Math.max(more, waiting - holds);
    this.#isAsking = true;
    this.#askedMs = now;
    this.#used = 0;
    const wants = Math.max(urgent, expected - holds);
    return this.#said(holder, { wants, urgent, needs: more, holds, returns: 0 });
  }

  /** The answer to what was asked at `askedMs`. */
  granted(askedMs: number, grant: LeaseGrant): void {
    const { granted, validMs, epochMs, remaining, retryAfterMs, resetMs } = grant;
    // What is left of a block of another window ended with it.
    if (epochMs !== this.#epochMs) this.#units = 0;
    this.#epochMs = epochMs;
    this.#isAsking = false;
    this.#units += granted;
    this.#endsMs = askedMs + validMs;
    // One that found nothing does not mean that the load is gone.
    this.#lastGranted = Math.max(granted, this.#lastGranted / 2);
    this.#lowMark = granted >= LEAST_AHEAD ? granted / 2 : 0;
    this.#remainingThere = remaining;
    this.#resetAtMs = askedMs + resetMs;
    this.#retryAtMs = askedMs + retryAfterMs;
    this.#emptyUntilMs = askedMs + Math.min(retryAfterMs, EMPTY_MS);
    // What a smaller one needed may be there.
    this.#emptyFor = this.#units + remaining + 1;
  }

  /** No answer came: what it may have brought counts as spent. */
  failed(): void {
    this.#isAsking = false;
  }

  /** Gives back what is left, when nobody has come for a while or nobody will. Undefined: there is nothing. */
  surrender(holder: string, now: number): LeaseAsk | undefined {
    const returns = this.#valid(now);
    if (this.#isAsking || returns <= 0) return undefined;
    this.#units = 0;
    this.#lowMark = 0;
    return this.#said(holder, { wants: 0, urgent: 0, needs: 0, holds: 0, returns });
  }

  /** Nobody comes for it, and it owes nothing. */
  isIdle(now: number): boolean {
    const idleMs = this.#units >= LEAST_AHEAD ? IDLE_MS : SMALL_IDLE_MS;
    return !this.#isAsking && !this.isInDebt && elapsedMs(this.#lastUseMs, now) >= idleMs;
  }

  /** Units here and, as far as is known, where they come from. */
  remaining(now: number): number {
    return Math.max(0, this.#valid(now) + this.#remainingThere);
  }

  resetMs(now: number): number {
    return Math.ceil(elapsedMs(now, this.#resetAtMs));
  }

  retryAfterMs(now: number): number {
    return Math.max(1, Math.ceil(this.#retryAtMs - now));
  }

  #valid(now: number): number {
    return now < this.#endsMs ? this.#units : Math.min(0, this.#units);
  }

  #said(holder: string, amounts: Omit<LeaseAsk, 'holder' | 'turn' | 'epochMs'>): LeaseAsk {
    // In debt it holds nothing.
    const holds = Math.max(0, amounts.holds);
    this.#turn = this.#nextTurn();
    return { holder, turn: this.#turn, ...amounts, holds, epochMs: this.#epochMs };
  }
}
