/** The admin port: what a gateway does, and switches. */
export type { AdminCall } from './admin-paths.js';
export type { AdminTarget, LimitState, Readiness } from './admin-target.js';
export type { AdminFurther, FurtherAct, FurtherPath } from './further.js';
export {
  type GatewayTarget,
  type GatewayTargetOptions,
  gatewayTarget,
  readinessOf,
} from './gateway-target.js';
export type { GuardParts } from './guard-target.js';
export { type OpenAdmin, openAdmin } from './open-admin.js';
export { ADMIN_FOR_DEFAULTS, type AdminForOptions, openAdminFor } from './open-admin-for.js';
