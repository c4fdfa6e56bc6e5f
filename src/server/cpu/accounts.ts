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

class Account {
  readonly name: string;
  requests = 0;
  totalMs = 0;
  msPerSecond = 0;
  /** Not settled yet: measured, in ms of a busy event loop, and estimated, in CPU-ms. */
  measuredMs = 0;
  estimatedMs = 0;
  idleSettlements = 0;

  constructor(name: string) {
    this.name = name;
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

  /** At most that many accounts besides `other`. */
  constructor(field: string, most: number) {
    this.#most = checkInteger(field, most, 1);
    this.#byName.set(OTHER, this.#other);
  }

  post(name: string, measuredMs: number, estimatedMs: number, requests: number): void {
    const account = this.#byName.get(name) ?? this.#opened(name);
    account.measuredMs += measuredMs;
    account.estimatedMs += estimatedMs;
    account.requests += requests;
    account.idleSettlements = 0;
  }

  /** Brings what was posted since the last time to the totals. */
  settle(measuredFactor: number, estimatedFactor: number, passedMs: number): void {
    for (const account of this.#byName.values()) {
      const usedMs = account.measuredMs * measuredFactor + account.estimatedMs * estimatedFactor;
      account.totalMs += usedMs;
      account.msPerSecond = (usedMs / passedMs) * 1_000;
      account.measuredMs = 0;
      account.estimatedMs = 0;
      account.idleSettlements += 1;
    }
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

  #opened(name: string): Account {
    if (this.#byName.size > this.#most) return this.#other;
    const account = new Account(name);
    this.#byName.set(name, account);
    return account;
  }

  #closeIdle(): void {
    const other = this.#other;
    for (const account of this.#byName.values()) {
      if (account === other || account.idleSettlements <= IDLE_SETTLEMENTS) continue;
      other.requests += account.requests;
      other.totalMs += account.totalMs;
      this.#byName.delete(account.name);
    }
  }
}
