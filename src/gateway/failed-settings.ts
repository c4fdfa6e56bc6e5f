import type { GatewayEvents } from './gateway-events.js';
import { shownProblem } from './settings/index.js';

/** Settings that could not be used: each is counted and told of once, without what may be a secret in it. */
export class FailedSettings {
  readonly #events: GatewayEvents;
  #last: unknown = undefined;
  #count = 0;

  constructor(events: GatewayEvents) {
    this.#events = events;
  }

  get count(): number {
    return this.#count;
  }

  /** One that has another, told of before, as its cause is the same. */
  note(error: unknown): void {
    if (this.#last !== undefined && (error as Error | undefined)?.cause === this.#last) return;
    this.#last = error;
    this.#count++;
    const reason = shownProblem(error instanceof Error ? error.message : String(error));
    this.#events.emit({ kind: 'reload-failed', reason });
  }
}
