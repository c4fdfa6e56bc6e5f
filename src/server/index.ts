/** Keeps a Node server serving what it was made for, whatever is thrown at it. */
export {
  currentRequest,
  type PropagationMode,
  type RequestContext,
  withCriticality,
} from '../context/index.js';
export type { AccountTotals, CpuMode, CpuOptions, CpuSplit, CpuTotals } from './cpu/index.js';
export type { GuardMode } from './door.js';
export { createGuard, Guard } from './guard.js';
export { GUARD_DEFAULTS, type GuardOptions } from './guard-options.js';
export type { Handler, ProtectOptions } from './handling.js';
export type { HealthOptions } from './health/guard-health.js';
export {
  type HealthPagesOptions,
  type SuperviseOptions,
  type Supervision,
  type SupervisionSnapshot,
  superviseWorkers,
  type UdpHealthOptions,
  type UdpHealthSnapshot,
} from './health/index.js';
export type { RequestHead } from './intake/request-head.js';
export type { RouteOptions } from './intake/routes.js';
export type { ServerLimits } from './intake/server-limits.js';
export type { Trust } from './intake/trust.js';
export type { DrainOptions } from './lifecycle/drain.js';
export type { RecentRefusal, RefusalMoment } from './observe/recent-refusals.js';
export type { GuardSnapshot } from './observe/snapshot.js';
export type { LocalQuota, QuotaEnforce, QuotaSource } from './quota-source.js';
export { type RunningServer, type ServeOptions, serve } from './serve.js';
export type { ProcessLimits } from './signals/cgroup.js';
export type {
  CpuSignalOptions,
  MemorySignalOptions,
  SignalOptions,
  TargetOptions,
} from './signals/signal-options.js';
export type { UtilizationReport } from './signals/utilization.js';
export type { StaleOptions } from './stale/stale-options.js';
