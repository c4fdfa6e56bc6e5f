/** A gateway of several processes: a primary, and workers that serve. */
export { GatewayPrimary, type PrimaryOptions, type PrimarySnapshot } from './primary.js';
export { type PrimaryTargetOptions, primaryTarget } from './primary-target.js';
export { isGatewayWorker, runWorker } from './worker.js';
export { workerCountOf } from './worker-count.js';
export { WorkerStartError } from './worker-process.js';
