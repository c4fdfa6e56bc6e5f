import { Event } from '../kernel/event.js';
import type { ServiceLink } from './service-link.js';
import type { SimulatedBackend } from './simulated-backend.js';

/**
 * News of a backend on its way to a client: a push, a closed connection, a health check. What it says is read when it
 * arrives: two that overtake each other must not leave the older one standing.
 */
export class Notice extends Event {
  readonly #link: ServiceLink;
  readonly #backend: SimulatedBackend;

  constructor(link: ServiceLink, backend: SimulatedBackend) {
    super();
    this.#link = link;
    this.#backend = backend;
  }

  happen(now: number): void {
    if (!this.#link.isHeld(this, now)) this.#link.onNotice(this.#backend, now);
  }
}
