/** A fuse between batch jobs and a service. */
export { type BatchForward, BatchProxy } from './batch-proxy.js';
export { BATCH_PROXY_DEFAULTS, type BatchProxyOptions, type JobSource } from './batch-proxy-options.js';
export type { BatchCounts, BatchSnapshot } from './batch-tally.js';
export { utilizationOf } from './service-load.js';
