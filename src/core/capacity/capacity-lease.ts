import { checkNonNegative, checkPositive, withDefaults } from '../check.js';
import type { Random } from '../environment.js';
import type { CapacityAsk, CapacityBand, CapacityGrant, CapacityRelease } from './capacity-messages.js';

/** How often a client asks, and what it may use when nobody answers. */
export interface CapacityLeaseOptions {
  /** Until a server has said what is safe. */
  readonly safeCapacity: number;
  /** No ask comes sooner after the one before. */
  readonly hurryMs: number;
  /** Failed asks are repeated at least as often, until a server has said how often to ask. */
  readonly refreshMs: number;
}

export const CAPACITY_LEASE_DEFAULTS: CapacityLeaseOptions = Object.freeze({
  /** Who was never granted anything uses nothing. */
  safeCapacity: 0,
  /** As of servers: a client that needs more waits a second at the most until it says so. */
  hurryMs: 1_000,
  /** As of servers. */
  refreshMs: 16_000,
});

/** Clients that began together drift apart within a few rounds. */
const JITTER = 0.2;

/** Who wants a quarter more says so at once. Less would be noise: a rate of 30 a second, seen for 1 s, is off by 25 % now and then. */
const GROWTH = 1.25;

/** From 1 s to an hour: no doubling beyond. */
const MOST_DOUBLINGS = 12;

/** Who it is that holds a lease. */
export interface CapacityIdentity {
  readonly client: string;
  /** Another one at each start: 64 random bits do. */
  readonly life: string;
}

/**
 * One resource's lease, at the client. Time is its own.
 *
 * A lease is counted from when it was asked for, which is before it was granted: it ends here first. Only the answer to
 * the latest ask is believed, as the server relies on.
 */
export class CapacityLease {
  readonly #who: CapacityIdentity;
  readonly #random: Random;
  readonly #options: CapacityLeaseOptions;
  #turn = 0;
  #isAsking = false;
  #askedMs = Number.NEGATIVE_INFINITY;
  #dueMs = Number.NEGATIVE_INFINITY;
  #refreshMs: number;
  #failures = 0;
  #capacity = 0;
  #endsMs = Number.NEGATIVE_INFINITY;
  #safeCapacity: number;
  #inherited: number | undefined = undefined;
  #bands: readonly CapacityBand[] = [];
  #toldBands: readonly CapacityBand[] = [];

  constructor(who: CapacityIdentity, random: Random, given?: Partial<CapacityLeaseOptions>) {
    const options = withDefaults('capacity lease', CAPACITY_LEASE_DEFAULTS, given);
    this.#who = { client: who.client, life: who.life };
    this.#random = random;
    this.#options = options;
    this.#safeCapacity = checkNonNegative('safeCapacity', options.safeCapacity);
    this.#refreshMs = checkPositive('refreshMs', options.refreshMs);
    checkPositive('hurryMs', options.hurryMs);
  }

  /** What is wanted from now on. */
  want(bands: readonly CapacityBand[]): void {
    this.#bands = bands;
  }

  /** When to ask: now if that is over. Infinity while an answer is awaited. */
  get askAtMs(): number {
    if (this.#isAsking) return Number.POSITIVE_INFINITY;
    const canHurry = this.#failures === 0 && this.#hasGrown(GROWTH);
    return canHurry ? Math.min(this.#dueMs, this.#askedMs + this.#options.hurryMs) : this.#dueMs;
  }

  /** `has` is said by those who pass capacity on: it may be more than they are granted by now. */
  ask(now: number, has = this.leased(now)): CapacityAsk {
    this.#turn++;
    this.#isAsking = true;
    this.#askedMs = now;
    this.#toldBands = this.#bands;
    return { ...this.#who, turn: this.#turn, has, bands: this.#bands };
  }

  /** False for an answer that is of no more use. */
  granted(now: number, turn: number, grant: CapacityGrant): boolean {
    if (!this.#isLatest(turn)) return false;
    this.#failures = 0;
    this.#capacity = grant.capacity;
    this.#safeCapacity = grant.safeCapacity;
    this.#inherited = grant.inherited;
    this.#endsMs = this.#askedMs + grant.validMs;
    this.#refreshMs = Math.max(this.#options.hurryMs, grant.refreshMs);
    this.#dueMs = now + this.#jittered(this.#refreshMs);
    return true;
  }

  /** No answer came, or one that says nothing. */
  failed(now: number, turn: number): void {
    if (!this.#isLatest(turn)) return;
    const backoffMs = this.#options.hurryMs * 2 ** Math.min(this.#failures, MOST_DOUBLINGS);
    this.#failures++;
    this.#dueMs = now + this.#jittered(Math.min(backoffMs, this.#refreshMs));
  }

  /** Uses no more, and says so. What is still on its way is not believed. */
  release(): CapacityRelease {
    this.#isAsking = false;
    this.#endsMs = Number.NEGATIVE_INFINITY;
    this.#safeCapacity = 0;
    return this.#who;
  }

  /** By the lease alone. */
  leased(now: number): number {
    return now < this.#endsMs ? this.#capacity : 0;
  }

  capacity(now: number): number {
    return now < this.#endsMs ? this.#capacity : this.#safeCapacity;
  }

  /** An answer, or the next ask, may bring more. */
  get isProvisional(): boolean {
    return this.#isAsking || this.#hasGrown(1);
  }

  get endsMs(): number {
    return this.#endsMs;
  }

  /** What earlier lives may still have passed on. */
  get inherited(): number | undefined {
    return this.#inherited;
  }

  get safeCapacity(): number {
    return this.#safeCapacity;
  }

  #isLatest(turn: number): boolean {
    if (!this.#isAsking || turn !== this.#turn) return false;
    this.#isAsking = false;
    return true;
  }

  /** More is wanted than was asked for last time, by that factor. */
  #hasGrown(factor: number): boolean {
    return this.#bands.some(({ priority, wants }) => {
      const told = this.#toldBands.find((band) => band.priority === priority)?.wants ?? 0;
      return wants > told * factor;
    });
  }

  /** Sooner, never later. */
  #jittered(ms: number): number {
    return ms * (1 - JITTER * this.#random());
  }
}
