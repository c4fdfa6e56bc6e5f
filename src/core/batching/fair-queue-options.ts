import { checkInteger, checkPositive, withDefaults } from '../check.js';

/** How many may wait, of all jobs and of one, and for how long. */
export interface FairQueueOptions {
  /** No more requests than this wait at once. */
  readonly maxWaiting: number;
  /** Nor of one job more than this. */
  readonly maxWaitingPerJob: number;
  /** And of one job no more than so many times the places that are free. */
  readonly shareOfFree: number;
  /** Nobody waits longer than this, whatever its deadline. */
  readonly maxWaitMs: number;
  /** So many jobs are told apart at once. Those beyond share one lane, as if they were one job. */
  readonly maxJobs: number;
}

export const FAIR_QUEUE_DEFAULTS: FairQueueOptions = Object.freeze({
  // As many as the connections that a guarded server accepts: one waits on each.
  maxWaiting: 20_000,
  // No bound of its own: the next one is enough.
  maxWaitingPerJob: 20_000,
  // One job alone can have 2/3 of the places, two 2/5 each, n of them 2/(1 + 2n): there is always room for one more job,
  // without anybody being sent away who waits already. With 1 a lone job would have only half.
  shareOfFree: 2,
  // Most clients, and what stands between them and us, give up after 60 s without an answer. Who has to hear that there
  // was no room should hear it before that.
  maxWaitMs: 50_000,
  // About 200 bytes each. A machine room has some hundred jobs; more than this are invented.
  maxJobs: 1_000,
});

export function checkFairQueueOptions(given: Partial<FairQueueOptions> | undefined): FairQueueOptions {
  const options = withDefaults('fairQueue', FAIR_QUEUE_DEFAULTS, given);
  checkInteger('maxWaiting', options.maxWaiting, 1);
  checkInteger('maxWaitingPerJob', options.maxWaitingPerJob, 1);
  checkPositive('shareOfFree', options.shareOfFree);
  checkPositive('maxWaitMs', options.maxWaitMs);
  checkInteger('maxJobs', options.maxJobs, 1);
  return options;
}
