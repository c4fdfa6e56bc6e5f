/** How a client learns how its backends are, without sending them requests. */
export type { HealthPace } from './check-interval.js';
export type { HealthSnapshot, HealthVia, HealthWay } from './health-actions.js';
export { type HealthListener, HealthMonitor } from './health-monitor.js';
export { HEALTH_DEFAULTS, type HealthOptions } from './health-options.js';
export type { ProbeCallback } from './probe-book.js';
