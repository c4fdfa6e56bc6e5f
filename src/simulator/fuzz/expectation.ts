import { type Fleet, type LinkSpec, limitsOf, type QuotaSpec } from '../fleet/index.js';
import type { ServiceLink } from '../fleet/service-link.js';
import type { SimulatedBackend } from '../fleet/simulated-backend.js';
import type { ClientGroup, SimulatedClient } from '../fleet/simulated-client.js';
import type { SimulatedService } from '../fleet/simulated-service.js';
import { createDistribution } from '../models/index.js';

/** Up to here a queue is short, whatever costs vary. */
const MOST_UTILIZATION = 0.5;
/** Of a number that may be in flight, so much on average. */
const MOST_FILLED = 0.4;
/** So many times what a request takes on average, with all its waits: hardly any is later. */
const LEAST_DEADLINES = 12;
/** Of what each customer may use, all of them together use so much. */
const MOST_OF_QUOTA = 0.2;
/** A client whose demand is drawn may have drawn so many times the mean, or one part in so many. */
const MOST_DEMAND = 3;

interface Use {
  readonly link: ServiceLink;
  readonly spec: LinkSpec;
  /** At each backend, at the most. */
  readonly perSecond: number;
}

/**
 * What can be expected of a fleet in which nothing is wrong: how many requests each backend gets if every client divides
 * its own evenly, and whether there is room for them everywhere.
 */
export class Expectation {
  readonly isCalm: boolean;
  readonly #fleet: Fleet;
  readonly #most = new Map<SimulatedBackend, number>();
  readonly #least = new Map<SimulatedBackend, number>();
  readonly #uses: Use[] = [];

