import { checkOneOf, withDefaults } from '../check.js';
import type { Random } from '../environment.js';
import { wantsOf } from './capacity-bands.js';
import type { CapacitySnapshot } from './capacity-book.js';
import { type CapacityIdentity, CapacityLease } from './capacity-lease.js';
import { CapacityLedger, type CapacityLimit } from './capacity-ledger.js';
import type { CapacityAsk, CapacityGrant, CapacityRelease } from './capacity-messages.js';
import {
  CAPACITY_SERVER_DEFAULTS,
  type CapacityServerOptions,
  checkServerOptions,
} from './capacity-options.js';
import { Staircase } from './staircase.js';

/** A cap on each, as `static` is, cannot be leased for many. */
const DIVIDING = ['proportional', 'fair'] as const;

/**
 * A server below another: it leases what its clients want together, and passes that on.
 *
 * Bound: what is handed out is never more than its own leases that have not ended, and ends before they do. When its
 * parent says less, its clients still have more until they ask: it says so to the parent (`has`), which counts that
 * until the former lease ends.
 *
 * When its lease has ended and the parent is silent, it divides the safe capacity that it was told. If that is none, or
 * it has not had a lease yet, it answers nobody: clients go on with what they have, for as long as they have it.
 */
export class CapacityNode {
  readonly #ledger: CapacityLedger;
  readonly #lease: CapacityLease;
  /** Its leases. Only the newest can be passed on beyond the end of those before. */
  readonly #stairs = new Staircase();

  constructor(now: number, who: CapacityIdentity, random: Random, given?: Partial<CapacityServerOptions>) {
    const options = withDefaults('capacity node', CAPACITY_SERVER_DEFAULTS, given);
    checkServerOptions(options);
    checkOneOf('algorithm', options.algorithm, DIVIDING);
    const { hurryMs, refreshMs } = options;
    this.#ledger = new CapacityLedger(now, options);
    this.#lease = new CapacityLease(who, random, { hurryMs, refreshMs });
  }

  /** undefined: no news, the client goes on with what it has. */
  refresh(now: number, ask: CapacityAsk): CapacityGrant | undefined {
    return this.#ledger.refresh(now, ask, () => {
      this.#lease.want(this.#ledger.bands(now, this.#lease.inherited));
      return this.#limit(now);
    });
  }

  release(release: CapacityRelease): void {
    this.#ledger.release(release);
  }

  /** When to ask the parent. */
  get askAtMs(): number {
    return this.#lease.askAtMs;
  }

  ask(now: number): CapacityAsk {
    const has = Math.max(
      this.#lease.leased(now),
      Math.min(this.#stairs.at(now), this.#ledger.handedOut(now, this.#lease.inherited)),
    );
    // From here on the parent may rely on it.
    this.#stairs.cap(has);
    this.#stairs.forget(now);
    this.#lease.want(this.#ledger.bands(now, this.#lease.inherited));
    return this.#lease.ask(now, has);
  }

  granted(now: number, turn: number, grant: CapacityGrant): boolean {
    if (!this.#lease.granted(now, turn, grant)) return false;
    this.#stairs.raise(grant.capacity, this.#lease.endsMs);
    return true;
  }

  failed(now: number, turn: number): void {
    this.#lease.failed(now, turn);
  }

  snapshot(now: number): CapacitySnapshot {
    const ledger = this.#ledger;
    return {
      capacity: this.#lease.capacity(now),
      handedOut: ledger.handedOut(now, this.#lease.inherited),
      wants: wantsOf(ledger.bands(now, this.#lease.inherited)),
      clients: ledger.clients,
      isLearning: ledger.isLearning(now, this.#lease.inherited),
    };
  }

  #limit(now: number): CapacityLimit | undefined {
    const { endsMs, safeCapacity, isProvisional, inherited: before } = this.#lease;
    const safe = { together: safeCapacity };
    if (now < endsMs) {
      const capacity = this.#lease.leased(now);
      return { capacity, stairs: this.#stairs, endsMs, isProvisional, before, safe };
    }
    if (safeCapacity === 0) return undefined;
    const stairs = new Staircase();
    stairs.raise(safeCapacity, Number.POSITIVE_INFINITY);
    const forever = { endsMs: Number.POSITIVE_INFINITY, isProvisional: false };
    return { capacity: safeCapacity, stairs, ...forever, before, safe };
  }
}
