/** Capacity that many processes share by leases: servers that hand it out, clients that keep to it. */
export {
  CAPACITY_ALGORITHMS,
  type CapacityAlgorithm,
  type CapacityBookOptions,
  type CapacityDecision,
  type CapacitySnapshot,
  RejectedError,
} from '../core/index.js';
export {
  MASTERSHIP_DEFAULTS,
  RedisMastership,
  type RedisMastershipOptions,
  redisMastership,
} from '../stores/redis/redis-mastership.js';
export { CALLER_DEFAULTS, type CallerOptions } from './caller-options.js';
export { CapacityClient, type CapacityClientSnapshot, createCapacityClient } from './capacity-client.js';
export { CAPACITY_CLIENT_DEFAULTS, type CapacityClientOptions } from './capacity-client-options.js';
export {
  type CapacityCounts,
  CapacityServer,
  type CapacityServerSnapshot,
  createCapacityServer,
} from './capacity-server.js';
export {
  CAPACITY_SERVER_SETTINGS,
  type CapacityServerSettings,
  type ParentOptions,
  type ResourceOptions,
} from './capacity-server-options.js';
export type { Bound, ListenOptions } from './listener.js';
