/** Guard, balancing client, rate limits and quotas in front of services in any language. */
export {
  ADMIN_FOR_DEFAULTS,
  type AdminCall,
  type AdminForOptions,
  type AdminFurther,
  type AdminTarget,
  type FurtherAct,
  type FurtherPath,
  type GatewayTarget,
  type GatewayTargetOptions,
  type GuardParts,
  gatewayTarget,
  type LimitState,
  type OpenAdmin,
  openAdmin,
  openAdminFor,
  type Readiness,
} from './admin/index.js';
export type { BatchRefusal } from './batch/batch-answers.js';
export type { BatchCounts, BatchSnapshot } from './batch/batch-tally.js';
export { checkFiles } from './file-checks.js';
export { createGateway, Gateway } from './gateway.js';
export type { GatewayEvent } from './gateway-events.js';
export { GATEWAY_OPTIONS, type GatewayOptions } from './gateway-options.js';
export { ListenError, type ListeningAt } from './listeners.js';
export { type GatewayLog, type LogSnapshot, openLog } from './logging/index.js';
export type { GatewayRefusal, GatewayRefusalReason } from './recent-refusals.js';
export {
  describeAddress,
  GATEWAY_KEYS,
  type GatewaySettings,
  gatewayJsonSchema,
  gatewaySchema,
  parseGatewaySettings,
  printSettings,
} from './settings/index.js';
export type { GatewaySnapshot, GatewayState, RouteSnapshot } from './snapshot.js';
export {
  GatewayPrimary,
  isGatewayWorker,
  type PrimaryOptions,
  type PrimarySnapshot,
  type PrimaryTargetOptions,
  primaryTarget,
  runWorker,
  WorkerStartError,
  workerCountOf,
} from './workers/index.js';
