import { checkInteger, withDefaults } from '../../core/check.js';
import { LEASABLE, type RateLimitOptions } from '../../core/index.js';
import type { LeaseStore } from '../../stores/lease-store.js';
import type { RateStore } from '../../stores/rate-store.js';

/** How much one process holds of units that it has leased. */
export interface LeaseOptions {
  /** Keys whose units this process holds at once. */
  readonly maxKeys: number;
}

export const LEASE_DEFAULTS: LeaseOptions = Object.freeze({
  // At some 400 bytes each 4 MB, and a look at all of them each 100 ms takes half a millisecond. A key that few ask for
  // gains nothing by a lease, and so many busy ones no process serves.
  maxKeys: 10_000,
});

/** Whether to lease, and how. Undefined: each request is decided where all are counted. */
export function checkLease(
  given: boolean | Partial<LeaseOptions> | undefined,
  { algorithm }: RateLimitOptions,
  store: RateStore | undefined,
): LeaseOptions | undefined {
  if (given === undefined || given === false) return undefined;
  if (!(LEASABLE as readonly string[]).includes(algorithm)) {
    throw new RangeError(`algorithm must be one of ${LEASABLE.join(', ')} with lease, got ${algorithm}`);
  }
  if (!isLeaseStore(store)) {
    throw new RangeError('lease must be left out with a store in memory: there is nobody to share it with');
  }
  const options = withDefaults('lease', LEASE_DEFAULTS, given === true ? {} : given);
  checkInteger('maxKeys', options.maxKeys, 1);
  return options;
}

export function isLeaseStore(store: RateStore | undefined): store is RateStore & LeaseStore {
  return typeof (store as Partial<LeaseStore> | undefined)?.lease === 'function';
}
