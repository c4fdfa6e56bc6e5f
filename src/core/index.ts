/** Decisions without I/O: what server, client, gateway and simulator are driven by. */
export * from './admission/index.js';
export * from './batching/index.js';
export * from './call/index.js';
export * from './capacity/index.js';
export {
  CRITICALITIES,
  type Criticality,
  criticalityRank,
  DEFAULT_CRITICALITY,
  parseCriticality,
} from './criticality.js';
export { deadlineAfter, hopDeadline, isExpired, NO_DEADLINE, remainingMs } from './deadline.js';
export { elapsedMs } from './elapsed.js';
export type { Environment, Random } from './environment.js';
export { type ErrorCode, type RejectedDetails, RejectedError, rejectionIn } from './errors.js';
export * from './gate/index.js';
export * from './health/index.js';
export type { LoadReport } from './load-report.js';
export * from './measuring/index.js';
export { LESSONS, type Lesson, type Outcome } from './outcome.js';
export * from './picking/index.js';
export * from './quota/index.js';
export * from './rate-limiting/index.js';
export * from './retrying/index.js';
export { SeededRandom } from './seeded-random.js';
export * from './subsetting/index.js';
export * from './throttling/index.js';
