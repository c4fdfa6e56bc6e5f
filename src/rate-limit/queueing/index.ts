/** The overflow queue: requests over a limit that are performed later. */
export type { DeadLetter } from './dead-letter.js';
export type { Secrets } from './header-keeper.js';
export type { OverflowAnswer } from './overflow-answers.js';
export {
  OVERFLOW_DEFAULTS,
  type OverflowQueueOptions,
  type Perform,
  type PerformLimits,
} from './overflow-options.js';
export { createOverflowQueue, type OverflowQueue, type OverflowSnapshot } from './overflow-queue.js';
export type { NextTurn } from './overflow-worker.js';
export { PERFORM_BY_DEFAULTS, type PerformByOptions, performBy } from './perform-by.js';
export type { QueueStatus } from './queue-status.js';
export type { PerformedAnswer, QueuedAnswer } from './queued-answer.js';
export type { OverflowingRequest, QueuedRequest } from './queued-request.js';
export { READ_BODY_MS, type ReadBody, type ReadBodyOptions, readBody } from './read-body.js';
