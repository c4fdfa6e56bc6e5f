import { Event } from '../kernel/event.js';
import { REQUEST_ENDS, type RequestEnd } from './request.js';
import type { ClientGroup } from './simulated-client.js';
import type { SimulatedService } from './simulated-service.js';
import type { World } from './world.js';

/** What happened in one stretch of time. */
export interface GroupSample {
  readonly offered: number;
  readonly retries: number;
  readonly ends: Readonly<Record<RequestEnd, number>>;
  /** Of those that ended in it; null when there were none. */
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
}

/** How a service stands at one moment. */
export interface ServiceSample {
  /** For each backend, 1 = all the cores reserved for it. */
  readonly cpu: Float64Array;
  /** For each backend, requests that it holds at the end of the stretch. */
  readonly inFlight: Uint32Array;
  /** For each backend, requests that may run at once at the end of the stretch. */
  readonly limit: Float64Array;
  /** For each backend, attempts that it was sent and took in or refused. */
  readonly arrivals: Uint32Array;
  /** How many backends clients can see ready at the end of the stretch. */
  readonly ready: number;
}

/** How a fleet stands at one moment. */
export interface Sample {
  readonly fromMs: number;
  /** When the stretch ended. */
  readonly timeMs: number;
  readonly groups: Readonly<Record<string, GroupSample>>;
  readonly services: Readonly<Record<string, ServiceSample>>;
}

/** Looks at the whole fleet at even intervals, from an instant on. */
export class Sampling extends Event {
  readonly samples: Sample[] = [];
  readonly #world: World;
  readonly #everyMs: number;
  readonly #services: readonly SimulatedService[];
  readonly #groups: readonly ClientGroup[];
  readonly #usedMs: readonly Float64Array[];
  readonly #arrived: readonly Float64Array[];
  #counted: (readonly number[])[];

  constructor(
    world: World,
    everyMs: number,
    services: readonly SimulatedService[],
    groups: readonly ClientGroup[],
  ) {
    super();
    this.#world = world;
    this.#everyMs = everyMs;
    this.#services = services;
    this.#groups = groups;
    this.#usedMs = services.map(({ backends }) => new Float64Array(backends.length));
    this.#arrived = services.map(({ backends }) => new Float64Array(backends.length));
    this.#counted = groups.map(countsOf);
  }

  /** The first stretch begins now. */
  start(): void {
    for (const [at, { backends }] of this.#services.entries()) {
      for (const [index, { machine, tally }] of backends.entries()) {
        this.#usedMs[at]![index] = machine.processor.usedMs();
        this.#arrived[at]![index] = tally.arrivals;
      }
    }
    this.#counted = this.#groups.map(countsOf);
    for (const { traffic } of this.#groups) traffic.takeRecent([]);
    this.#world.kernel.after(this.#everyMs, this);
  }

  happen(now: number): void {
    const groups = this.#groups.map((group, at) => [group.name, this.#sampleGroup(group, at)] as const);
    const services = this.#services.map(
      (service, at) => [service.name, this.#sampleService(service, at)] as const,
    );
    this.samples.push({
      fromMs: now - this.#everyMs,
      timeMs: now,
      groups: Object.fromEntries(groups),
      services: Object.fromEntries(services),
    });
    this.#world.kernel.after(this.#everyMs, this);
  }

  #sampleGroup(group: ClientGroup, at: number): GroupSample {
    const before = this.#counted[at]!;
    const counts = countsOf(group);
    const [offered, retries, ...ends] = counts.map((count, index) => count - before[index]!);
    this.#counted[at] = counts;
    const [p50Ms, p99Ms] = group.traffic.takeRecent([0.5, 0.99]);
    const named = REQUEST_ENDS.map((end, index) => [end, ends[index]!] as const);
    return {
      offered: offered!,
      retries: retries!,
      ends: Object.fromEntries(named) as Record<RequestEnd, number>,
      p50Ms: p50Ms!,
      p99Ms: p99Ms!,
    };
  }

  #sampleService({ backends }: SimulatedService, at: number): ServiceSample {
    const before = this.#usedMs[at]!;
    const arrived = this.#arrived[at]!;
    const cpu = new Float64Array(backends.length);
    const inFlight = new Uint32Array(backends.length);
    const limit = new Float64Array(backends.length);
    const arrivals = new Uint32Array(backends.length);
    let ready = 0;
    for (const [index, { machine, group, process, tally, connection }] of backends.entries()) {
      const usedMs = machine.processor.usedMs();
      cpu[index] = (usedMs - before[index]!) / this.#everyMs / group.cores;
      before[index] = usedMs;
      inFlight[index] = process.activeCount;
      limit[index] = process.guard.limiter.limit;
      arrivals[index] = tally.arrivals - arrived[index]!;
      arrived[index] = tally.arrivals;
      if (connection === 'ready') ready++;
    }
    return { cpu, inFlight, limit, arrivals, ready };
  }
}

function countsOf({ traffic }: ClientGroup): number[] {
  const { offered, retries, ends } = traffic.all;
  return [offered, retries, ...REQUEST_ENDS.map((end) => ends[end])];
}
