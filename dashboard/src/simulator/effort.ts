import type { FleetSpec } from '../../../src/simulator/fleet/index.js';
import type { Effort } from './protocol.js';

/**
 * Of one simulated request, on a core of a small cloud machine: 4 µs in a fleet of ten, 16 µs in one of a thousand
 * (docs/simulator.md). It grows with what does not fit into the caches any more, by about as much each time the fleet
 * is ten times as large.
 */
const LEAST_MICROSECONDS = 4;
const MICROSECONDS_A_DECADE = 6;

/** A client with 20 backends takes some 70 kB, so these are about a gigabyte: what a browser's worker can be expected to have. */
export const MOST_LINKS = 300_000;

/** What a fleet takes, about: requests with all that they call, and who knows whom. */
export function effortOf(spec: FleetSpec, runs = 1): Effort {
  const seconds = (spec.warmupMs + spec.durationMs) / 1_000;
  const requests = Object.values(spec.clients).reduce(
    (sum, client) =>
      sum + client.count * requestsOf(client.arrivals, seconds) * (1 + callsOf(spec, client.service)),
    0,
  );
  const processes =
    Object.values(spec.services).reduce((sum, { backends }) => sum + countOf(backends), 0) +
    Object.values(spec.clients).reduce((sum, { count }) => sum + count, 0);
  const decades = Math.max(0, Math.log10(processes / 20));
  const microseconds = LEAST_MICROSECONDS + MICROSECONDS_A_DECADE * decades;
  return {
    requests: requests * runs,
    links: linksOf(spec),
    seconds: (requests * runs * microseconds) / 1e6,
  };
}

type Services = FleetSpec['services'];
type Arrivals = FleetSpec['clients'][string]['arrivals'];

/** Steps and tides are left out: this is about how long to wait, not how long exactly. */
function requestsOf(arrivals: Arrivals, seconds: number): number {
  if (typeof arrivals === 'number') return arrivals * seconds;
  const extra = (arrivals.spikes ?? []).reduce(
    (sum, { forMs, factor }) => sum + (Math.max(0, factor - 1) * Math.min(forMs, seconds * 1_000)) / 1_000,
    0,
  );
  return arrivals.perSecond * (seconds + extra);
}

/** Requests to other services that one request to this one leads to. No service calls itself: this ends. */
function callsOf(spec: FleetSpec, service: string): number {
  return spec.services[service]!.calls.reduce(
    (sum, call) => sum + call.times * (1 + callsOf(spec, call.service)),
    0,
  );
}

function linksOf({ clients, services }: FleetSpec): number {
  const linked = (count: number, to: string, size: number | undefined) => {
    const backends = countOf(services[to]!.backends);
    return count * Math.min(backends, size ?? backends);
  };
  const ofClients = Object.values(clients).map(({ count, service, subset }) =>
    linked(count, service, subset?.size),
  );
  const ofServices = Object.values(services).flatMap(({ backends, calls }) =>
    calls.map(({ service, subset }) => linked(countOf(backends), service, subset?.size)),
  );
  return [...ofClients, ...ofServices].reduce((sum, links) => sum + links, 0);
}

function countOf(backends: Services[string]['backends']): number {
  return typeof backends === 'number' ? backends : backends.reduce((sum, { count }) => sum + count, 0);
}
