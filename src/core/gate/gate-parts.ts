import type { ConcurrencyLimiter } from '../admission/concurrency-limiter.js';
import type { QueuePressure } from '../admission/queue-pressure.js';
import type { RunQueueOptions } from '../admission/run-queue-options.js';
import type { Thresholds } from '../admission/thresholds.js';
import type { UtilizationSignal } from '../admission/utilization-signal.js';
import type { QuotaEnforcement } from '../quota/quota-enforcement.js';
import type { OverloadAdvice } from '../retrying/overload-advice.js';

/**
 * `lame-duck` serves what still comes (clients have been told, some have sent already); `starting` and `closed` refuse.
 */
export type GateState = 'starting' | 'ready' | 'lame-duck' | 'closed';

/** The parts that decide, each with its own options. */
export interface GateParts {
  /** All utilization signals as one number; 1 = at target. */
  readonly signal: UtilizationSignal;
  readonly thresholds: Thresholds;
  readonly limiter: ConcurrencyLimiter;
  readonly advice: OverloadAdvice;
  /** Told how long requests waited. Normally one of the signals above. */
  readonly queuePressure: QueuePressure;
  readonly quota?: QuotaEnforcement;
  /**
   * The utilization from which quotas count; always when not given. It must be below those from which requests are
   * refused, so that nobody within its quota is shed for one who is not.
   */
  readonly quotaFrom?: number | undefined;
  /**
   * What load reports say of how full it is; the signal when not given. Weights divide by it, so it should grow with the
   * work: a CPU rate does, the time in a queue does not.
   */
  readonly load?: UtilizationSignal;
}

/**
 * The queue's options where QueuePressure keeps queue time at 20 ms, or at what eight requests take. Up to three
 * times that is its own business: it decides by criticality and trace who is refused, and a queue that tightened
 * sooner, or served the newest first, would refuse at random in its place and tear call trees. Beyond, the queue cuts
 * in: for the first fifth of a second of a flood.
 */
export const GATE_QUEUE_DEFAULTS: Partial<RunQueueOptions> = Object.freeze({
  tightWaitMs: 60,
  standingWaitMs: 60,
  leastRequests: 24,
});
