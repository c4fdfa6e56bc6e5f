/** Keeps a Node server serving what it was made for, whatever is thrown at it. */
export { currentRequest, type RequestContext, withCriticality } from '../context/index.js';
export type { CpuMode, CpuOptions, CpuTotals } from './cpu/index.js';
export { createGuard, Guard, type ProtectOptions } from './guard.js';
export { GUARD_DEFAULTS, type GuardOptions } from './guard-options.js';
export type { Handler } from './handling.js';
export { type SuperviseOptions, superviseWorkers } from './health/index.js';
export type { RequestHead } from './intake/request-head.js';
export type { RouteOptions } from './intake/routes.js';
export type { RecentRefusal, RefusalMoment } from './observe/recent-refusals.js';
export type { GuardSnapshot } from './observe/snapshot.js';
export type { LocalQuota, QuotaEnforce, QuotaSource } from './quota-source.js';
export { type RunningServer, type ServeOptions, serve } from './serve.js';
