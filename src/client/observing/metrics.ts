import type { Attributes, Meter } from '@opentelemetry/api';
import type { ClientCounts } from './client-tally.js';

/** What of a client is observed. Who knows only a part of it says that. */
export interface ClientReadings {
  readonly service: string;
  /** Where there may be a client of the same name that speaks another. */
  readonly protocol?: 'grpc';
  readonly counts?: Pick<ClientCounts, 'requests' | 'outcomes' | 'attempts' | 'rejected'>;
  /** Backends in use, by state. */
  readonly states?: Readonly<Record<string, number>>;
  readonly active?: number;
  readonly waiting?: number;
}

/**
 * Registers a client's metrics. They are observed: read from what is counted anyway when somebody collects. Labels are
 * few: the service, criticalities, outcomes, codes, states.
 */
export function registerMetrics(
  meter: Meter,
  read: () => ClientReadings | readonly ClientReadings[],
): () => void {
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
    for (const { service, protocol, counts, states, active: underWay, waiting } of [read()].flat()) {
      const labels = protocol === undefined ? { service } : { service, protocol };
      const each = (
        metric: (typeof instruments)[number],
        label: string,
        values: Readonly<Record<string, number | undefined>> | undefined,
      ) => {
        for (const [name, value] of Object.entries(values ?? {}))
          if (value !== undefined) result.observe(metric, value, { ...labels, [label]: name });
      };
      each(requests, 'criticality', counts?.requests);
      each(attempts, 'outcome', counts?.outcomes);
      each(resends, 'number', Object.fromEntries(counts?.attempts.map((count, at) => [at + 1, count]) ?? []));
      each(rejected, 'code', counts?.rejected);
      each(backends, 'state', states);
      each(active, 'kind', { active: underWay, waiting });
    }
  };
  meter.addBatchObservableCallback(observe, instruments);
  return () => meter.removeBatchObservableCallback(observe, instruments);
}
