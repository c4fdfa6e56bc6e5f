import { elapsedMs } from '../elapsed.js';
import type { QuotaAccount } from './quota-account.js';
import type { ActiveAccounts } from './quota-enforcement.js';
import { RANKS } from './rank-line.js';
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
  /** By row − 1. */
  #accounts: QuotaAccount[] = [];
  #chosenMs = Number.NEGATIVE_INFINITY;
  /** Of the last report. */
  #slot: number | undefined;

  constructor(maxReported: number, mustHave: (account: QuotaAccount) => boolean) {
    this.#maxReported = maxReported;
    this.#mustHave = mustHave;
  }

  get count(): number {
    return this.names.length;
  }

  /**
   * `accounts` are in the slot of now, all of them that are not idle: who comes after a long silence used what it used
   * since the last report all the same. `forgotten` are those who have none, together.
   */
  fill({ accounts, forgotten, slot, firstSlot }: ActiveAccounts, now: number): UsageReport {
    const slots = Math.max(1, slot - (this.#slot ?? firstSlot));
    this.#slot = slot;
    this.#place(accounts, now);
    this.rates.fill(0, 0, this.count * REPORT_STRIDE);
    this.refused.fill(0, 0, this.count);
    for (const account of accounts) {
      const row = account.reportRow;
      if (row === 0) this.#addToRest(account, slots);
      else if (account.reported.take(this.rates, row * REPORT_STRIDE, slots)) this.refused[row] = 1;
    }
    for (let rank = 0; rank < RANKS; rank++) {
      const used = forgotten.usedPerSecond(rank, now);
      this.rates[rank]! += used;
      this.rates[DEMAND_AT + rank]! += used;
    }
    return this;
  }

  #addToRest(account: QuotaAccount, slots: number): void {
    account.reported.take(SCRATCH.fill(0), 0, slots);
    for (let column = 0; column < REPORT_STRIDE; column++) this.rates[column]! += SCRATCH[column]!;
  }

  #place(accounts: readonly QuotaAccount[], now: number): void {
    const rowless = accounts.filter(({ reportRow }) => reportRow === 0);
    const isDue = elapsedMs(this.#chosenMs, now) >= CHOOSE_EVERY_MS;
    // Somebody has left, or there is no place: when it is time, all are looked at.
    const hasChanged = rowless.length > 0 || accounts.length < this.#accounts.length;
    if (isDue && hasChanged) {
      this.#chosenMs = now;
      this.#setRows(this.#chosen(accounts));
      return;
    }
    const free = this.#maxReported - this.#accounts.length;
    const joining = rowless.filter((account, index) => index < free || this.#mustHave(account));
    if (joining.length > 0) this.#setRows([...this.#accounts, ...joining]);
  }

  #chosen(accounts: readonly QuotaAccount[]): QuotaAccount[] {
    const required = accounts.filter(this.#mustHave);
    const others = accounts.filter((account) => !this.#mustHave(account));
    if (others.length <= this.#maxReported) return [...required, ...others];
    const weights = Float64Array.from(others, (account) => this.#weight(account));
    const cut = weights.slice().sort()[others.length - this.#maxReported]!;
    const larger = others.filter((_, index) => weights[index]! > cut);
    const equal = others.filter((_, index) => weights[index] === cut);
    return [...required, ...larger, ...equal.slice(0, this.#maxReported - larger.length)];
  }

  #weight(account: QuotaAccount): number {
    return account.reported.demandPerSecond * (account.reportRow > 0 ? INCUMBENT : 1);
  }

  #setRows(accounts: QuotaAccount[]): void {
    for (const account of this.#accounts) account.reportRow = 0;
    this.#accounts = accounts;
    for (const [index, account] of accounts.entries()) account.reportRow = index + 1;
    this.names = [undefined, ...accounts.map(({ customer }) => customer)];
    this.namesVersion = hashOf(this.names);
    if (this.count <= this.refused.length) return;
    const rows = 2 * this.count;
    this.rates = new Float32Array(rows * REPORT_STRIDE);
    this.refused = new Uint8Array(rows);
  }
}

const SCRATCH = new Float32Array(REPORT_STRIDE);

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
