import { CRITICALITIES, type Criticality } from '../core/criticality.js';
import {
  ConcurrencyLimit,
  ConcurrencyLimiter,
  DEGRADING_THRESHOLDS,
  fixedLimit,
  Gate,
  OverloadAdvice,
  QueuePressure,
  QuotaEnforcement,
  type Refusal,
  type ThresholdOptions,
  Thresholds,
} from '../core/index.js';
import type { GuardOptions } from './guard-options.js';
import type { GuardedRequest } from './guarded-request.js';
import { Utilization } from './signals/utilization.js';

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
  const queuePressure = new QueuePressure({}, thresholds);
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
    queue,
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
