import { elapsedMs } from '../elapsed.js';
import {
  type FailureShareOptions,
  type OutlierOptions,
  readOutlierOptions,
  type SuccessRateOptions,
} from './outlier-options.js';
import type { OutlierRecord, Tally } from './outlier-record.js';

/** How often the backends of a healthy fleet fail: what so many failures in a row are derived from. */
const USUAL_SHARE = 0.01;

/** The turn of a request that was sent when the one before was over. */
const ONE_BY_ONE = Number.POSITIVE_INFINITY;

/** Rounding in mean and deviation must not make an outlier of one among equals. */
const ROUNDING = 1e-9;

/**
 * Passive health checking (Envoy's outlier detection, gRFC A50): a backend whose answers are bad is ejected for a
 * while, judged by the requests it gets anyway. All state but the interval lies in the records, so backends may come
 * and go freely.
 */
export class OutlierDetector {
  readonly #options: Omit<OutlierOptions, 'successRate' | 'failureShare'>;
  readonly #successRate: SuccessRateOptions;
  readonly #failureShare: FailureShareOptions;
  #intervalSinceMs = Number.NEGATIVE_INFINITY;
  #dueMs = Number.NEGATIVE_INFINITY;
  /** Of all backends, since this detector was made. */
  readonly #all: Tally = { successes: 0, failures: 0 };

  constructor(given?: Partial<OutlierOptions>) {
    const { successRate, failureShare, ...options } = readOutlierOptions(given);
    this.#options = options;
    this.#successRate = successRate;
    this.#failureShare = failureShare;
  }

  /** From this instant on, `sweep` has something to do. The first sweep, due at once, only starts the interval. */
  get dueMs(): number {
    return this.#dueMs;
  }

  /**
   * Counts one outcome. True when it completes so many failures in a row that the backend should be ejected at once:
   * at the 5th, and if that was not allowed, or others fail as well, at the 10th, 15th …, so that a fleet in which all
   * fail does not ask for an ejection with each request. `turn` is the place of its request among all that the backend
   * was sent, `sent` how many that are by now: failures that were under way together count as one.
   */
  observe(record: OutlierRecord, succeeded: boolean, turn = ONE_BY_ONE, sent = 0): boolean {
    record.observe(succeeded, turn, sent, this.#all);
    if (succeeded) {
      this.#all.successes++;
      return false;
    }
    this.#all.failures++;
    const { consecutiveFailures } = this.#options;
    const { isEjected, separateFailures } = record;
    if (isEjected || separateFailures % consecutiveFailures !== 0) return false;
    return separateFailures * this.#weightOfFailure(record) >= consecutiveFailures;
  }

  /**
   * What one of its failures in a row is worth, given how others fare in the same period: log p / log 0.01 if a share p of
   * theirs are failures. So many in a row are then as unlikely, by chance, as five where one in a hundred fails: ten if a
   * tenth does, and no row is long enough where all do. Deadlines that pass on all backends at once (an overload, a
   * client that stood still) would otherwise eject whoever is the first to have five of them.
   */
  #weightOfFailure(record: OutlierRecord): number {
    const { successes, failures } = record.othersSince(this.#all);
    // One request beyond those that were seen, of the usual kind: with none at all it is A50's rule.
    const share = (failures + USUAL_SHARE) / (successes + failures + 1);
    return Math.min(1, Math.log(share) / Math.log(USUAL_SHARE));
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
    const all = sumOf(compared);
    return compared.filter(
      (record) =>
        record.successRate < threshold &&
        record.failures >= this.#successRate.minimumFailures &&
        this.#isSignificant(record, all),
    );
  }

  /**
   * More failures than chance explains, if it failed as the others do. Theirs may come in bursts, and so may those that
   * are expected of it: the variance of a count that comes in rows is larger by their mean square over their mean.
   */
  #isSignificant(record: OutlierRecord, all: Sum): boolean {
    const failures = all.failures - record.failures;
    const share = failures / (all.requests - record.requests);
    const expected = record.requests * share;
    const burst = failures === 0 ? 1 : Math.max(1, (all.squaredRows - record.squaredRows) / failures);
    const deviation = Math.sqrt(expected * (1 - share) * burst);
    return record.failures - expected > this.#successRate.significance * deviation;
  }

  /** A50, "Failure Percentage Algorithm", with Envoy's "greater than or equal". */
  #byFailureShare(inService: readonly OutlierRecord[]): readonly OutlierRecord[] {
    const { threshold, minimumBackends, minimumRequests } = this.#failureShare;
    const judged = inService.filter((record) => record.requests >= minimumRequests);
    if (judged.length < minimumBackends) return [];
    const all = sumOf(inService);
    return judged.filter(
      (record) =>
        record.failures >= threshold * record.requests - ROUNDING &&
        (record.requests === all.requests || this.#isSignificant(record, all)),
    );
  }

  /** A50: the multiplier falls by one for each interval spent wholly in service. An idle hour has many. */
  #endInterval(record: OutlierRecord, now: number): void {
    record.forgetCounts();
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
    record.endRow();
    record.forgetCounts();
    hasChanged = true;
  }
  return hasChanged;
}

interface Sum {
  readonly requests: number;
  readonly failures: number;
  readonly squaredRows: number;
}

function sumOf(records: readonly OutlierRecord[]): Sum {
  let [requests, failures, squaredRows] = [0, 0, 0];
  for (const record of records) {
    requests += record.requests;
    failures += record.failures;
    squaredRows += record.squaredRows;
  }
  return { requests, failures, squaredRows };
}

function meanOf(records: readonly OutlierRecord[], value: (record: OutlierRecord) => number): number {
  let sum = 0;
  for (const record of records) sum += value(record);
  return sum / records.length;
}
