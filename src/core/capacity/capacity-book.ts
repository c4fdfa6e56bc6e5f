import { checkWithin, withDefaults } from '../check.js';
import { wantsOf } from './capacity-bands.js';
import { CapacityLedger, type CapacityLimit, DRIFT } from './capacity-ledger.js';
import {
  type CapacityAsk,
  type CapacityGrant,
  type CapacityRelease,
  MOST_CAPACITY,
} from './capacity-messages.js';
import {
  CAPACITY_SERVER_DEFAULTS,
  type CapacityServerOptions,
  checkServerOptions,
} from './capacity-options.js';
import { Staircase } from './staircase.js';

/** A capacity that a server has itself, and what is safe without it. */
export interface CapacityBookOptions extends CapacityServerOptions {
  /** In units a second, or whatever else is shared. */
  readonly capacity: number;
  /**
   * What a client may use once its lease has ended and nobody answers. undefined: an equal share, as Doorman has it. It
   * comes on top: with k of n clients cut off for longer than a lease, up to k/n of the capacity may be used twice.
   * 0: never.
   */
  readonly safeCapacity: number | undefined;
}

export const CAPACITY_BOOK_DEFAULTS: CapacityBookOptions = Object.freeze({
  ...CAPACITY_SERVER_DEFAULTS,
  /** It must be given. */
  capacity: Number.NaN,
  /** Together the whole capacity: when the server itself is gone, nothing is lost and nothing used twice. */
  safeCapacity: undefined,
});

/** How a capacity is handed out at this moment. */
export interface CapacitySnapshot {
  readonly capacity: number;
  readonly handedOut: number;
  readonly wants: number;
  readonly clients: number;
  readonly isLearning: boolean;
}

/**
 * A server that has a capacity of its own: the root of a tree, or all there is. One that takes another's place (it has
 * started again, it has become master) begins with a new book, which learns. The one before must have stopped by then:
 * mastership is a lease, and whoever holds it counts it from when it asked.
 *
 * Bound: what is handed out and has not ended is never more than the capacity, unless the algorithm is `static`, which
 * is a cap on each client. After the capacity was lowered, the sum is at most the old one for a lease's length and at
 * most the new one from then on; before that it falls with each client that asks, and no lease that is given since
 * goes past that instant but within the new capacity.
 */
export class CapacityBook {
  readonly #options: CapacityBookOptions;
  readonly #ledger: CapacityLedger;
  readonly #stairs = new Staircase();
  #capacity: number;

  constructor(now: number, given: Partial<CapacityBookOptions>) {
    const options = withDefaults('capacity book', CAPACITY_BOOK_DEFAULTS, given);
    checkServerOptions(options);
    if (options.safeCapacity !== undefined)
      checkWithin('safeCapacity', options.safeCapacity, 0, MOST_CAPACITY);
    this.#options = options;
    this.#ledger = new CapacityLedger(now, options);
    this.#capacity = checkWithin('capacity', options.capacity, 0, MOST_CAPACITY);
    this.#stairs.raise(this.#capacity, Number.POSITIVE_INFINITY);
  }

  /** undefined: no news, the client goes on with what it has. */
  refresh(now: number, ask: CapacityAsk): CapacityGrant | undefined {
    this.#stairs.forget(now);
    return this.#ledger.refresh(now, ask, () => this.#limit(now));
  }

  release(release: CapacityRelease): void {
    this.#ledger.release(release);
  }

  setCapacity(now: number, capacity: number): void {
    this.#capacity = checkWithin('capacity', capacity, 0, MOST_CAPACITY);
    // By then all that was given by the old one has ended.
    this.#stairs.endBy(now + this.#options.leaseMs * DRIFT);
    this.#stairs.raise(capacity, Number.POSITIVE_INFINITY);
  }

  snapshot(now: number): CapacitySnapshot {
    const ledger = this.#ledger;
    return {
      capacity: this.#capacity,
      handedOut: ledger.handedOut(now, undefined),
      wants: wantsOf(ledger.bands(now, this.#capacity)),
      clients: ledger.clients,
      isLearning: ledger.isLearning(now, this.#capacity),
    };
  }

  #limit(now: number): CapacityLimit {
    const { safeCapacity } = this.#options;
    return {
      capacity: this.#capacity,
      stairs: this.#stairs,
      endsMs: Number.POSITIVE_INFINITY,
      isProvisional: false,
      before: this.#stairs.at(now),
      safe: safeCapacity === undefined ? { together: this.#capacity } : { each: safeCapacity },
    };
  }
}
