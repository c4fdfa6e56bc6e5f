import { elapsedMs } from '../elapsed.js';
import type { QuotaAccount } from './quota-account.js';
import { RANKS } from './rank-line.js';
import { NEGLIGIBLE } from './rate-grid.js';
import { DEMAND_AT, REPORT_STRIDE } from './usage-report.js';

/** Seats to begin with. */
const SEATS = 64;

/**
 * What a backend reports of its customers, in columns. Accounts write here what happens when it happens, so that a report
 * reads some pages from one end to the other, and no account: those of a thousand customers are in no cache any more when
 * a report is due, and to bring them there takes ten times as long as all the rest.
 *
 * Use is the mean since the last report, so that the sum over reports is what was used, and what was used before a level
 * was heard is not held against the level. Demand is a decaying mean.
 */
export class ReportSheet {
  /** By seat; undefined: free. */
  readonly accounts: (QuotaAccount | undefined)[] = [];
  /** By seat, its row in reports; 0: none of its own. */
  rows = new Int32Array(SEATS);
  readonly #leastMs: number;
  readonly #decayMs: number;
  readonly #free: number[] = [];
  /** By seat and rank, since the last report. */
  #used = new Float64Array(SEATS * RANKS);
  /** Decaying sums, and what a steady 1/s amounts to in them. */
  #wanted = new Float64Array(SEATS * RANKS);
  #steadySeconds: number;
  /** By seat, 1: something was refused since the last report. */
  #refused = new Uint8Array(SEATS);
  /** Infinity: nobody is here yet, and no time passes. */
  #rolledMs = Number.POSITIVE_INFINITY;
  #reportedMs = Number.POSITIVE_INFINITY;

  /** `leastMs`: what came in less time is no rate. */
  constructor(leastMs: number, decayMs: number) {
    this.#leastMs = leastMs;
    this.#decayMs = decayMs;
    // As if nothing had been wanted for long.
    this.#steadySeconds = decayMs / 1_000;
  }

  /** A seat for an account, until it leaves it. */
  take(account: QuotaAccount, now: number): number {
    // Only the first begins: an account knows the time by its slot, which may have begun before the last report.
    if (this.#rolledMs === Number.POSITIVE_INFINITY) {
      this.#rolledMs = now;
      this.#reportedMs = now;
    }
    const seat = this.#free.pop() ?? this.accounts.length;
    this.accounts[seat] = account;
    if (seat >= this.rows.length) this.#grow();
    return seat;
  }

  leave(seat: number): void {
    const [from, to] = [seat * RANKS, (seat + 1) * RANKS];
    this.#used.fill(0, from, to);
    this.#wanted.fill(0, from, to);
    this.#refused[seat] = 0;
    this.rows[seat] = 0;
    this.accounts[seat] = undefined;
    this.#free.push(seat);
  }

  /** So much was used; below zero: that was said, and was not. */
  use(seat: number, rank: number, cost: number): void {
    this.#used[seat * RANKS + rank]! += cost;
    this.#wanted[seat * RANKS + rank]! += cost;
  }

  refuse(seat: number, rank: number, cost: number): void {
    if (cost === 0) return;
    this.#wanted[seat * RANKS + rank]! += cost;
    this.#refused[seat] = 1;
  }

  /** Time passes, also while nothing is reported: what was wanted then would be in the first report after it. */
  roll(now: number): void {
    const passedMs = elapsedMs(this.#rolledMs, now);
    if (passedMs < this.#leastMs) return;
    this.#rolledMs = now;
    const kept = Math.exp(-passedMs / this.#decayMs);
    this.#steadySeconds = (this.#steadySeconds + passedMs / 1_000) * kept;
    const wanted = this.#wanted;
    const length = this.accounts.length * RANKS;
    for (let at = 0; at < length; at++) {
      if (wanted[at] === 0) continue;
      const left = wanted[at]! * kept;
      wanted[at] = Math.abs(left) < NEGLIGIBLE ? 0 : left;
    }
  }

  /** There is something to report: not all that was wanted has faded. */
  isActive(seat: number): boolean {
    for (let at = seat * RANKS; at < (seat + 1) * RANKS; at++) {
      if (this.#wanted[at] !== 0 || this.#used[at] !== 0) return true;
    }
    return false;
  }

  /** Of all ranks; to be compared with that of others. */
  demandOf(seat: number): number {
    let wanted = 0;
    for (let rank = 0; rank < RANKS; rank++) wanted += this.#wanted[seat * RANKS + rank]!;
    return Math.max(0, wanted);
  }

  /** Adds all to their rows, as rates, and begins the next report. */
  addTo(rates: Float32Array, refused: Uint8Array, now: number): void {
    const usedSeconds = Math.max(this.#leastMs, elapsedMs(this.#reportedMs, now)) / 1_000;
    const wantedSeconds = this.#steadySeconds + elapsedMs(this.#rolledMs, now) / 1_000;
    this.#reportedMs = now;
    const [used, wanted] = [this.#used, this.#wanted];
    for (let seat = 0; seat < this.accounts.length; seat++) {
      const row = this.rows[seat]!;
      if (row > 0 && this.#refused[seat] === 1) refused[row] = 1;
      for (let rank = 0; rank < RANKS; rank++) {
        const at = seat * RANKS + rank;
        // Most customers have one criticality.
        if (wanted[at] === 0 && used[at] === 0) continue;
        const to = row * REPORT_STRIDE + rank;
        // A request that cost less than was assumed takes away what was counted earlier.
        if (used[at]! > 0) rates[to]! += used[at]! / usedSeconds;
        if (wanted[at]! > 0) rates[to + DEMAND_AT]! += wanted[at]! / wantedSeconds;
        used[at] = 0;
      }
    }
    this.#refused.fill(0);
  }

  #grow(): void {
    const seats = 2 * this.rows.length;
    const grown = <T extends { set(from: T): void }>(into: T, from: T) => {
      into.set(from);
      return into;
    };
    this.rows = grown(new Int32Array(seats), this.rows);
    this.#used = grown(new Float64Array(seats * RANKS), this.#used);
    this.#wanted = grown(new Float64Array(seats * RANKS), this.#wanted);
    this.#refused = grown(new Uint8Array(seats), this.#refused);
  }
}
