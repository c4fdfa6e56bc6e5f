import { type Attributes, createNoopMeter, metrics } from '@opentelemetry/api';
import type { RuleStats } from './rule-stats.js';

/** What is told besides what rules were hit. */
export interface ServiceTotals {
  readonly stats: RuleStats;
  readonly store: { readonly failed: number; readonly late: number };
  /** Answers that would have been refusals without the shadow over all. */
  readonly shadowed: number;
  readonly loads: { readonly ok: number; readonly failed: number };
}

/** Metrics by OpenTelemetry from now on, until the returned function is called. Free when nobody collects. */
export function observeService(totals: ServiceTotals): () => void {
  const meter = metrics.getMeterProvider().getMeter('plimsoll');
  if (meter === createNoopMeter()) return () => {};
  const hits = meter.createObservableCounter('plimsoll.ratelimit_service.hits', {
    description:
      'Hits by rule: all of them, those near the limit, over it, over it in shadow, and without the store',
    unit: '{hit}',
  });
  const failures = meter.createObservableCounter('plimsoll.ratelimit_service.store.failures', {
    description: 'Calls of the store that failed, or were not answered in time',
    unit: '{call}',
  });
  const shadowed = meter.createObservableCounter('plimsoll.ratelimit_service.shadowed', {
    description: 'Calls that only the shadow over all let pass',
    unit: '{call}',
  });
  const loads = meter.createObservableCounter('plimsoll.ratelimit_service.loads', {
    description: 'Files of rules that were read since the start, and whether they hold',
    unit: '{load}',
  });
  const instruments = [hits, failures, shadowed, loads];
  const observe = (result: {
    observe(metric: (typeof instruments)[number], value: number, attributes?: Attributes): void;
  }) => {
    for (const { label: rule, total, near, over, shadow, undecided } of totals.stats.snapshot()) {
      result.observe(hits, total, { rule, kind: 'total' });
      result.observe(hits, near, { rule, kind: 'near_limit' });
      result.observe(hits, over, { rule, kind: 'over_limit' });
      result.observe(hits, shadow, { rule, kind: 'shadow_mode' });
      result.observe(hits, undecided, { rule, kind: 'undecided' });
    }
    result.observe(failures, totals.store.failed, { kind: 'failed' });
    result.observe(failures, totals.store.late, { kind: 'late' });
    result.observe(shadowed, totals.shadowed);
    result.observe(loads, totals.loads.ok, { outcome: 'ok' });
    result.observe(loads, totals.loads.failed, { outcome: 'failed' });
  };
  meter.addBatchObservableCallback(observe, instruments);
  return () => meter.removeBatchObservableCallback(observe, instruments);
}
