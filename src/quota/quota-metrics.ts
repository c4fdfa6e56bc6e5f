import { type Attributes, createNoopMeter, metrics } from '@opentelemetry/api';
import type { FleetCustomerSnapshot, MemberCustomerSnapshot } from '../core/index.js';
import { busiest } from './busiest.js';

/** What metrics are read from. */
export interface QuotaMetricSource {
  snapshot(): {
    readonly service: string;
    /** At this backend. None where nothing is served. */
    readonly customers?: readonly MemberCustomerSnapshot[];
    /** On all backends, as their coordinator knows it. */
    readonly fleet: { readonly customers: readonly FleetCustomerSnapshot[] } | undefined;
  };
}

/**
 * Metrics of this one from now on, until the returned function is called. They are read when somebody collects; free
 * when nobody does.
 */
export function observeQuota(
  source: QuotaMetricSource,
  meter = metrics.getMeterProvider().getMeter('plimsoll'),
): () => void {
  // Without OpenTelemetry one that nobody closes must not be kept alive by us.
  if (meter === createNoopMeter()) return () => {};
  const gauge = (name: string, description: string) =>
    meter.createObservableGauge(`plimsoll.quota.${name}`, { description });
  const limit = gauge('limit', 'What a customer may use on all backends together, in units a second');
  const use = gauge('use', 'What a customer uses, in units a second');
  const demand = gauge('demand', 'What a customer would use if nothing were refused, in units a second');
  const refused = gauge('refused', 'What is refused of it, in units a second');
  const level = gauge('level', 'What a customer may use on this backend as it is now, in units a second');
  const instruments = [limit, use, demand, refused, level];
  const observe = (result: {
    observe(metric: (typeof instruments)[number], value: number, attributes: Attributes): void;
  }) => {
    const { service, customers = [], fleet } = source.snapshot();
    const observeRates = (
      scope: string,
      all: readonly (MemberCustomerSnapshot | FleetCustomerSnapshot)[],
    ) => {
      for (const each of busiest(all)) {
        const { customer, limitPerSecond } = each;
        const attributes = { service, customer, scope };
        result.observe(use, each.usedPerSecond, attributes);
        result.observe(demand, each.demandPerSecond, attributes);
        result.observe(refused, each.refusedPerSecond, attributes);
        // The same wherever it is read. No limit is no number.
        if (Number.isFinite(limitPerSecond)) result.observe(limit, limitPerSecond, { service, customer });
      }
    };
    observeRates('backend', customers);
    if (fleet !== undefined) observeRates('fleet', fleet.customers);
    for (const { customer, ...here } of busiest(customers)) {
      const most = Math.min(here.level, here.hereLimitPerSecond);
      if (Number.isFinite(most)) result.observe(level, most, { service, customer });
    }
  };
  meter.addBatchObservableCallback(observe, instruments);
  return () => meter.removeBatchObservableCallback(observe, instruments);
}
