import { createLeaseLedger, type LeaseGrant, type LeaseState } from '../core/index.js';
import type { LeaseRequest, LeaseStore } from './lease-store.js';

/** Leases by the ledgers of core, in this process: for tests of those who lease. */
export class LedgerLeases implements LeaseStore {
  readonly #states = new Map<string, LeaseState>();
  readonly #now: () => number;
  readonly asked: LeaseRequest[][] = [];
  /** While set nobody is answered; `free` ends it. */
  isSilent = false;
  isFailing = false;
  #waiting: (() => void)[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  async lease(requests: readonly LeaseRequest[]): Promise<readonly (LeaseGrant | undefined)[]> {
    this.asked.push([...requests]);
    if (this.isSilent) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (this.isFailing) throw new Error('there is no ledger');
    return requests.map((request) => this.#grant(request));
  }

  free(): void {
    this.isSilent = false;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #grant(request: LeaseRequest): LeaseGrant {
    const name = `${request.rule.name}:${request.key}`;
    const ledger = createLeaseLedger(request.rule.options);
    const { grant, state } = ledger.grant(this.#states.get(name), this.#now(), request);
    this.#states.set(name, state);
    return grant;
  }
}
