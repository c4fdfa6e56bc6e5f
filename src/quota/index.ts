/** What customers may use of a whole fleet, and capacity that many processes share by leases. */
export {
  SETTINGS_FILE_DEFAULTS,
  SettingsError,
  SettingsFile,
  type SettingsFileOptions,
  type SettingsProblem,
  type SettingsSchema,
  type Variables,
} from '../config/index.js';
export {
  CAPACITY_ALGORITHMS,
  type CapacityAlgorithm,
  type CapacityBookOptions,
  type CapacityDecision,
  type CapacitySnapshot,
  type CustomerLimit,
  type FleetCustomerSnapshot,
  type MemberCustomerSnapshot,
  type QuotaCoordinatorOptions,
  type QuotaCoordinatorSnapshot,
  type QuotaLimit,
  type QuotaLimits,
  type QuotaMemberOptions,
  type QuotaMemberSnapshot,
  type QuotaStage,
  RejectedError,
} from '../core/index.js';
export type { GivenClient } from '../stores/redis/redis-client.js';
export type { LinkOptions } from '../stores/redis/redis-link.js';
export {
  MASTERSHIP_DEFAULTS,
  RedisMastership,
  type RedisMastershipOptions,
  redisMastership,
} from '../stores/redis/redis-mastership.js';
export { CALLER_DEFAULTS, type CallerOptions } from './caller-options.js';
export { CapacityClient, type CapacityClientSnapshot, createCapacityClient } from './capacity-client.js';
export { CAPACITY_CLIENT_DEFAULTS, type CapacityClientOptions } from './capacity-client-options.js';
export type { CapacityAnswer, CapacityCounts, CapacityDesk } from './capacity-desk.js';
export {
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
export type {
  CapacityReply,
  CapacitySender,
  CapacityTransport,
  SendOptions,
} from './capacity-transport.js';
export type { CoordinatorCounts } from './coordinator-loop.js';
export {
  createQuotaCoordinator,
  DedicatedCoordinator,
  type DedicatedCoordinatorSnapshot,
} from './dedicated-coordinator.js';
export type { Bound, ListenOptions } from './listener.js';
export { createQuota, Quota, type QuotaSnapshot } from './quota.js';
export {
  parseQuotaFile,
  type QuotaFile,
  quotaJsonSchema,
  readQuotaFile,
  watchQuotaFile,
} from './quota-file.js';
export {
  QUOTA_COORDINATOR_SETTINGS,
  QUOTA_SETTINGS,
  type QuotaCoordinatorSettings,
  type QuotaEnforce,
  type QuotaSettings,
} from './quota-options.js';
export type { QuotaPlaceSnapshot } from './quota-place.js';
export type { ReportCounts } from './report-turns.js';
