export {
  CAPACITY_BOOK_DEFAULTS,
  CapacityBook,
  type CapacityBookOptions,
  type CapacitySnapshot,
} from './capacity-book.js';
export {
  CAPACITY_LEASE_DEFAULTS,
  type CapacityIdentity,
  CapacityLease,
  type CapacityLeaseOptions,
} from './capacity-lease.js';
export {
  CAPACITY_LIMITER_DEFAULTS,
  type CapacityDecision,
  CapacityLimiter,
  type CapacityLimiterOptions,
} from './capacity-limiter.js';
export {
  type CapacityAsk,
  type CapacityBand,
  type CapacityGrant,
  type CapacityRelease,
  readCapacityAsk,
  readCapacityGrant,
  readCapacityRelease,
} from './capacity-messages.js';
export { CapacityNode } from './capacity-node.js';
export {
  CAPACITY_ALGORITHMS,
  CAPACITY_SERVER_DEFAULTS,
  type CapacityAlgorithm,
  type CapacityServerOptions,
} from './capacity-options.js';
