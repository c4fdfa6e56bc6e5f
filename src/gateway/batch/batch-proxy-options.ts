import { checkInteger, checkOneOf, withDefaults } from '../../core/check.js';
import type { BatchPaceOptions, FairQueueOptions } from '../../core/index.js';

/** By what requests belong to one job: who is billed, where they come from, or what a header says. */
export type JobSource = 'customer' | 'address' | { readonly header: string };

export interface BatchProxyOptions {
  readonly job: JobSource;
  readonly queue: Partial<FairQueueOptions>;
  readonly pace: Partial<BatchPaceOptions>;
  /** Of bodies of requests that wait, no more than this is kept. */
  readonly maxHeldBytes: number;
  /**
   * How full the service is (1 = all of it; see `utilizationOf`), and what else is not to become too full, such as this
   * process: the fullest counts. Asked twice a second; undefined when it is not known.
   */
  readonly utilization: readonly (() => number | undefined)[];
  /** Told of what `utilization` and `forward` throw. */
  readonly onError: (error: unknown) => void;
}

export const BATCH_PROXY_DEFAULTS: BatchProxyOptions = Object.freeze({
  // Names that somebody has checked: a job that could give itself ten names would have ten shares.
  job: 'customer',
  queue: Object.freeze({}),
  pace: Object.freeze({}),
  // A thousand bodies of which 64 KB came along with the head, or four thousand of 16 KB.
  maxHeldBytes: 67_108_864,
  utilization: Object.freeze([]),
  onError: (error: unknown) => console.error(error),
});

/** RFC 9110, 5.1: a token. */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]{1,128}$/;

export function checkBatchProxyOptions(given: Partial<BatchProxyOptions> | undefined): BatchProxyOptions {
  const options = withDefaults('batchProxy', BATCH_PROXY_DEFAULTS, given);
  const { job } = options;
  if (typeof job !== 'object') checkOneOf('job', job, ['customer', 'address']);
  else if (typeof job.header !== 'string' || !HEADER_NAME.test(job.header))
    throw new RangeError(`job.header must be the name of a header, got ${JSON.stringify(job.header)}`);
  checkInteger('maxHeldBytes', options.maxHeldBytes, 0);
  return options;
}
