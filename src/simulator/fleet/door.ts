import { LocalityDoor } from './locality-door.js';
import type { SimulatedRequest } from './request.js';
import { ServiceLink } from './service-link.js';
import type { ClientGroup } from './simulated-client.js';
import type { Process, World } from './world.js';

/** Where a client's requests go in: a link to the service, or one for each locality. */
export interface Door {
  readonly links: readonly ServiceLink[];
  start(request: SimulatedRequest, now: number): void;
}

class SingleDoor implements Door {
  readonly links: readonly ServiceLink[];
  readonly #link: ServiceLink;

  constructor(link: ServiceLink) {
    this.#link = link;
    this.links = [link];
  }

  start(request: SimulatedRequest, now: number): void {
    this.#link.start(request, now);
  }
}

export function createDoor(world: World, process: Process, group: ClientGroup, clientId: number): Door {
  const { spec, service } = group;
  if (spec.localities !== undefined) return new LocalityDoor(world, process, group, clientId);
  return new SingleDoor(new ServiceLink(world, { service, process, spec, clientId }));
}
