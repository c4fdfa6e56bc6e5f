import { Event } from '../kernel/event.js';
import { type Kind, kindsOf } from './kind.js';
import { QuotaExchange } from './quota-exchange.js';
import { SimulatedBackend } from './simulated-backend.js';
import type { BackendGroupSpec, ServiceSpec } from './spec/index.js';
import type { World } from './world.js';

/** CPU time is read as often as a guard reads it. */
const CPU_SAMPLE_MS = 100;

/** A named set of backends. */
export class SimulatedService {
  readonly name: string;
  readonly spec: ServiceSpec;
  readonly kinds: readonly Kind[];
  readonly backends: readonly SimulatedBackend[];
  readonly #byKey: ReadonlyMap<string, SimulatedBackend>;
  /** Only if it has a quota. */
  readonly exchange: QuotaExchange | undefined;

  constructor(name: string, spec: ServiceSpec, world: World) {
    this.name = name;
    this.spec = spec;
    this.kinds = kindsOf(spec);
    const groups = groupsOf(spec);
    const backends: SimulatedBackend[] = [];
    for (const group of groups) {
      for (let member = 0; member < group.count; member++) {
        backends.push(new SimulatedBackend(this, group, backends.length, world));
      }
    }
    this.backends = backends;
    this.#byKey = new Map(backends.map((backend) => [backend.key, backend]));
    this.exchange = spec.quota && new QuotaExchange(this, spec.quota, world);
  }

  get localities(): string[] {
    return [...new Set(this.backends.map(({ locality }) => locality))];
  }

  backend(key: string): SimulatedBackend {
    return this.#byKey.get(key)!;
  }

  /** Every backend is ready, and its machine alive. */
  start(world: World): void {
    for (const backend of this.backends) backend.begin();
    world.kernel.after(CPU_SAMPLE_MS, new CpuSampling(this, world));
  }
}

/** One event for all backends of a service, however many. */
class CpuSampling extends Event {
  readonly #service: SimulatedService;
  readonly #world: World;

  constructor(service: SimulatedService, world: World) {
    super();
    this.#service = service;
    this.#world = world;
  }

  happen(now: number): void {
    for (const backend of this.#service.backends) backend.sampleCpu(now);
    this.#world.kernel.after(CPU_SAMPLE_MS, this);
  }
}

function groupsOf({ backends }: ServiceSpec): readonly BackendGroupSpec[] {
  if (typeof backends !== 'number') return backends;
  return [{ count: backends, speed: 1, cores: 1, waitFactor: 1, locality: 'here', failsFastShare: 0 }];
}
