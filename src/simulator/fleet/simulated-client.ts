import { CRITICALITIES, type Criticality } from '../../core/criticality.js';
import { deadlineAfter } from '../../core/deadline.js';
import type { Random } from '../../core/environment.js';
import { Event } from '../kernel/event.js';
import { ArrivalProcess, createDistribution, type LocalClock } from '../models/index.js';
import { Choice } from './choice.js';
import { createDoor, type Door } from './door.js';
import type { Kind } from './kind.js';
import { type RequestContext, type RequestEnd, type RequestOwner, SimulatedRequest } from './request.js';
import type { SimulatedService } from './simulated-service.js';
import type { ClientSpec } from './spec/index.js';
import type { Traffic } from './traffic.js';
import { newClock, type Process, type World } from './world.js';

/** What all clients of a group have in common. */
export class ClientGroup {
  readonly name: string;
  readonly spec: ClientSpec;
  readonly service: SimulatedService;
  readonly criticality: Choice<Criticality>;
  readonly kind: Choice<Kind>;
  readonly traffic: Traffic;
  /** Requests beyond this instant are not made. */
  untilMs = Number.POSITIVE_INFINITY;

  constructor(name: string, spec: ClientSpec, service: SimulatedService, traffic: Traffic) {
    this.name = name;
    this.spec = spec;
    this.service = service;
    this.traffic = traffic;
    const { criticality } = spec;
    const kinds = spec.kinds && new Map(Object.entries(spec.kinds));
    this.criticality = new Choice<Criticality>(
      typeof criticality === 'string'
        ? [[criticality, 1]]
        : CRITICALITIES.map((each) => [each, criticality[each] ?? 0]),
    );
    this.kind = new Choice(
      service.kinds.map((kind) => [kind, kinds === undefined ? 1 : (kinds.get(kind.name) ?? 0)]),
    );
  }
}

/** One client: as an event, its next request. It asks whether or not it was answered (an open loop). */
export class SimulatedClient extends Event implements Process, RequestOwner {
  readonly group: ClientGroup;
  readonly clock: LocalClock;
  readonly door: Door;
  /** Faults and pauses are for backends. */
  readonly isPartitioned = false;
  readonly pausedUntilMs = 0;
  readonly #world: World;
  readonly #random: Random;
  readonly #arrivals: ArrivalProcess;
  /** Requests made and not ended. */
  pending = 0;

  constructor(world: World, group: ClientGroup, clientId: number) {
    super();
    const { arrivals, demand } = group.spec;
    this.group = group;
    this.#world = world;
    this.#random = world.streams.next();
    this.clock = newClock(this.#random);
    this.door = createDoor(world, this, group, clientId);
    const distribution = createDistribution(demand);
    const factor = distribution.draw(this.#random) / distribution.mean;
    const rate = typeof arrivals === 'number' ? { perSecond: arrivals } : arrivals;
    this.#arrivals = new ArrivalProcess({ ...rate, perSecond: rate.perSecond * factor }, this.#random);
  }

  get locality(): string {
    return this.group.spec.locality;
  }

  start(): void {
    this.#schedule(this.#world.kernel.now);
  }

  happen(now: number): void {
    this.#schedule(now);
    const { spec, criticality, kind, traffic } = this.group;
    const context: RequestContext = {
      criticality: criticality.draw(this.#random),
      customer: spec.customer,
      order: this.#random(),
    };
    const isIdempotent = spec.idempotentShare === 1 || this.#random() < spec.idempotentShare;
    const deadlineMs = deadlineAfter(this.clock.toLocal(now), spec.deadlineMs);
    const request = new SimulatedRequest(
      this,
      kind.draw(this.#random),
      context,
      deadlineMs,
      isIdempotent,
      now,
    );
    this.pending++;
    traffic.onStart(request);
    this.door.start(request, now);
  }

  onEnd(request: SimulatedRequest, end: RequestEnd, now: number): void {
    this.pending--;
    this.group.traffic.onEnd(request, end, now);
  }

  #schedule(now: number): void {
    const nextMs = this.#arrivals.nextAfter(now);
    this.#world.kernel.at(nextMs > this.group.untilMs ? Number.POSITIVE_INFINITY : nextMs, this);
  }
}
