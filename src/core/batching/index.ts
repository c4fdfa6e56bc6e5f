/** Requests of batch jobs: in which order they go, how many at once, and how fast. */
export { BATCH_CRITICALITY, batchCriticality } from './batch-criticality.js';
export { BatchPace, type PaceReading, type PaceReason } from './batch-pace.js';
export { BATCH_PACE_DEFAULTS, type BatchPaceOptions } from './batch-pace-options.js';
export { FairQueue, type JobReading, OTHER_JOBS, type QueueRefusal } from './fair-queue.js';
export { FAIR_QUEUE_DEFAULTS, type FairQueueOptions } from './fair-queue-options.js';
export { BatchPlace, type BatchState } from './job-lane.js';
