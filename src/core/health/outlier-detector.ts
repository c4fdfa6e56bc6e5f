import { checkInteger, checkNonNegative, checkPositive, checkWithin, withDefaults } from '../check.js';
import { elapsedMs } from '../elapsed.js';

export interface SuccessRateOptions {
  /** How many standard deviations below the mean is an outlier. */
  readonly stdevFactor: number;
  /** How many backends must have had enough requests before they are compared. */
  readonly minimumBackends: number;
  /** How many requests in the interval are enough. */
  readonly minimumRequests: number;
  /** How many failures an outlier has at the least … */
  readonly minimumFailures: number;
  /** … and how many standard deviations above what the others' failure share lets expect of chance. */
  readonly significance: number;
}

export interface FailureShareOptions {
  /** From this share of failures on, one is an outlier whatever the others do. */
  readonly threshold: number;
  readonly minimumBackends: number;
  readonly minimumRequests: number;
}

export interface OutlierOptions {
  /** How often success rate and failure share are judged. */
  readonly intervalMs: number;
  /** How long the first ejection lasts; the n-th in a row lasts n times as long … */
  readonly baseEjectionMs: number;
  /** … up to this. */
  readonly maxEjectionMs: number;
  /** No more than this share of the backends is ejected at once; one always may be. */
  readonly maxEjectedShare: number;
  /** So many failures in a row eject at once, without waiting for the interval to end. */
  readonly consecutiveFailures: number;
  readonly successRate: Partial<SuccessRateOptions>;
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
  // A50. Looks at one backend alone, so it has to be a share that cannot be the fault of the requests.
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

/** Rounding in mean and deviation must not make an outlier of one among equals. */
const ROUNDING = 1e-9;

/** What is remembered of one backend. Whoever owns the backend owns this; only the detector changes it. */
export class OutlierRecord {
  isEjected = false;
  /** When it comes back; when it came back last, once it has. */
  ejectedUntilMs = Number.NEGATIVE_INFINITY;
  /** Ejections that still count: the next one lasts one base longer than this many. */
  ejections = 0;
  /** Not forgotten with time: a service that gets one request a minute must find its dead backend too. */
  failuresInARow = 0;
  /** Of this interval. */
  successes = 0;
  failures = 0;

  get requests(): number {
    return this.successes + this.failures;
  }

  get successRate(): number {
    return this.successes / this.requests;
  }
}

/**
 * Passive health checking (Envoy's outlier detection, gRFC A50): a backend whose answers are bad is ejected for a
 * while, judged by the requests it gets anyway. All state but the interval lies in the records, so backends may come
 * and go freely.
 */
export class OutlierDetector {
  readonly #options: OutlierOptions;
  readonly #successRate: SuccessRateOptions;
  readonly #failureShare: FailureShareOptions;
  #intervalSinceMs = Number.NEGATIVE_INFINITY;
  #dueMs = Number.NEGATIVE_INFINITY;

