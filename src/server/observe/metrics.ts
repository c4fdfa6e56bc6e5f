import type { Attributes, Meter } from '@opentelemetry/api';
import { CRITICALITIES } from '../../core/index.js';
import { REFUSAL_REASONS } from './recent-refusals.js';
import type { GuardSnapshot } from './snapshot.js';
import type { Counts } from './tally.js';

/** What metrics are read from. */
export interface MetricSource {
  snapshot(): GuardSnapshot;
}

/**
 * Registers the guard's metrics. They are observed: read from what is counted anyway when somebody collects, so that a
 * request pays nothing for them. Labels are bounded: four criticalities, six reasons, and the first 200 routes and
 * customers (see LabelTable).
 */
export function registerMetrics(meter: Meter, source: MetricSource): () => void {
  const requests = meter.createObservableCounter('plimsoll.server.requests', {
    description: 'Requests by criticality and what became of them',
    unit: '{request}',
  });
  const byRoute = meter.createObservableCounter('plimsoll.server.route.requests', {
    description: 'Requests by route and what became of them',
    unit: '{request}',
  });
  const byCustomer = meter.createObservableCounter('plimsoll.server.customer.requests', {
    description: 'Requests by customer and what became of them',
    unit: '{request}',
  });
  const refusals = meter.createObservableCounter('plimsoll.server.refusals', {
    description: 'Refused requests by criticality and reason',
    unit: '{request}',
  });
  const gauges = meter.createObservableGauge('plimsoll.server.load', {
    description: 'In flight, waiting, running, concurrency limit, connections',
  });
  const utilization = meter.createObservableGauge('plimsoll.server.utilization', {
    description: 'Each signal against its target; 1 = at target',
    unit: '1',
  });
  const cpu = meter.createObservableCounter('plimsoll.server.cpu.time', {
    description: 'CPU time of requests and of everything else',
    unit: 's',
  });
  const instruments = [requests, byRoute, byCustomer, refusals, gauges, utilization, cpu];
  const observe = (result: {
    observe(metric: (typeof instruments)[number], value: number, attributes: Attributes): void;
  }) => {
    const snapshot = source.snapshot();
    for (const criticality of CRITICALITIES) {
      observeCounts(result, requests, snapshot.counts[criticality], { criticality });
      for (const reason of REFUSAL_REASONS)
        result.observe(refusals, snapshot.refusals[criticality][reason], { criticality, reason });
    }
    for (const [route, counts] of Object.entries(snapshot.routes))
      observeCounts(result, byRoute, counts, { route });
    for (const [customer, counts] of Object.entries(snapshot.customers))
      observeCounts(result, byCustomer, counts, { customer });
    for (const [kind, value] of Object.entries({
      'in-flight': snapshot.inFlight,
      waiting: snapshot.waiting,
      running: snapshot.gate.running,
      'concurrency-limit': snapshot.gate.limit,
      connections: snapshot.connections,
    }))
      result.observe(gauges, value, { kind });
    for (const { name, utilization: value } of snapshot.utilization.signals)
      result.observe(utilization, value, { signal: name });
    const { requestsMs, overheadMs } = snapshot.cpu.total;
    result.observe(cpu, requestsMs / 1_000, { account: 'requests' });
    result.observe(cpu, overheadMs / 1_000, { account: 'overhead' });
  };
  meter.addBatchObservableCallback(observe, instruments);
  return () => meter.removeBatchObservableCallback(observe, instruments);
}

const OUTCOMES = ['ended', 'failed', 'degraded', 'refused', 'left'] as const;

function observeCounts<M>(
  result: { observe(metric: M, value: number, attributes: Attributes): void },
  metric: M,
  counts: Counts,
  attributes: Attributes,
): void {
  for (const outcome of OUTCOMES) result.observe(metric, counts[outcome], { ...attributes, outcome });
}
