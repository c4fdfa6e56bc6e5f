import { checkInteger } from '../../core/check.js';

/** What one route, customer or criticality has used, in CPU-ms. */
export interface AccountTotals {
  readonly name: string;
  readonly requests: number;
  readonly totalMs: number;
  /** CPU-ms used per second, over the last second. */
  readonly msPerSecond: number;
}

/** Where names go for which there is no account of their own. */
export const OTHER = 'other';

/** Settlements without a posting after which an account may be closed, when others want its place: ten minutes. */
const IDLE_SETTLEMENTS = 600;

/** Held by requests in flight, so that a posting needs no look-up. */
export class Account {
  readonly name: string;
  requests = 0;
  totalMs = 0;
  msPerSecond = 0;
  idleSettlements = 0;
  /** Not settled yet: measured, in ms of a busy event loop, and estimated, in CPU-ms. */
  #measuredMs = 0;
  #estimatedMs = 0;
  #heir: Account | undefined;

  constructor(name: string) {
    this.name = name;
  }

  /** Measured; `requests` is 1 when it is finished, else 0. */
  post(measuredMs: number, requests: number): void {
    // Only a request that was measured holds an account for longer than a moment.
    const account = this.#heir ?? this;
    account.#measuredMs += measuredMs;
    account.requests += requests;
    account.idleSettlements = 0;
  }

  /** Finished requests that were not measured, and what they all cost. */
  postEstimate(estimatedMs: number, requests = 1): void {
    this.#estimatedMs += estimatedMs;
    this.requests += requests;
    this.idleSettlements = 0;
  }

  /** What would be settled now, when a ms of a busy loop is worth so many CPU-ms. */
  claimedMs(scale: number): number {
    return this.#measuredMs * scale + this.#estimatedMs;
  }

  settle(measuredFactor: number, estimatedFactor: number, passedMs: number): void {
    const usedMs = this.#measuredMs * measuredFactor + this.#estimatedMs * estimatedFactor;
    this.totalMs += usedMs;
    this.msPerSecond = (usedMs / passedMs) * 1_000;
    this.#measuredMs = 0;
    this.#estimatedMs = 0;
    this.idleSettlements += 1;
  }

  /** All that it has, and what is still posted to it, is the heir's. */
  close(heir: Account): void {
    this.#heir = heir;
    heir.requests += this.requests;
    heir.totalMs += this.totalMs;
  }
}

/**
 * Accounts by name, a bounded number of them: names come from requests, and whoever makes up a new one with each would
 * otherwise fill the memory. What has no account of its own is in that of `other`, so that nothing is lost from the sum.
 */
export class Accounts {
  readonly #most: number;
  readonly #byName = new Map<string, Account>();
  readonly #other = new Account(OTHER);
  /** Most requests are of the same kind as the one before. */
  #last = this.#other;

  /** At most that many accounts besides `other`. */
  constructor(field: string, most: number) {
    this.#most = checkInteger(field, most, 1);
    this.#byName.set(OTHER, this.#other);
  }

  of(name: string): Account {
    if (name !== this.#last.name) this.#last = this.#find(name);
    return this.#last;
  }

  #find(name: string): Account {
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    if (this.#byName.size > this.#most) return this.#other;
    const account = new Account(name);
    this.#byName.set(name, account);
    return account;
  }

  claimedMs(scale: number): number {
    let claimedMs = 0;
    for (const account of this.#byName.values()) claimedMs += account.claimedMs(scale);
    return claimedMs;
  }

  /** Brings what was posted since the last time to the totals. */
  settle(measuredFactor: number, estimatedFactor: number, passedMs: number): void {
    for (const account of this.#byName.values()) account.settle(measuredFactor, estimatedFactor, passedMs);
    if (this.#byName.size > this.#most) this.#closeIdle();
  }

  totals(factor: number): AccountTotals[] {
    return [...this.#byName.values()].map(({ name, requests, totalMs, msPerSecond }) => ({
      name,
      requests,
      totalMs: totalMs * factor,
      msPerSecond: msPerSecond * factor,
    }));
  }

  #closeIdle(): void {
    for (const account of this.#byName.values()) {
      if (account === this.#other || account.idleSettlements <= IDLE_SETTLEMENTS) continue;
      account.close(this.#other);
      this.#byName.delete(account.name);
      if (account === this.#last) this.#last = this.#other;
    }
  }
}
