import { checkInteger } from '../../core/check.js';
import { Kernel } from '../kernel/kernel.js';
import { Faults } from './faults.js';
import { Network } from './network.js';
import { type Sample, Sampling } from './samples.js';
import { ClientGroup, SimulatedClient } from './simulated-client.js';
import { SimulatedService } from './simulated-service.js';
import { type FleetInput, type FleetSpec, fleetSchema } from './spec/index.js';
import { Streams } from './streams.js';
import { Traffic } from './traffic.js';
import type { World } from './world.js';

export interface FleetOptions {
  /** The same one gives the same run. */
  readonly seed: number;
  /** How long the stretches of time are for which figures show one point. */
  readonly sampleMs?: number;
  /** Told how far the run is, from 0 to 1. */
  readonly onProgress?: (share: number, events: number) => void;
}

/** After its deadline a request is over; the last messages about it are under way for less than this. */
const AFTERMATH_MS = 1_000;

/** Clients, services and everything between them, for one run. */
export class Fleet implements World {
  readonly kernel = new Kernel();
  readonly spec: FleetSpec;
  readonly streams: Streams;
  readonly network: Network;
  readonly services: readonly SimulatedService[];
  readonly groups: readonly ClientGroup[];
  readonly clients: readonly SimulatedClient[];
  readonly faults: Faults;
  readonly #options: FleetOptions;
  readonly #sampling: Sampling;

  constructor(input: FleetInput, options: FleetOptions) {
    const spec = fleetSchema.parse(input);
    this.spec = spec;
    this.#options = options;
    this.streams = new Streams(checkInteger('seed', options.seed, 0, 0xffff_ffff));
    this.network = new Network(spec.network, this.streams.next());
    this.services = Object.entries(spec.services).map(
      ([name, service]) => new SimulatedService(name, service, this),
    );
    this.groups = Object.entries(spec.clients).map(([name, client]) => {
      const traffic = new Traffic();
      traffic.sinceMs = spec.warmupMs;
      return new ClientGroup(name, client, this.service(client.service), traffic);
    });
    for (const service of this.services) service.start(this);
    this.clients = this.groups.flatMap((group) =>
      Array.from({ length: group.spec.count }, (_, clientId) => new SimulatedClient(this, group, clientId)),
    );
    this.faults = new Faults(this, spec.faults);
    // At least one stretch, however short the run.
    const sampleMs = Math.min(options.sampleMs ?? 1_000, spec.durationMs);
    this.#sampling = new Sampling(this, sampleMs, this.services, this.groups);
  }

  service(name: string): SimulatedService {
    const found = this.services.find((service) => service.name === name);
    if (found === undefined) throw new RangeError(`there is no service "${name}"`);
    return found;
  }

  group(name: string): ClientGroup {
    const found = this.groups.find((group) => group.name === name);
    if (found === undefined) throw new RangeError(`there is no group of clients "${name}"`);
    return found;
  }

  /** One for each stretch of the measured time. */
  get samples(): readonly Sample[] {
    return this.#sampling.samples;
  }

  /** Warm-up, the time that is measured, and until the last request has ended. */
  run(): this {
    const { warmupMs, durationMs } = this.spec;
    const endMs = warmupMs + durationMs;
    for (const group of this.groups) group.untilMs = endMs;
    for (const client of this.clients) client.start();
    for (const { exchange } of this.services) exchange?.start();
    this.#runUntil(warmupMs, endMs);
    const tallies = this.services.flatMap(({ backends }) => backends.map(({ tally }) => tally));
    for (const tally of tallies) tally.reset();
    this.#sampling.start();
    this.#runUntil(endMs, endMs);
    this.kernel.cancel(this.#sampling);
    for (const tally of tallies) tally.isCounting = false;
    const longestMs = Math.max(0, ...this.groups.map(({ spec }) => spec.deadlineMs));
    this.#runUntil(endMs + longestMs + AFTERMATH_MS, endMs);
    this.#options.onProgress?.(1, this.kernel.events);
    return this;
  }

  #runUntil(timeMs: number, endMs: number): void {
    const { onProgress } = this.#options;
    if (onProgress === undefined) this.kernel.runUntil(timeMs);
    else this.kernel.runUntil(timeMs, (now, events) => onProgress(Math.min(1, now / endMs), events));
  }
}
