import { CRITICALITIES, type Criticality } from '../core/criticality.js';
import {
  ConcurrencyLimit,
  ConcurrencyLimiter,
  DEGRADING_THRESHOLDS,
  fixedLimit,
  Gate,
  OverloadAdvice,
  QUOTA_FROM,
  QueuePressure,
  type QueuePressureOptions,
  type Refusal,
  type RunQueueOptions,
  type ThresholdOptions,
  Thresholds,
} from '../core/index.js';
import type { GuardOptions } from './guard-options.js';
import type { GuardedRequest } from './guarded-request.js';
import { LateCharges } from './late-charges.js';
import { type QuotaSource, quotaSourceOf } from './quota-source.js';
import { Utilization } from './signals/utilization.js';

/**
 * Shorter than what the core has for servers of any kind (20 ms, eight requests): an event loop runs one at a time, and
 * arrivals that are refused evenly (EvenOrder) leave gaps of equal length between those that are not, so a queue of four
 * hardly ever runs dry. It keeps p99 below 60 ms at any load.
 */
const QUEUE_PRESSURE: Partial<QueuePressureOptions> = Object.freeze({ targetMs: 10, leastRequests: 4 });

/** Three times the target, as the core has it (GATE_QUEUE_DEFAULTS), and a burst is let in that takes a little longer. */
const QUEUE: Partial<RunQueueOptions> = Object.freeze({
  maxWaitMs: 45,
  tightWaitMs: 30,
  standingWaitMs: 30,
  maxAgeMs: 45,
  leastRequests: 12,
});

/** The parts of the core that decide for one guard, put together as its options say. */
export interface Decisions {
  readonly gate: Gate<GuardedRequest>;
  readonly utilization: Utilization;
  readonly thresholds: Thresholds;
  readonly limiter: ConcurrencyLimiter;
  readonly quota: QuotaSource | undefined;
  /** What a request has used of its customer's quota. */
  readonly quotaCost: (request: GuardedRequest, cpuMs: number) => number;
  /** What it uses after its end. */
  readonly late: LateCharges | undefined;
}

export function makeDecisions(
  { thresholds: given, queue, concurrency, signals, quota: quotas }: GuardOptions,
  onDrop: (request: GuardedRequest, refusal: Refusal) => void,
): Decisions {
  const thresholds = new Thresholds(degrading(given));
  const queuePressure = new QueuePressure(QUEUE_PRESSURE, thresholds);
  const utilization = new Utilization(queuePressure, signals);
  const limiter = new ConcurrencyLimiter(
    concurrency === 'adaptive' ? new ConcurrencyLimit() : fixedLimit(concurrency),
  );
  const quota = quotas === undefined ? undefined : quotaSourceOf(quotas);
  const gate = new Gate<GuardedRequest>(
    {
      signal: utilization.signal,
      load: utilization.load,
      thresholds,
      limiter,
      advice: new OverloadAdvice(),
      queuePressure,
      ...(quota === undefined ? {} : { quota: quota.enforcement, quotaFrom: quotaFrom(quota, thresholds) }),
    },
    (ticket, refusal) => onDrop(ticket.request, refusal),
    { ...QUEUE, ...queue },
  );
  const quotaCost =
    quota === undefined || quota.unit === 'cpu' ? cpuSeconds : ({ charged }: GuardedRequest) => charged;
  return { gate, utilization, thresholds, limiter, quota, quotaCost, late: quota && lateChargesOf(quota) };
}

/** Undefined: always. Else before anybody within its quota gets a cheaper answer, or none, for one who is not. */
function quotaFrom({ enforce }: QuotaSource, { ranges }: Thresholds): number | undefined {
  return enforce === 'always' ? undefined : Math.min(QUOTA_FROM, ranges[0]!.degradeFrom);
}

function lateChargesOf({ enforcement, unit }: QuotaSource): LateCharges {
  return new LateCharges(unit === 'cpu', ({ customer, criticality, isOwed }, cost) =>
    // What was assumed of it was taken back when it ended.
    enforcement.charge(customer, criticality, cost, performance.now(), { cost: 0, isOwed }),
  );
}

function cpuSeconds(_: GuardedRequest, cpuMs: number): number {
  return cpuMs / 1_000;
}

/**
 * Requests are marked as degraded before any is refused. Where nobody has a cheaper answer the mark changes nothing, and
 * whoever has one need not say so in two places.
 */
function degrading(given: GuardOptions['thresholds']): Record<Criticality, Partial<ThresholdOptions>> {
  return Object.fromEntries(
    CRITICALITIES.map((name) => [
      name,
      given[name]?.refuseFrom === undefined ? { ...DEGRADING_THRESHOLDS[name], ...given[name] } : given[name],
    ]),
  ) as Record<Criticality, Partial<ThresholdOptions>>;
}
