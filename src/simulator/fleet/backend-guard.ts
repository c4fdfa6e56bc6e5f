import {
  ConcurrencyLimit,
  ConcurrencyLimiter,
  CpuRate,
  DEGRADING_THRESHOLDS,
  fixedLimit,
  highestOf,
  QueuePressure,
  Thresholds,
  type UtilizationSignal,
} from '../../core/admission/index.js';
import { Gate, type GateParts, type Refusal, type Ticket } from '../../core/gate/index.js';
import { QUOTA_FROM, type QuotaEnforcement, type QuotaLimits, QuotaMember } from '../../core/quota/index.js';
import { OverloadAdvice } from '../../core/retrying/index.js';
import type { Attempt } from './attempt.js';
import type { GuardSpec, QuotaSpec } from './spec/index.js';

/** Enough for any backend: with no guard everything runs at once. */
const UNBOUNDED = 1_000_000;

/** Out of reach of any signal: nothing is ever refused. */
const OPEN_THRESHOLDS = new Thresholds({
  SHEDDABLE: { refuseFrom: 1e9, refuseAll: 2e9 },
  SHEDDABLE_PLUS: { refuseFrom: 2e9, refuseAll: 3e9 },
  CRITICAL: { refuseFrom: 3e9, refuseAll: 4e9 },
  CRITICAL_PLUS: { refuseFrom: 4e9, refuseAll: 5e9 },
});

export interface BackendQuota {
  /** Of the whole fleet … */
  readonly limits: QuotaLimits;
  /** … which is so many backends, as long as nobody knows better. */
  readonly backends: number;
  readonly enforce: QuotaSpec['enforce'];
}

export interface BackendGuardOptions {
  readonly guard: GuardSpec | false;
  readonly cores: number;
  readonly quota: BackendQuota | undefined;
  readonly onDrop: (ticket: Ticket<Attempt>, refusal: Refusal) => void;
}

/** The decisions of one backend process, put together as its spec says. */
export class BackendGuard {
  readonly gate: Gate<Attempt>;
  readonly cpu: CpuRate;
  readonly limiter: ConcurrencyLimiter;
  readonly member: QuotaMember | undefined;

  constructor({ guard, cores, quota, onDrop }: BackendGuardOptions) {
    // Reported as it is, 1 = all that is reserved: what weights are made of.
    this.cpu = new CpuRate({ processors: cores, target: 1 });
    this.limiter = new ConcurrencyLimiter(limitOf(guard));
    this.member = quota && new QuotaMember(quota.limits, { backends: quota.backends });
    const thresholds = thresholdsOf(guard);
    const queuePressure = new QueuePressure(guard ? { targetMs: guard.queueTargetMs } : {}, thresholds);
    const signals: Record<'queue' | 'cpu', UtilizationSignal> = { queue: queuePressure, cpu: this.cpu };
    const signal = guard ? highestOf(guard.signals.map((name) => signals[name])) : this.cpu;
    const parts: GateParts = {
      signal,
      load: this.cpu,
      thresholds,
      limiter: this.limiter,
      advice: adviceOf(guard),
      queuePressure,
      ...(this.quota === undefined ? {} : { quota: this.quota }),
      quotaFrom: quota?.enforce === 'when-overloaded' ? quotaFrom(thresholds) : undefined,
    };
    this.gate = new Gate(parts, onDrop);
  }

  get quota(): QuotaEnforcement | undefined {
    return this.member?.enforcement;
  }
}

/** As the server guard has it: before anybody gets less than all. */
function quotaFrom({ ranges }: Thresholds): number {
  return Math.min(QUOTA_FROM, ranges[0]!.degradeFrom);
}

function limitOf(guard: GuardSpec | false) {
  if (!guard) return fixedLimit(UNBOUNDED);
  return guard.concurrency === 'adaptive' ? new ConcurrencyLimit() : fixedLimit(guard.concurrency);
}

/** No share of retries is more than all of them. */
function adviceOf(guard: GuardSpec | false): OverloadAdvice {
  return new OverloadAdvice(guard && !guard.advises ? { retryShare: 1, recoverShare: 1 } : {});
}

function thresholdsOf(guard: GuardSpec | false): Thresholds {
  if (!guard) return OPEN_THRESHOLDS;
  return new Thresholds(guard.degradedCost === undefined ? {} : DEGRADING_THRESHOLDS);
}
