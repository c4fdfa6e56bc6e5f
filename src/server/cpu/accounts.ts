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
  /** Not settled yet: in ms of a busy event loop, and in CPU-ms, which were read or are estimates. */
  #busyMs = 0;
  #cpuMs = 0;
  #heir: Account | undefined;

  constructor(name: string) {
    this.name = name;
  }

  /** Measured, beside that whose CPU was read; `requests` is 1 when it is finished, else 0. */
  post(busyMs: number, requests: number, readMs = 0): void {
    // Only a request that was measured holds an account for longer than a moment.
    const account = this.#heir ?? this;
    account.#busyMs += busyMs;
    account.#cpuMs += readMs;
    account.requests += requests;
    account.idleSettlements = 0;
  }

  /** Finished requests that were not measured, and what they all cost. */
  postEstimate(estimatedMs: number, requests = 1): void {
    this.#cpuMs += estimatedMs;
    this.requests += requests;
    this.idleSettlements = 0;
  }

  /** What would be settled now, when a ms of a busy loop is worth so many CPU-ms. */
  claimedMs(scale: number): number {
    return this.#busyMs * scale + this.#cpuMs;
  }

  settle(busyFactor: number, cpuFactor: number, passedMs: number): void {
    const usedMs = this.#busyMs * busyFactor + this.#cpuMs * cpuFactor;
    this.totalMs += usedMs;
    this.msPerSecond = (usedMs / passedMs) * 1_000;
    this.#busyMs = 0;
    this.#cpuMs = 0;
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
  settle(busyFactor: number, cpuFactor: number, passedMs: number): void {
    for (const account of this.#byName.values()) account.settle(busyFactor, cpuFactor, passedMs);
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
