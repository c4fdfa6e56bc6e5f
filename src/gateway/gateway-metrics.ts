import { type Attributes, createNoopMeter, type Meter, metrics } from '@opentelemetry/api';
import { BATCH_GAUGES, batchReadings } from './batch-metrics.js';
import type { RouteCounts } from './live-route.js';
import type { GatewaySnapshot, RouteSnapshot } from './snapshot.js';

/** What metrics are read from. */
export interface GatewayMetricSource {
  snapshot(): GatewaySnapshot;
}

/** As many names as a metrics system should be given for one label; all further ones share one. */
const MOST_ROUTES = 200;
const OTHER = '(other)';

/** To whichever provider is registered, until the returned function is called. Free when nobody collects. */
export function observeGateway(source: GatewayMetricSource): () => void {
  const meter = metrics.getMeterProvider().getMeter('plimsoll');
  return meter === createNoopMeter() ? () => {} : registerGatewayMetrics(meter, source);
}

/** What only a gateway knows; its guard, clients, limits and quotas have metrics of their own. */
export function registerGatewayMetrics(meter: Meter, source: GatewayMetricSource): () => void {
  const counter = (name: string, description: string, unit: string) =>
    meter.createObservableCounter(`plimsoll.gateway.${name}`, { description, unit });
  const gauge = (name: string, description: string) =>
    meter.createObservableGauge(`plimsoll.gateway.${name}`, { description });
  const requests = counter('route.requests', 'Requests that took a route', '{request}');
  const refused = counter('route.refused', 'Requests that a route did not send on, by reason', '{request}');
  const stale = counter('route.stale', 'Requests answered from a stale copy', '{request}');
  const unrouted = counter('unrouted', 'Requests that no route was for', '{request}');
  const closed = counter('connections.refused', 'Connections closed as they came', '{connection}');
  const reloads = counter('reloads', 'Settings that came to hold, and those that did not', '{reload}');
  const ready = gauge('ready', '1 while new requests should come here');
  const batch = gauge('batch', BATCH_GAUGES);
  const batched = counter('batch.requests', 'Requests of batches by what became of them', '{request}');
  const queue = counter('queue.requests', 'Requests over a limit by what became of them', '{request}');
  const waiting = gauge('queue.waiting', 'Requests over a limit that wait for their turn');
  const ofRoutes = [requests, refused, stale, unrouted];
  const instruments = [...ofRoutes, closed, reloads, ready, batch, batched, queue, waiting];
  const observe = (result: {
    observe(metric: (typeof instruments)[number], value: number, attributes?: Attributes): void;
  }) => {
    const now = source.snapshot();
    for (const [route, counts] of routesOf(now.routes)) {
      result.observe(requests, counts.requests, { route });
      result.observe(refused, counts.limited, { route, reason: 'limited' });
      result.observe(refused, counts.unknown, { route, reason: 'unknown' });
      result.observe(refused, counts.unverified, { route, reason: 'unverified' });
      result.observe(stale, counts.staleServed, { route });
    }
    for (const { route, gauges, counts } of batchReadings(now.routes, MOST_ROUTES)) {
      for (const [kind, value] of gauges) result.observe(batch, value, { route, kind });
      for (const [outcome, count] of counts) result.observe(batched, count, { route, outcome });
    }
    result.observe(unrouted, now.unrouted);
    result.observe(closed, now.refusedConnections);
    result.observe(reloads, now.reloads, { outcome: 'ok' });
    result.observe(reloads, now.failedReloads, { outcome: 'failed' });
    result.observe(ready, now.state === 'ready' ? 1 : 0);
    if (now.queue === undefined) return;
    const { accepted, refused: turnedAway, performed, deadLetters, rescheduled } = now.queue;
    const outcomes = { accepted, refused: turnedAway, performed, dead: deadLetters, rescheduled };
    for (const [outcome, count] of Object.entries(outcomes)) result.observe(queue, count, { outcome });
    result.observe(waiting, now.queue.waiting);
  };
  meter.addBatchObservableCallback(observe, instruments);
  return () => meter.removeBatchObservableCallback(observe, instruments);
}

type Counts = Readonly<Pick<RouteCounts, 'requests' | 'limited' | 'unknown' | 'unverified' | 'staleServed'>>;

/** The first ones by name, all further ones together. */
export function routesOf(routes: Readonly<Record<string, RouteSnapshot>>): Map<string, Counts> {
  const all = new Map<string, Counts>();
  for (const [name, counts] of Object.entries(routes)) {
    const route = all.size < MOST_ROUTES ? name : OTHER;
    const known = all.get(route);
    all.set(route, known === undefined ? counts : sum(known, counts));
  }
  return all;
}

function sum(a: Counts, b: Counts): Counts {
  return {
    requests: a.requests + b.requests,
    limited: a.limited + b.limited,
    unknown: a.unknown + b.unknown,
    unverified: a.unverified + b.unverified,
    staleServed: a.staleServed + b.staleServed,
  };
}
