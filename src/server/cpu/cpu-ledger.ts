import type { Criticality } from '../../core/criticality.js';
import { CRITICALITIES } from '../../core/criticality.js';
import { elapsedMs } from '../../core/elapsed.js';
import { Accounts, type AccountTotals } from './accounts.js';

/** Where the CPU of a process went, in CPU-ms. `processMs` is the sum of the three others. */
export interface CpuSplit {
  readonly processMs: number;
  readonly requestsMs: number;
  /** Requests of other guards in the same process. */
  readonly otherGuardsMs: number;
  /** What belongs to no request: parsing, other threads (garbage collection, file system, zlib), timers of others. */
  readonly overheadMs: number;
}

/** The books of one guard. */
export interface LedgerTotals {
  /** Since the start. */
  readonly total: CpuSplit;
  /** Over the last second, per second. */
  readonly perSecond: CpuSplit;
  readonly byRoute: readonly AccountTotals[];
  readonly byCustomer: readonly AccountTotals[];
  readonly byCriticality: readonly AccountTotals[];
}

/**
 * Postings come late by some milliseconds for each request in flight, and estimates err in both directions: what was
 * taken for overhead within this time may turn out to be requests.
 */
const SLACK_MS = 10_000;

/** The accounts that requests are entered into, one of each kind. */
export interface Books {
  readonly routes: Accounts;
  readonly customers: Accounts;
  readonly criticalities: Accounts;
}

/** Accounts of requests, and the settlement that makes them agree with what the process has used. */
export class CpuLedger implements Books {
  readonly routes: Accounts;
  readonly customers: Accounts;
  readonly criticalities = new Accounts('criticalities', CRITICALITIES.length);
  #processMs = 0;
  #requestsMs = 0;
  #otherGuardsMs = 0;
  #slackMs = 0;
  #lastProcessMs: number;
  #lastOthersMs: number;
  #settledAtMs: number;
  #perSecond: CpuSplit = { processMs: 0, requestsMs: 0, otherGuardsMs: 0, overheadMs: 0 };

  /** From what the process and the other guards have used until now. */
  constructor(maxRoutes: number, maxCustomers: number, processMs: number, othersMs: number, now: number) {
    this.routes = new Accounts('maxRoutes', maxRoutes);
    this.customers = new Accounts('maxCustomers', maxCustomers);
    this.#lastProcessMs = processMs;
    this.#lastOthersMs = othersMs;
    this.#settledAtMs = now;
  }

  get settledAtMs(): number {
    return this.#settledAtMs;
  }

  get requestsMs(): number {
    return this.#requestsMs;
  }

  /** Requests that were not measured are finished: so many CPU-ms for all of them, by estimate. */
  postEstimate(
    route: string,
    customer: string,
    criticality: Criticality,
    estimatedMs: number,
    requests = 1,
  ): void {
    this.routes.of(route).postEstimate(estimatedMs, requests);
    this.customers.of(customer).postEstimate(estimatedMs, requests);
    this.criticalities.of(criticality).postEstimate(estimatedMs, requests);
  }

  /** What the process and all other guards' requests have used since it began, and what a busy ms is worth. */
  settle(processMs: number, othersMs: number, scale: number, now: number): void {
    const passedMs = elapsedMs(this.#settledAtMs, now);
    if (passedMs === 0) return;
    const usedMs = Math.max(0, processMs - this.#lastProcessMs);
    const otherGuardsMs = Math.min(usedMs, Math.max(0, othersMs - this.#lastOthersMs));
    const mostMs = usedMs - otherGuardsMs + this.#slackMs;
    // Each request is in one account of each kind: any kind will do, and this has the fewest.
    const claimedMs = this.criticalities.claimedMs(scale);
    const share = claimedMs > mostMs ? mostMs / claimedMs : 1;
    for (const accounts of [this.routes, this.customers, this.criticalities]) {
      accounts.settle(scale * share, share, passedMs);
    }
    const requestsMs = claimedMs * share;
    const overheadMs = usedMs - otherGuardsMs - requestsMs;
    this.#slackMs = (this.#slackMs + overheadMs) * Math.exp(-passedMs / SLACK_MS);
    this.#perSecond = times({ processMs: usedMs, requestsMs, otherGuardsMs, overheadMs }, 1_000 / passedMs);
    this.#processMs += usedMs;
    this.#requestsMs += requestsMs;
    this.#otherGuardsMs += otherGuardsMs;
    this.#lastProcessMs = processMs;
    // Theirs are settled at other moments: what did not fit into this second belongs to the next.
    this.#lastOthersMs += otherGuardsMs;
    this.#settledAtMs = now;
  }

  /** All of it times a factor. */
  totals(factor: number): LedgerTotals {
    const total = {
      processMs: this.#processMs,
      requestsMs: this.#requestsMs,
      otherGuardsMs: this.#otherGuardsMs,
      overheadMs: this.#processMs - this.#requestsMs - this.#otherGuardsMs,
    };
    return {
      total: times(total, factor),
      perSecond: times(this.#perSecond, factor),
      byRoute: this.routes.totals(factor),
      byCustomer: this.customers.totals(factor),
      byCriticality: this.criticalities.totals(factor),
    };
  }
}

function times(split: CpuSplit, factor: number): CpuSplit {
  return {
    processMs: split.processMs * factor,
    requestsMs: split.requestsMs * factor,
    otherGuardsMs: split.otherGuardsMs * factor,
    overheadMs: split.overheadMs * factor,
  };
}
