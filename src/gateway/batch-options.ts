import type { BatchProxyOptions } from './batch/index.js';
import type { BatchSettings } from './settings/batch-schema.js';
import { msOf } from './settings/texts.js';

/** What settings say of a batch proxy. */
export function batchOptionsOf(settings: BatchSettings): Partial<BatchProxyOptions> {
  const { job, mostPerSecond, maxUnderWay, targetUtilization, maxWaiting, maxWait } = settings;
  return {
    job: job === 'customer' || job === 'address' ? job : { header: job.slice('header:'.length) },
    pace: {
      mostPerSecond,
      maxUnderWay,
      targetUtilization,
      // It begins as ever, unless that is more than there may be.
      initialPerSecond: Math.min(10, mostPerSecond),
    },
    queue: { maxWaiting, maxWaitingPerJob: maxWaiting, maxWaitMs: msOf(maxWait) },
  };
}
