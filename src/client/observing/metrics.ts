import type { Attributes, Meter } from '@opentelemetry/api';
import type { ClientSnapshot } from './snapshot.js';

/**
 * Registers a client's metrics. They are observed: read from what is counted anyway when somebody collects. Labels are
 * few: the service, criticalities, outcomes, codes, states.
 */
export function registerMetrics(meter: Meter, snapshot: () => ClientSnapshot): () => void {
  const requests = meter.createObservableCounter('plimsoll.client.requests', {
    description: 'Requests by criticality',
    unit: '{request}',
  });
  const attempts = meter.createObservableCounter('plimsoll.client.attempts', {
    description: 'Attempts by how they ended',
    unit: '{attempt}',
  });
  const resends = meter.createObservableCounter('plimsoll.client.attempts.by_number', {
    description: 'Attempts by number: 1 = the first of its request',
    unit: '{attempt}',
  });
  const rejected = meter.createObservableCounter('plimsoll.client.rejected', {
    description: 'Requests that the client did not send, or not again, by code',
    unit: '{request}',
  });
  const backends = meter.createObservableGauge('plimsoll.client.backends', {
    description: 'Backends in use, by state',
    unit: '{backend}',
  });
  const active = meter.createObservableGauge('plimsoll.client.active', {
    description: 'Requests sent and not over, and requests that wait for a backend',
    unit: '{request}',
  });
  const instruments = [requests, attempts, resends, rejected, backends, active];
  const observe = (result: {
    observe(metric: (typeof instruments)[number], value: number, attributes: Attributes): void;
  }) => {
    const now = snapshot();
    const { service } = now;
    const each = (
      metric: (typeof instruments)[number],
      label: string,
      counts: Readonly<Record<string, number>>,
    ) => {
      for (const [name, count] of Object.entries(counts))
        result.observe(metric, count, { service, [label]: name });
    };
    each(requests, 'criticality', now.counts.requests);
    each(attempts, 'outcome', now.counts.outcomes);
    each(resends, 'number', Object.fromEntries(now.counts.attempts.map((count, at) => [at + 1, count])));
    each(rejected, 'code', now.counts.rejected);
    each(backends, 'state', now.states);
    result.observe(active, now.active, { service, kind: 'active' });
    result.observe(active, now.waiting, { service, kind: 'waiting' });
  };
  meter.addBatchObservableCallback(observe, instruments);
  return () => meter.removeBatchObservableCallback(observe, instruments);
}
