import type { GatewaySettings, ServiceSettings } from '../settings/index.js';

/** One of so many, from 0 without gaps: whoever takes the place of one that died has its number. */
export interface WorkerPlace {
  readonly slot: number;
  readonly workers: number;
}

/**
 * Settings for one of several workers. What they say of the gateway as a whole, in requests, connections or a share of
 * something, is divided: connections come to workers in turn, and so does the work. Limits and quotas are not: they are
 * counted together. Nor is what is a proportion (retries, throttling), or a bound on what one client does to one
 * backend: each worker is a client.
 */
export function settingsForWorker(settings: GatewaySettings, place: WorkerPlace): GatewaySettings {
  const share = (whole: number) => Math.ceil(whole / place.workers);
  const { overload, queue, routes, services } = settings;
  return {
    ...settings,
    overload: {
      ...overload,
      concurrency: shareOf(overload.concurrency, share),
      maxConnections: share(overload.maxConnections),
    },
    queue: { ...queue, concurrency: share(queue.concurrency) },
    routes: routes.map((route) => {
      if (route.batch === false) return route;
      const { mostPerSecond, maxUnderWay, maxWaiting } = route.batch;
      const batch = {
        ...route.batch,
        mostPerSecond: mostPerSecond / place.workers,
        maxUnderWay: share(maxUnderWay),
        maxWaiting: share(maxWaiting),
      };
      return { ...route, batch };
    }),
    services: Object.fromEntries(
      Object.entries(services).map(([name, service]) => [name, serviceOf(service, place, share)]),
    ),
  };
}

function serviceOf(
  service: ServiceSettings,
  place: WorkerPlace,
  share: (whole: number) => number,
): ServiceSettings {
  const { subset, localities, concurrency } = service;
  return {
    ...service,
    ...(concurrency === undefined ? {} : { concurrency: shareOf(concurrency, share) }),
    ...(localities === undefined
      ? {}
      : { localities: { ...localities, capacityShare: localities.capacityShare / place.workers } }),
    // Each worker is a client: those of all gateways are numbered without gaps.
    ...(subset === 'all' || subset.clientId === undefined
      ? {}
      : { subset: { ...subset, clientId: clientIdAt(subset.clientId, place) } }),
  };
}

/** The number of a worker among those of all gateways, by the number of its gateway. */
export function clientIdAt(gateway: number, { slot, workers }: WorkerPlace): number {
  return gateway * workers + slot;
}

/** What is found out by itself (`adaptive`) is found out by each. */
function shareOf<T>(whole: T, share: (whole: number) => number): T {
  return typeof whole === 'number' ? (share(whole) as T) : whole;
}
