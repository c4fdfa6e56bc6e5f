import { checkInteger, checkNonNegative, checkPositive, checkWithin, withDefaults } from '../check.js';
import { elapsedMs } from '../elapsed.js';
import type { Random } from '../environment.js';
import { CapacityDemand } from './capacity-demand.js';
import {
  CAPACITY_LEASE_DEFAULTS,
  type CapacityIdentity,
  CapacityLease,
  type CapacityLeaseOptions,
} from './capacity-lease.js';
import {
  type CapacityAsk,
  type CapacityGrant,
  type CapacityRelease,
  MOST_CAPACITY,
  MOST_PRIORITY,
} from './capacity-messages.js';

/** How a client uses what it was leased, and what it asks for. */
export interface CapacityLimiterOptions extends CapacityLeaseOptions {
  /** What is not used is saved up for so long, and may be used at once. */
  readonly burstMs: number;
  /** 0 to 9: what is wanted at a higher one is served first. */
  readonly priority: number;
  /** It asks for at least so much, to have it at hand when there is nothing to do. */
  readonly leastWants: number;
}

export const CAPACITY_LIMITER_DEFAULTS: CapacityLimiterOptions = Object.freeze({
  ...CAPACITY_LEASE_DEFAULTS,
  /** A tenth of a second: who shares the capacity sees no burst beyond it, and a few requests that come together pass. */
  burstMs: 100,
  priority: 0,
  /** What is at hand here is missing elsewhere. The first request after a pause waits for one ask instead. */
  leastWants: 0,
});

/** Whether a request may pass by what was leased, and when it is worth trying again. */
export interface CapacityDecision {
  readonly allowed: boolean;
  /** 0 when allowed. Otherwise when it is worth trying again. */
  readonly retryAfterMs: number;
}

/** By then there has been news. */
const MOST_WAIT_MS = 60_000;

/**
 * Lets as much pass as it has a lease for, and asks for as much as is wanted. Capacity is in units a second here.
 *
 * Bound: from s to s + w at most the capacity over that time passes, and once a burst and one request: a request that
 * costs more than a burst passes when the burst is full, and those after it wait until it is paid for. A burst is
 * `burstMs` of the capacity, or 1 unit if that is more.
 */
export class CapacityLimiter {
  readonly #lease: CapacityLease;
  readonly #demand = new CapacityDemand();
  readonly #options: CapacityLimiterOptions;
  #units = 0;
  #at: number;

  constructor(now: number, who: CapacityIdentity, random: Random, given?: Partial<CapacityLimiterOptions>) {
    const options = withDefaults('capacity limiter', CAPACITY_LIMITER_DEFAULTS, given);
    const { burstMs, priority, leastWants, ...lease } = options;
    checkPositive('burstMs', burstMs);
    checkInteger('priority', priority, 0, MOST_PRIORITY);
    checkWithin('leastWants', leastWants, 0, MOST_CAPACITY);
    this.#at = now;
    this.#options = options;
    this.#lease = new CapacityLease(who, random, lease);
  }

  /** A request that has waited and comes again is not a new one: it counts as wanted once. */
  take(now: number, cost = 1, isNew = true): CapacityDecision {
    checkNonNegative('cost', cost);
    if (isNew) this.#demand.observe(now, cost);
    this.#earn(now);
    const capacity = this.#lease.capacity(now);
    const needed = Math.min(cost, this.#burst(capacity));
    if (this.#units >= needed && (capacity > 0 || cost === 0)) {
      this.#units -= cost;
      return { allowed: true, retryAfterMs: 0 };
    }
    this.#want(now);
    return { allowed: false, retryAfterMs: this.#retryAfterMs(capacity, needed) };
  }

  /** When to ask: now if that is over. Infinity while an answer is awaited. */
  get askAtMs(): number {
    return this.#lease.askAtMs;
  }

  ask(now: number): CapacityAsk {
    this.#want(now);
    return this.#lease.ask(now);
  }

  granted(now: number, turn: number, grant: CapacityGrant): boolean {
    this.#earn(now);
    return this.#lease.granted(now, turn, grant);
  }

  failed(now: number, turn: number): void {
    this.#lease.failed(now, turn);
  }

  release(): CapacityRelease {
    return this.#lease.release();
  }

  capacity(now: number): number {
    return this.#lease.capacity(now);
  }

  wants(now: number): number {
    return Math.max(this.#options.leastWants, this.#demand.wants(now));
  }

  #want(now: number): void {
    this.#lease.want([{ priority: this.#options.priority, wants: this.wants(now), subclients: 1 }]);
  }

  /** For the time since it last did. Some of that may lie after the end of the lease. */
  #earn(now: number): void {
    const { endsMs, safeCapacity } = this.#lease;
    const since = this.#at;
    this.#at = Math.max(now, since);
    const leasedMs = elapsedMs(since, Math.min(now, endsMs));
    const safeMs = elapsedMs(Math.max(since, endsMs), now);
    const earned = (leasedMs * this.#lease.leased(since) + safeMs * safeCapacity) / 1_000;
    this.#units = Math.min(this.#burst(this.#lease.capacity(now)), this.#units + earned);
  }

  #burst(capacity: number): number {
    return Math.max(1, (capacity * this.#options.burstMs) / 1_000);
  }

  #retryAfterMs(capacity: number, needed: number): number {
    // Nothing passes before there is news, which was asked for by now.
    if (capacity === 0) return this.#options.hurryMs;
    return Math.ceil(Math.min(MOST_WAIT_MS, ((needed - this.#units) / capacity) * 1_000));
  }
}