  constructor(fleet: Fleet) {
    this.#fleet = fleet;
    for (const client of fleet.clients) this.#addClient(client);
    // Callers are listed before whom they call.
    for (const { backends, spec } of fleet.services) {
      for (const backend of backends) {
        for (const [at, link] of backend.process.calls.entries()) {
          const [most, least] = [this.#mostAt(backend), this.perSecond(backend)];
          this.#addLink(link, spec.calls[at]!, most * link.times, least * link.times);
        }
      }
    }
    this.isCalm =
      fleet.services.every((service) => this.#hasRoom(service)) &&
      this.#uses.every((use) => this.#isBelowLimit(use)) &&
      fleet.clients.every((client) => this.#hasTime(client));
  }

  /** Requests a second at a backend, at the least. */
  perSecond(backend: SimulatedBackend): number {
    return this.#least.get(backend) ?? 0;
  }

  /** The part of all requests that fails because handlers do, or messages get lost. */
  get failureShare(): number {
    return failureShareOf(this.#fleet, this.#fleet.service('front'));
  }

  /** How long the requests of a client take on average, at the most. */
  takesMs({ service }: ClientGroup): number {
    return this.#takesMs(service);
  }

  /** Requests a second that a service can do, whatever else. */
  capacity(service: SimulatedService): number {
    const cores = service.backends.reduce((sum, { group }) => sum + group.speed * group.cores, 0);
    return (cores * 1_000) / meanCostMs(service);
  }

  #mostAt(backend: SimulatedBackend): number {
    return this.#most.get(backend) ?? 0;
  }

  #addClient({ group, door }: SimulatedClient): void {
    const { spec } = group;
    const perSecond = perSecondOf(spec.arrivals);
    const variation = spec.demand === 1 ? 1 : MOST_DEMAND;
    // Of several localities each may get all of it, or nothing.
    const least = spec.localities === undefined ? perSecond / variation : 0;
    for (const link of door.links) this.#addLink(link, spec, perSecond * variation, least);
  }

  #addLink(link: ServiceLink, spec: LinkSpec, most: number, least: number): void {
    const members = [...link.roster.members()];
    for (const { key } of members) {
      const backend = link.service.backend(key);
      this.#most.set(backend, this.#mostAt(backend) + most / members.length);
      this.#least.set(backend, this.perSecond(backend) + least / members.length);
    }
    this.#uses.push({ link, spec, perSecond: most / members.length });
  }

  #hasRoom(service: SimulatedService): boolean {
    const { guard, quota } = service.spec;
    const fixed = guard && guard.concurrency !== 'adaptive' ? guard.concurrency : Number.POSITIVE_INFINITY;
    const takesMs = this.#takesMs(service);
    let cpuSeconds = 0;
    for (const backend of service.backends) {
      const perSecond = this.#mostAt(backend);
      if (backend.group.failsFastShare > 0 || this.#utilization(backend) > MOST_UTILIZATION) return false;
      if ((perSecond * takesMs) / 1_000 > MOST_FILLED * fixed) return false;
      cpuSeconds += this.#utilization(backend) * backend.group.cores;
    }
    return cpuSeconds <= MOST_OF_QUOTA * (quota === undefined ? Number.POSITIVE_INFINITY : leastOf(quota));
  }

  #isBelowLimit({ link, spec, perSecond }: Use): boolean {
    return (perSecond * this.#takesMs(link.service)) / 1_000 <= MOST_FILLED * spec.activeLimit;
  }

  #hasTime({ group, door }: SimulatedClient): boolean {
    const { spec, service } = group;
    if (spec.deadlineMs < LEAST_DEADLINES * this.#takesMs(service)) return false;
    if (spec.localities === undefined) return true;
    const perSecond = perSecondOf(spec.arrivals) * (spec.demand === 1 ? 1 : MOST_DEMAND);
    // In any second, so that chance counts.
    const wanted = perSecond + 5 * Math.sqrt(perSecond) + 2;
    return door.links.every((link) => {
      const backends = [...link.roster.members()].length;
      return (spec.localities!.capacityPerBackend * backends) / spec.count >= wanted;
    });
  }

  /** 1 = all the cores reserved for it. */
  #utilization(backend: SimulatedBackend): number {
    const { speed, cores, neighbours } = backend.group;
    const slowdown = createDistribution(neighbours?.slowdown ?? 1).mean;
    return (this.#mostAt(backend) * meanCostMs(backend.service) * slowdown) / speed / cores / 1_000;
  }

  /** A request at its slowest backend, with the calls that it makes. */
  #takesMs(service: SimulatedService): number {
    const runMs = service.backends.map((backend) => {
      const { speed, cores } = backend.group;
      const aloneMs = meanCostMs(service) / speed / Math.min(1, cores);
      return aloneMs / Math.max(0.01, 1 - this.#utilization(backend));
    });
    const waitMs = meanOf(service.kinds.map(({ wait }) => wait.mean));
    const { pauses, calls } = service.spec;
    const pauseMs = pauses === undefined ? 0 : createDistribution(pauses.forMs).mean / 2;
    const callsMs = calls.map((call) => call.times * this.#takesMs(this.#fleet.service(call.service)));
    const { delayMs, betweenLocalitiesMs } = this.#fleet.spec.network;
    const roundTripMs = 2 * (createDistribution(delayMs).mean + betweenLocalitiesMs);
    return Math.max(...runMs) + waitMs + pauseMs + roundTripMs + callsMs.reduce((sum, ms) => sum + ms, 0);
  }
}

function failureShareOf(fleet: Fleet, { kinds, spec }: SimulatedService): number {
  const own = meanOf(kinds.map(({ failureShare }) => failureShare)) + 2 * fleet.spec.network.lossShare;
  return spec.calls.reduce(
    (sum, { service, times }) => sum + times * failureShareOf(fleet, fleet.service(service)),
    own,
  );
}

function meanCostMs({ kinds }: SimulatedService): number {
  return meanOf(kinds.map(({ cost }) => cost.mean));
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The smallest step of any limit. */
function leastOf(quota: QuotaSpec): number {
  const { customers = [], everyoneElse } = limitsOf(quota);
  const steps = [...customers, everyoneElse].flatMap(({ perSecond, upTo }) => [
    perSecond,
    ...Object.values(upTo ?? {}),
  ]);
  return Math.min(...steps);
}

function perSecondOf(arrivals: SimulatedClient['group']['spec']['arrivals']): number {
  return typeof arrivals === 'number' ? arrivals : arrivals.perSecond;
}
