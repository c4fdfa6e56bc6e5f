import type { Criticality } from '../../core/criticality.js';
import { Timer } from '../kernel/timer.js';
import { Fleet } from './fleet.js';
import { type RequestEnd, type RequestOwner, SimulatedRequest } from './request.js';
import type { ServiceLink } from './service-link.js';
import type { SimulatedBackend } from './simulated-backend.js';
import type { FleetInput } from './spec/index.js';

type ServiceInput = FleetInput['services'][string];
type ClientInput = FleetInput['clients'][string];

/**
 * One client, one service, no chance: a request takes 2 × 1 ms on the wire and 10 ms of CPU, and nothing is retried,
 * throttled, ejected or asked for but by hand.
 */
export function small(service: Partial<ServiceInput> = {}, client: Partial<ClientInput> = {}): FleetInput {
  return {
    durationMs: 10_000,
    warmupMs: 0,
    network: { delayMs: 1 },
    services: { shop: { backends: 1, ...service } },
    clients: { users: { service: 'shop', arrivals: 0, ...PLAIN, ...client } },
  };
}

/** A link that does nothing of its own. */
export const PLAIN = {
  policy: 'round-robin',
  throttle: false,
  retry: { maxAttempts: 1 },
  ejects: false,
} as const;

/** `users` → `front` → `back`, one backend each. */
export function twoLayers(
  front: Partial<ServiceInput> = {},
  back: Partial<ServiceInput> = {},
  call: object = {},
): FleetInput {
  const fleet = small();
  return {
    ...fleet,
    services: {
      front: { backends: 1, calls: [{ service: 'back', ...PLAIN, ...call }], ...front },
      back: { backends: 1, ...back },
    },
    clients: { users: { ...fleet.clients['users']!, service: 'front' } },
  };
}

export interface Asked {
  readonly deadlineMs?: number;
  readonly isIdempotent?: boolean;
  readonly criticality?: Criticality;
  readonly customer?: string;
  readonly order?: number;
  /** Which of the clients. */
  readonly client?: number;
}

/** How one request ended, and when. */
export interface Ended {
  readonly end: RequestEnd;
  readonly atMs: number;
  readonly latencyMs: number;
  readonly retries: number;
}

/** A fleet whose requests are made one by one, at the instants that a test says. */
export class SmallFleet implements RequestOwner {
  readonly fleet: Fleet;
  readonly ends: Ended[] = [];
  readonly requests: SimulatedRequest[] = [];

  constructor(input: FleetInput, seed = 1, sampleMs = 1_000) {
    this.fleet = new Fleet(input, { seed, sampleMs });
    // Made when they are first looked at: before anything happens, so that whatever they schedule is there.
    for (const { backends } of this.fleet.services) for (const { process } of backends) process.report(0);
  }

  ask(atMs: number, asked: Asked = {}): this {
    return this.at(atMs, () => this.#start(asked, atMs));
  }

  at(atMs: number, action: (model: this) => void): this {
    this.fleet.kernel.at(atMs, new Timer(() => action(this)));
    return this;
  }

  run(untilMs: number): this {
    this.fleet.kernel.runUntil(untilMs);
    return this;
  }

  backend(index = 0, service = this.fleet.services[0]!.name): SimulatedBackend {
    return this.fleet.service(service).backends[index]!;
  }

  /** The first backend that was ever sent anything. */
  chosen(service = this.fleet.services[0]!.name): SimulatedBackend {
    return this.fleet.service(service).backends.find(({ tally }) => tally.arrivals > 0)!;
  }

  link(client = 0): ServiceLink {
    return this.fleet.clients[client]!.door.links[0]!;
  }

  onEnd({ startedMs, retries }: SimulatedRequest, end: RequestEnd, now: number): void {
    this.ends.push({ end, atMs: now, latencyMs: now - startedMs, retries });
  }

  #start(asked: Asked, now: number): void {
    const { deadlineMs = 1_000, isIdempotent = true, client = 0 } = asked;
    const { criticality = 'CRITICAL', customer = 'anyone', order = 0.5 } = asked;
    const { clock, door, group } = this.fleet.clients[client]!;
    const kind = group.service.kinds[0]!;
    const untilMs = clock.toLocal(now) + deadlineMs;
    const context = { criticality, customer, order };
    const request = new SimulatedRequest(this, kind, context, untilMs, isIdempotent, now);
    this.requests.push(request);
    door.start(request, now);
  }
}

/** What nobody may still hold once everything is over. */
export function heldBy({ fleet }: SmallFleet): Record<string, number> {
  const held = { roster: 0, waiting: 0, gate: 0, queue: 0, permits: 0, processor: 0, active: 0 };
  // With a process goes what it held.
  const processes = fleet.services
    .flatMap(({ backends }) => backends)
    .filter(({ lifecycle }) => lifecycle.stage !== 'down');
  const links = [
    ...fleet.clients.flatMap(({ door }) => door.links),
    ...processes.flatMap(({ process }) => process.calls),
  ];
  for (const link of links) {
    held.roster += link.activeCount;
    held.waiting += link.waitingCount;
  }
  for (const { process, machine } of processes) {
    held.gate += process.guard.gate.inFlight;
    held.queue += process.guard.gate.waiting;
    held.permits += process.guard.limiter.inFlight;
    held.processor += machine.processor.active;
    held.active += process.activeCount;
  }
  return held;
}

export const NOTHING = { roster: 0, waiting: 0, gate: 0, queue: 0, permits: 0, processor: 0, active: 0 };
