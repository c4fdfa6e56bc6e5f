import { checkInteger, checkNonNegative, checkPositive, checkWithin, withDefaults } from '../check.js';

/** Ejects who does worse than the others, by more than chance explains. */
export interface SuccessRateOptions {
  /** How many standard deviations below the mean is an outlier. */
  readonly stdevFactor: number;
  /** How many backends must have had enough requests before they are compared. */
  readonly minimumBackends: number;
  /** How many requests in the interval are enough. */
  readonly minimumRequests: number;
  /** How many failures an outlier has at the least … */
  readonly minimumFailures: number;
  /** … and how many standard deviations above what the others' failures, and how they cluster, let expect of chance. */
  readonly significance: number;
}

/** Ejects by the share of failures alone. */
export interface FailureShareOptions {
  /** From this share of failures on, one is an outlier, unless others fail as much. */
  readonly threshold: number;
  /** How many backends must have had enough requests before any is judged. */
  readonly minimumBackends: number;
  /** How many requests in the interval are enough. */
  readonly minimumRequests: number;
}

/** When a backend that fails gets no requests for a while, and for how long. */
export interface OutlierOptions {
  /** How often success rate and failure share are judged. */
  readonly intervalMs: number;
  /** How long the first ejection lasts; the n-th in a row lasts n times as long … */
  readonly baseEjectionMs: number;
  /** … up to this. */
  readonly maxEjectionMs: number;
  /** No more than this share of the backends is ejected at once; one always may be. */
  readonly maxEjectedShare: number;
  /** So many failures in a row eject at once, without waiting for the interval to end: more, the more others fail. */
  readonly consecutiveFailures: number;
  /** When one does worse than the others by more than chance. */
  readonly successRate: Partial<SuccessRateOptions>;
  /** When one fails too often, by itself. */
  readonly failureShare: Partial<FailureShareOptions>;
}

const SUCCESS_RATE_DEFAULTS: SuccessRateOptions = Object.freeze({
  // A50. No one of n values can lie more than √(n − 1) standard deviations from their mean: with 5 backends that is
  // 2.0, so 1.9 finds the one that fails everything, and with 4 (√3 = 1.73) it could never find any. Hence the 5.
  stdevFactor: 1.9,
  minimumBackends: 5,
  // A50. At a success rate of 99 % a hundred requests measure it to within ±1 %.
  minimumRequests: 100,
  // Our addition, both of them. A50 compares with the deviation between backends, which says nothing when all are
  // good: one failure among clean peers lies √(n − 1) deviations off, more than 1.9 from 5 backends on, and in a
  // healthy fleet with one error in a thousand a tenth of the backends would be out by chance all the time. As many
  // as would eject in a row are not one bad request; and 5 σ of a count come about by chance once in 3.5 million.
  minimumFailures: 5,
  significance: 5,
});

const FAILURE_SHARE_DEFAULTS: FailureShareOptions = Object.freeze({
  // A50. For want of others it looks at one backend alone, so it has to be a share that cannot be the fault of the requests.
  threshold: 0.85,
  // A50 has 5. But nothing is compared here, and below 5 backends the success rate is blind: those need it most.
  minimumBackends: 1,
  // A50. A backend that fails half of its requests is seen at 85 % of 50 once in 10 million intervals.
  minimumRequests: 50,
});

/** All of Envoy and gRFC A50. */
export const OUTLIER_DEFAULTS: OutlierOptions = Object.freeze({
  // Long enough for a hundred requests to a backend of a small service.
  intervalMs: 10_000,
  // About what a restart takes: a process that is being replaced is ejected once.
  baseEjectionMs: 30_000,
  // One that is broken for good costs 5 requests in 5 minutes, and is back at most 5 minutes after its repair.
  maxEjectionMs: 300_000,
  // What nine others can carry for the tenth: 11 % more each.
  maxEjectedShare: 0.1,
  // By chance only once in 10 billion requests at 1 % failures; a dead backend shows it in milliseconds.
  consecutiveFailures: 5,
  successRate: SUCCESS_RATE_DEFAULTS,
  failureShare: FAILURE_SHARE_DEFAULTS,
});

/** Every option there is. */
export interface FullOutlierOptions extends OutlierOptions {
  readonly successRate: SuccessRateOptions;
  readonly failureShare: FailureShareOptions;
}

/** With defaults for what is not given; throws for what is impossible. */
export function readOutlierOptions(given: Partial<OutlierOptions> | undefined): FullOutlierOptions {
  const options = withDefaults('outliers', OUTLIER_DEFAULTS, given);
  checkPositive('intervalMs', options.intervalMs);
  checkInteger('baseEjectionMs', options.baseEjectionMs, 1);
  // A50: a longer base raises the maximum with it, unless one is given; then the two must fit.
  const maxEjectionMs = given?.maxEjectionMs ?? Math.max(options.maxEjectionMs, options.baseEjectionMs);
  checkInteger('maxEjectionMs', maxEjectionMs, options.baseEjectionMs);
  checkWithin('maxEjectedShare', options.maxEjectedShare, 0, 1);
  checkInteger('consecutiveFailures', options.consecutiveFailures, 1);
  const successRate = withDefaults('successRate', SUCCESS_RATE_DEFAULTS, options.successRate);
  const failureShare = withDefaults('failureShare', FAILURE_SHARE_DEFAULTS, options.failureShare);
  checkNonNegative('successRate.stdevFactor', successRate.stdevFactor);
  checkInteger('successRate.minimumFailures', successRate.minimumFailures, 1);
  checkNonNegative('successRate.significance', successRate.significance);
  checkMinima('successRate', successRate);
  checkWithin('failureShare.threshold', failureShare.threshold, 0, 1);
  checkMinima('failureShare', failureShare);
  return { ...options, maxEjectionMs, successRate, failureShare };
}

function checkMinima(part: string, options: SuccessRateOptions | FailureShareOptions): void {
  checkInteger(`${part}.minimumBackends`, options.minimumBackends, 1);
  checkInteger(`${part}.minimumRequests`, options.minimumRequests, 1);
}
