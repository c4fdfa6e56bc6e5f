/** A client that balances requests over the backends of a service: `plimsoll/client`. */
export { RejectedError } from '../core/index.js';
export type { GivenClient } from '../stores/redis/redis-client.js';
export {
  CLIENT_IDS_DEFAULTS,
  RedisClientIds,
  type RedisClientIdsOptions,
  redisClientIds,
} from '../stores/redis/redis-client-ids.js';
export { Client, createClient, type FetchInit, type FetchInput, type RequestOptions } from './client.js';
export type { ClientIdSource, LeasedClientId } from './client-id.js';
export {
  type ClientOptions,
  type LocalityOptions,
  RETRY_DEFAULTS,
  type RetryOptions,
  SUBSET_DEFAULTS,
  type SubsetOptions,
} from './client-options.js';
export { BACKOFF_DEFAULTS, type BackoffOptions } from './connections/backoff.js';
export { CONNECTION_DEFAULTS, type ConnectionOptions } from './connections/connection-options.js';
export type { CallOptions } from './dispatch/hop.js';
export { HEALTH_DEFAULTS, type HealthOptions } from './health/index.js';
export type { ClientCounts } from './observing/client-tally.js';
export type { BackendSnapshot, ClientSnapshot } from './observing/snapshot.js';
export * from './resolving/index.js';
