import { LocalityRouter, type LocalityState, type Snapshot } from '../../core/health/index.js';
import { Timer } from '../kernel/timer.js';
import type { Door } from './door.js';
import type { SimulatedRequest } from './request.js';
import { ServiceLink } from './service-link.js';
import type { SimulatedBackend } from './simulated-backend.js';
import type { ClientGroup } from './simulated-client.js';
import type { Process, World } from './world.js';

/** As the router wants it. */
const UPDATE_MS = 1_000;

/** The nearest locality first, and never past the capacity of any. */
export class LocalityDoor implements Door {
  readonly router: LocalityRouter;
  readonly #process: Process;
  readonly #links: ReadonlyMap<string, ServiceLink>;
  /** What backends last said of their utilization. */
  readonly #utilizations = new Map<SimulatedBackend, number>();
  /** Of each link, when the router was last told. */
  readonly #seen = new Map<ServiceLink, Snapshot>();

  constructor(world: World, process: Process, { spec, service }: ClientGroup, clientId: number) {
    const { capacityPerBackend, targetUtilization } = spec.localities!;
    this.#process = process;
    this.router = new LocalityRouter({
      capacityPerBackend,
      targetUtilization,
      capacityShare: 1 / spec.count,
    });
    const links = service.localities.map((locality) => {
      const tryTakeCapacity = (localMs: number) => this.router.tryTake(locality, localMs);
      const link = new ServiceLink(world, { service, process, spec, clientId, locality, tryTakeCapacity });
      link.onReport = (backend, utilization) => this.#utilizations.set(backend, utilization);
      return [locality, link] as const;
    });
    this.#links = new Map(links);
    const update = new Timer((now) => {
      this.#update(now);
      world.kernel.after(UPDATE_MS, update);
    });
    update.happen(world.kernel.now);
  }

  get links(): readonly ServiceLink[] {
    return [...this.#links.values()];
  }

  start(request: SimulatedRequest, now: number): void {
    const local = this.#process.clock.toLocal(now);
    // What has become of backends is told at once: a second of requests to a locality that is gone would be lost.
    if (this.#hasNews(local)) this.#update(now);
    const locality = this.router.choose(local);
    if (locality === undefined) {
      request.isEnded = true;
      request.owner.onEnd(request, 'unsent', now);
    } else this.#links.get(locality)!.start(request, now);
  }

  #hasNews(local: number): boolean {
    for (const link of this.#links.values()) {
      if (link.roster.snapshot(local) !== this.#seen.get(link)) return true;
    }
    return false;
  }

  #update(now: number): void {
    const local = this.#process.clock.toLocal(now);
    const states = [...this.#links].map(([name, link]): LocalityState => {
      const snapshot = link.roster.snapshot(local);
      const usable = snapshot.backends;
      this.#seen.set(link, snapshot);
      const total = [...link.roster.members()].length;
      const utilizations = usable.map(({ key }) => this.#utilizations.get(link.service.backend(key)) ?? 0);
      const sum = utilizations.reduce((added, utilization) => added + utilization, 0);
      const distance = name === this.#process.locality ? 0 : 1;
      const state = { name, distance, healthy: usable.length, total };
      return usable.length === 0 ? state : { ...state, utilization: sum / usable.length };
    });
    this.router.update(states, local);
  }
}
