import { CRITICALITIES, type Criticality } from '../core/criticality.js';
import {
  ConcurrencyLimit,
  ConcurrencyLimiter,
  DEGRADING_THRESHOLDS,
  fixedLimit,
  Gate,
  OverloadAdvice,
  QueuePressure,
  type QueuePressureOptions,
  QuotaEnforcement,
  type Refusal,
  type RunQueueOptions,
  type ThresholdOptions,
  Thresholds,
} from '../core/index.js';
import type { GuardOptions } from './guard-options.js';
import type { GuardedRequest } from './guarded-request.js';
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
  readonly limiter: ConcurrencyLimiter;
  readonly quota: QuotaEnforcement | undefined;
}

export function makeDecisions(
  { thresholds: given, queue, concurrency, signals, quota: limits }: GuardOptions,
  onDrop: (request: GuardedRequest, refusal: Refusal) => void,
): Decisions {
  const thresholds = new Thresholds(degrading(given));
  const queuePressure = new QueuePressure(QUEUE_PRESSURE, thresholds);
  const utilization = new Utilization(queuePressure, signals);
  const limiter = new ConcurrencyLimiter(
    concurrency === 'adaptive' ? new ConcurrencyLimit() : fixedLimit(concurrency),
  );
  const quota = limits === undefined ? undefined : new QuotaEnforcement(limits);
  const gate = new Gate<GuardedRequest>(
    {
      signal: utilization.signal,
      load: utilization.load,
      thresholds,
      limiter,
      advice: new OverloadAdvice(),
      queuePressure,
      ...(quota === undefined ? {} : { quota }),
    },
    (ticket, refusal) => onDrop(ticket.request, refusal),
    { ...QUEUE, ...queue },
  );
  return { gate, utilization, limiter, quota };
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
