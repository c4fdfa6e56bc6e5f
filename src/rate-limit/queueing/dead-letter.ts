import type { BullJob } from './load-bullmq.js';
import type { StoredRequest } from './queued-request.js';

/** A request that has no attempt left. It is kept for a while, to be looked at and tried again. */
export interface DeadLetter {
  readonly id: string;
  readonly method: string;
  readonly url: string;
  readonly rule: string;
  readonly key: string;
  readonly attempts: number;
  /** What the last attempt failed with. */
  readonly reason: string;
  readonly acceptedMs: number;
  readonly failedMs: number;
}

/** Somebody else's jobs, put into the same queue, are none of ours. */
export function deadLettersOf(jobs: readonly (BullJob | undefined)[]): readonly DeadLetter[] {
  return jobs.flatMap((job) => (isOurs(job) ? [deadLetterOf(job)] : []));
}

function isOurs(job: BullJob | undefined): job is BullJob {
  return typeof (job?.data as Partial<StoredRequest> | undefined)?.url === 'string';
}

function deadLetterOf(job: BullJob): DeadLetter {
  const { method, url, rule, key, acceptedMs } = job.data as StoredRequest;
  return {
    id: job.id ?? '',
    method,
    url,
    rule,
    key,
    attempts: job.attemptsMade,
    reason: job.failedReason ?? '',
    acceptedMs,
    failedMs: job.finishedOn ?? 0,
  };
}