  constructor(given?: Partial<OutlierOptions>) {
    this.#options = checkOptions(given);
    this.#successRate = withDefaults('successRate', SUCCESS_RATE_DEFAULTS, this.#options.successRate);
    this.#failureShare = withDefaults('failureShare', FAILURE_SHARE_DEFAULTS, this.#options.failureShare);
    checkNonNegative('successRate.stdevFactor', this.#successRate.stdevFactor);
    checkInteger('successRate.minimumFailures', this.#successRate.minimumFailures, 1);
    checkNonNegative('successRate.significance', this.#successRate.significance);
    checkMinima('successRate', this.#successRate);
    checkWithin('failureShare.threshold', this.#failureShare.threshold, 0, 1);
    checkMinima('failureShare', this.#failureShare);
  }

  /** From this instant on, `sweep` has something to do. The first sweep, due at once, only starts the interval. */
  get dueMs(): number {
    return this.#dueMs;
  }

  /**
   * Counts one outcome. True when it completes so many failures in a row that the backend should be ejected at once:
   * at the 5th, and if that was not allowed, at the 10th, 15th …, so that a fleet in which all fail does not ask for
   * an ejection with each request.
   */
  observe(record: OutlierRecord, succeeded: boolean): boolean {
    if (succeeded) {
      record.successes++;
      record.failuresInARow = 0;
      return false;
    }
    record.failures++;
    record.failuresInARow++;
    return !record.isEjected && record.failuresInARow % this.#options.consecutiveFailures === 0;
  }

  /** Ejects, unless as many of the service's `records` are ejected already as may be. */
  tryEject(record: OutlierRecord, records: readonly OutlierRecord[], now: number): boolean {
    if (record.isEjected) return false;
    let ejected = 0;
    for (const other of records) if (other.isEjected) ejected++;
    // The bit of rounding: 100 × 0.29 is 28.999999999999996.
    const allowed = Math.max(1, Math.floor(records.length * this.#options.maxEjectedShare + ROUNDING));
    if (ejected >= allowed) return false;
    const { baseEjectionMs, maxEjectionMs } = this.#options;
    record.isEjected = true;
    record.ejections++;
    record.ejectedUntilMs = now + Math.min(baseEjectionMs * record.ejections, maxEjectionMs);
    this.#dueMs = Math.min(this.#dueMs, record.ejectedUntilMs);
    return true;
  }

  /**
   * Returns those whose ejection is over; at the end of an interval judges the others, and forgets its counts. True
   * when that changed who is ejected.
   */
  sweep(records: readonly OutlierRecord[], now: number): boolean {
    const { intervalMs } = this.#options;
    let hasChanged = returnToService(records, now);
    const intervalLastedMs = elapsedMs(this.#intervalSinceMs, now);
    if (intervalLastedMs >= intervalMs) {
      // A whole interval late: nobody picked for that long, and what was counted before says nothing about now.
      if (intervalLastedMs < 2 * intervalMs && this.#judge(records, now)) hasChanged = true;
      for (const record of records) this.#endInterval(record, now);
      this.#intervalSinceMs = now;
    }
    this.#dueMs = this.#intervalSinceMs + intervalMs;
    for (const { isEjected, ejectedUntilMs } of records) {
      if (isEjected) this.#dueMs = Math.min(this.#dueMs, ejectedUntilMs);
    }
    return hasChanged;
  }

  #judge(records: readonly OutlierRecord[], now: number): boolean {
    // As in Envoy, the ejected are not compared with: their failures would widen the deviation and hide the next.
    const inService = records.filter((record) => !record.isEjected);
    const suspects = [...this.#bySuccessRate(inService), ...this.#byFailureShare(inService)];
    // Worst first: when not all may be ejected, it should be those that hurt most. A50 takes them as they come.
    suspects.sort((a, b) => a.successRate - b.successRate);
    let hasChanged = false;
    for (const record of suspects) if (this.tryEject(record, records, now)) hasChanged = true;
    return hasChanged;
  }

  /** A50, "Success Rate Algorithm". */
  #bySuccessRate(inService: readonly OutlierRecord[]): readonly OutlierRecord[] {
    const { stdevFactor, minimumBackends, minimumRequests } = this.#successRate;
    const compared = inService.filter((record) => record.requests >= minimumRequests);
    if (compared.length < minimumBackends) return [];
    const mean = meanOf(compared, (record) => record.successRate);
    const variance = meanOf(compared, (record) => (record.successRate - mean) ** 2);
    const threshold = mean - stdevFactor * Math.sqrt(variance) - ROUNDING;
    const failures = compared.reduce((sum, record) => sum + record.failures, 0);
    const requests = compared.reduce((sum, record) => sum + record.requests, 0);
    return compared.filter(
      (record) =>
        record.successRate < threshold &&
        record.failures >= this.#successRate.minimumFailures &&
        this.#isSignificant(record, failures - record.failures, requests - record.requests),
    );
  }

  /** More failures than chance explains, if it failed as the others do. */
  #isSignificant(record: OutlierRecord, othersFailures: number, othersRequests: number): boolean {
    const share = othersFailures / othersRequests;
    const expected = record.requests * share;
    return record.failures - expected > this.#successRate.significance * Math.sqrt(expected * (1 - share));
  }

  /** A50, "Failure Percentage Algorithm", with Envoy's "greater than or equal". */
  #byFailureShare(inService: readonly OutlierRecord[]): readonly OutlierRecord[] {
    const { threshold, minimumBackends, minimumRequests } = this.#failureShare;
    const judged = inService.filter((record) => record.requests >= minimumRequests);
    if (judged.length < minimumBackends) return [];
    return judged.filter((record) => record.failures >= threshold * record.requests - ROUNDING);
  }

  /** A50: the multiplier falls by one for each interval spent wholly in service. An idle hour has many. */
  #endInterval(record: OutlierRecord, now: number): void {
    record.successes = 0;
    record.failures = 0;
    const inServiceSinceMs = Math.max(this.#intervalSinceMs, record.ejectedUntilMs);
    const intervals = Math.floor(elapsedMs(inServiceSinceMs, now) / this.#options.intervalMs);
    record.ejections = Math.max(0, record.ejections - intervals);
  }
}

/** It starts anew: what came in from requests sent before its ejection is not held against it a second time. */
function returnToService(records: readonly OutlierRecord[], now: number): boolean {
  let hasChanged = false;
  for (const record of records) {
    if (!record.isEjected || now < record.ejectedUntilMs) continue;
    record.isEjected = false;
    record.failuresInARow = 0;
    record.successes = 0;
    record.failures = 0;
    hasChanged = true;
  }
  return hasChanged;
}

function meanOf(records: readonly OutlierRecord[], value: (record: OutlierRecord) => number): number {
  let sum = 0;
  for (const record of records) sum += value(record);
  return sum / records.length;
}

function checkOptions(given: Partial<OutlierOptions> | undefined): OutlierOptions {
  const options = withDefaults('outliers', OUTLIER_DEFAULTS, given);
  checkPositive('intervalMs', options.intervalMs);
  checkInteger('baseEjectionMs', options.baseEjectionMs, 1);
  // A50: a longer base raises the maximum with it, unless one is given; then the two must fit.
  const maxEjectionMs = given?.maxEjectionMs ?? Math.max(options.maxEjectionMs, options.baseEjectionMs);
  checkInteger('maxEjectionMs', maxEjectionMs, options.baseEjectionMs);
  checkWithin('maxEjectedShare', options.maxEjectedShare, 0, 1);
  checkInteger('consecutiveFailures', options.consecutiveFailures, 1);
  return { ...options, maxEjectionMs };
}

function checkMinima(part: string, options: SuccessRateOptions | FailureShareOptions): void {
  checkInteger(`${part}.minimumBackends`, options.minimumBackends, 1);
  checkInteger(`${part}.minimumRequests`, options.minimumRequests, 1);
}
