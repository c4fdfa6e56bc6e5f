import { elapsedMs } from '../elapsed.js';
import type { QuotaAccount } from './quota-account.js';
import { RANKS } from './rank-line.js';
import type { RecentUse } from './recent-use.js';
import type { ReportSheet } from './report-sheet.js';
import { DEMAND_AT, REPORT_STRIDE, type UsageReport } from './usage-report.js';

/** Rows are chosen anew at most so often: names travel when they change, and there may be ten thousand to choose from. */
const CHOOSE_EVERY_MS = 1_000;

/** Who has a row keeps it until another wants twice as much: names would change with each fluctuation. */
const INCUMBENT = 2;

/**
 * The customers that have a row in a backend's reports: those that must have one, and of the others as many of the
 * largest as there is place for. What the rest use is in row 0.
 *
 * Somebody without a row wants less here than each of those that have one (to the factor above), so less than one part
 * in `maxReported` of what the backend does, and everywhere together less than that part of the fleet.
 */
export class ReportRows implements UsageReport {
  names: readonly (string | undefined)[] = [undefined];
  namesVersion = 0;
  rates = new Float32Array(64 * REPORT_STRIDE);
  refused = new Uint8Array(64);
  isSuspended = false;
  readonly #maxReported: number;
  readonly #mustHave: (account: QuotaAccount) => boolean;
  readonly #sheet: ReportSheet;
  /** Rows in use beside row 0. */
  #rows = 0;
  #chosenMs = Number.NEGATIVE_INFINITY;

  constructor(sheet: ReportSheet, maxReported: number, mustHave: (account: QuotaAccount) => boolean) {
    this.#sheet = sheet;
    this.#maxReported = maxReported;
    this.#mustHave = mustHave;
  }

  get count(): number {
    return this.names.length;
  }

  /** `forgotten` are those who have no account, together. */
  fill(forgotten: RecentUse, now: number): UsageReport {
    this.#place(now);
    this.rates.fill(0, 0, this.count * REPORT_STRIDE);
    this.refused.fill(0, 0, this.count);
    this.#sheet.addTo(this.rates, this.refused, now);
    for (let rank = 0; rank < RANKS; rank++) {
      const used = forgotten.usedPerSecond(rank, now);
      this.rates[rank]! += used;
      this.rates[DEMAND_AT + rank]! += used;
    }
    return this;
  }

  #place(now: number): void {
    const { rows, accounts } = this.#sheet;
    const rowless: number[] = [];
    let placed = 0;
    for (let seat = 0; seat < accounts.length; seat++) {
      if (!this.#sheet.isActive(seat)) continue;
      if (rows[seat]! > 0) placed++;
      else rowless.push(seat);
    }
    const isDue = elapsedMs(this.#chosenMs, now) >= CHOOSE_EVERY_MS;
    // Somebody has left, or there is no place: when it is time, all are looked at.
    if (isDue && (rowless.length > 0 || placed < this.#rows)) {
      this.#chosenMs = now;
      this.#setRows(this.#chosen());
      return;
    }
    const free = this.#maxReported - this.#rows;
    const joining = rowless.filter((seat, index) => index < free || this.#mustHave(accounts[seat]!));
    if (joining.length > 0) this.#setRows([...this.#seats(), ...joining]);
  }

  /** By row − 1. Who has left its seat left its row, too: those behind it move up. */
  #seats(): number[] {
    const { rows, accounts } = this.#sheet;
    const seats = [...accounts.keys()].filter((seat) => rows[seat]! > 0);
    return seats.sort((a, b) => rows[a]! - rows[b]!);
  }

  #chosen(): number[] {
    const { accounts } = this.#sheet;
    const active = [...accounts.keys()].filter((seat) => this.#sheet.isActive(seat));
    const required = active.filter((seat) => this.#mustHave(accounts[seat]!));
    const others = active.filter((seat) => !this.#mustHave(accounts[seat]!));
    if (others.length <= this.#maxReported) return [...required, ...others];
    const weights = Float64Array.from(others, (seat) => this.#weight(seat));
    const cut = weights.slice().sort()[others.length - this.#maxReported]!;
    const larger = others.filter((_, index) => weights[index]! > cut);
    const equal = others.filter((_, index) => weights[index] === cut);
    return [...required, ...larger, ...equal.slice(0, this.#maxReported - larger.length)];
  }

  #weight(seat: number): number {
    return this.#sheet.demandOf(seat) * (this.#sheet.rows[seat]! > 0 ? INCUMBENT : 1);
  }

  #setRows(seats: readonly number[]): void {
    const { rows, accounts } = this.#sheet;
    rows.fill(0);
    for (const [index, seat] of seats.entries()) rows[seat] = index + 1;
    this.#rows = seats.length;
    this.names = [undefined, ...seats.map((seat) => accounts[seat]!.customer)];
    this.namesVersion = hashOf(this.names);
    if (this.count <= this.refused.length) return;
    const length = 2 * this.count;
    this.rates = new Float32Array(length * REPORT_STRIDE);
    this.refused = new Uint8Array(length);
  }
}

/** FNV-1a. Follows from the names: a backend that began anew must not pass for the one before it. */
function hashOf(names: readonly (string | undefined)[]): number {
  let hash = 0x811c9dc5;
  const add = (code: number) => {
    hash = Math.imul(hash ^ code, 0x01000193);
  };
  for (const name of names) {
    // A mark that no character has, after each.
    for (let at = 0; at < (name?.length ?? 0); at++) add(name!.charCodeAt(at));
    add(0x10000);
  }
  return hash >>> 0;
}
