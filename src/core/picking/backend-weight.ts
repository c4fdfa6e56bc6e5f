import { elapsedMs } from '../elapsed.js';
import type { LoadReport } from '../load-report.js';

export interface WeightOptions {
  /** How long a backend's reports are only listened to before its weight is used. */
  readonly blackoutMs: number;
  /** How long a weight holds without a new report. */
  readonly expiryMs: number;
  /**
   * How heavily errors count: a backend with error share s is treated as if its utilization were s · penalty higher.
   */
  readonly errorPenalty: number;
}

/** gRFC A58's. */
export const WEIGHT_DEFAULTS: WeightOptions = Object.freeze({
  // A starting backend warms caches and code: its first reports show it far slower than it will be.
  blackoutMs: 10_000,
  // Three minutes of silence say more about the backend's traffic than about its speed.
  expiryMs: 180_000,
  // 1: failing every request weighs as much as a whole machine's utilization on top of its own.
  errorPenalty: 1,
});

/**
 * How much one attempt's error moves the share this client has seen: about the last 20 attempts count. One failure
 * among many successes then adds 0.05 to the error share, and a backend whose answers all get lost is known after
 * twenty.
 */
const ERROR_STEP = 0.05;

/**
 * Weights outside of these are no machine's: a backend that reports a utilization of 10^-300 is broken, or lying, and
 * numbers of that size would make every share infinite or none.
 */
const LEAST_WEIGHT = 1e-9;
const MOST_WEIGHT = 1e9;

/**
 * What one backend can take, from its own reports: requests per second it serves, per utilization it spends on them
 * (SRE ch. 20, "Weighted Round Robin"; the arithmetic is gRFC A58's).
 */
export class BackendWeight {
  #reportedErrorShare = 0;
  #utilization = 0;
  #requestsPerSecond = 0;
  #seenErrorShare = 0;
  /** Since when there have been reports without a gap as long as the expiry. */
  #knownSinceMs = Number.POSITIVE_INFINITY;
  #lastReportMs = Number.NEGATIVE_INFINITY;
  #readySinceMs = Number.NEGATIVE_INFINITY;

  /** Attempts that time out or break never show in the backend's own report: this client counts what it saw itself. */
  onAttempt(isError: boolean): void {
    if (isError) this.#seenErrorShare += (1 - this.#seenErrorShare) * ERROR_STEP;
    else if (this.#seenErrorShare > 0) this.#seenErrorShare -= this.#seenErrorShare * ERROR_STEP;
  }

  /** The part of this client's own attempts there that ended in an error, of late. */
  get seenErrorShare(): number {
    return this.#seenErrorShare;
  }

  onReport(report: LoadReport, now: number, options: WeightOptions): void {
    const application = report.applicationUtilization ?? 0;
    const utilization = application > 0 ? application : (report.cpuUtilization ?? 0);
    const rate = report.requestsPerSecond ?? 0;
    // A58: a report without a rate or a utilization says nothing, and changes nothing. Nor does an endless one.
    if (!(utilization > 0 && rate > 0 && utilization < Infinity && rate < Infinity)) return;
    if (elapsedMs(this.#lastReportMs, now) >= options.expiryMs) this.#knownSinceMs = now;
    this.#lastReportMs = now;
    this.#utilization = utilization;
    this.#requestsPerSecond = rate;
    const errors = report.errorsPerSecond ?? 0;
    this.#reportedErrorShare = errors > 0 ? Math.min(1, errors / rate) : 0;
  }

  /** The weight now, or 0 when none is known: no reports yet, too few, or too long ago. */
  weight(now: number, readySinceMs: number, options: WeightOptions): number {
    // A restarted backend is a new one, whatever its predecessor reported or failed.
    if (readySinceMs > this.#readySinceMs) this.#seenErrorShare = 0;
    this.#readySinceMs = readySinceMs;
    if (elapsedMs(this.#lastReportMs, now) >= options.expiryMs) return 0;
    if (this.#lastReportMs < readySinceMs) return 0;
    if (elapsedMs(Math.max(this.#knownSinceMs, readySinceMs), now) < options.blackoutMs) return 0;
    const errorShare = Math.max(this.#reportedErrorShare, this.#seenErrorShare);
    const weight = this.#requestsPerSecond / (this.#utilization + errorShare * options.errorPenalty);
    return weight >= LEAST_WEIGHT && weight <= MOST_WEIGHT ? weight : 0;
  }
}
