import type { Gateway } from '../gateway.js';
import { msOf } from '../settings/index.js';

/** A worker without a primary takes no new connections: it has only to finish. So long nothing was to be finished. */
const IDLE_MS = 1_000;
const LOOK_MS = 100;

export interface EndHooks {
  readonly begins: () => void;
  /** Nothing is served any more. */
  readonly ends: () => unknown;
}

/** How a worker ends: always in good order, never twice. */
export class WorkerEnd {
  readonly #gateway: Gateway;
  readonly #hooks: EndHooks;
  #isEnding = false;

  constructor(gateway: Gateway, hooks: EndHooks) {
    this.#gateway = gateway;
    this.#hooks = hooks;
  }

  /** With all others: clients are told, and served until they have heard. */
  drain(): void {
    void this.#end(msOf(this.#gateway.settings.drain.spread));
  }

  /** Another one has its place: new connections go there at once. */
  retire(): void {
    // Load balancers in front would stop using the gateway.
    if (!this.#isEnding) this.#gateway.guard.isReplaced = true;
    void this.#end(0);
  }

  /**
   * The primary is gone, and with it whatever listens. Clients that keep a connection and ask nothing are not waited for:
   * whoever starts the gateway anew wants its memory back.
   */
  orphan(): void {
    void this.#end(0);
    let idleMs = 0;
    setInterval(() => {
      idleMs = this.#gateway.snapshot().guard.inFlight === 0 ? idleMs + LOOK_MS : 0;
      if (idleMs >= IDLE_MS) process.exit(1);
    }, LOOK_MS);
  }

  async #end(spreadMs: number): Promise<void> {
    if (this.#isEnding) return;
    this.#isEnding = true;
    try {
      this.#hooks.begins();
      await this.#gateway.close({ spreadMs });
      await this.#hooks.ends();
      process.exit(0);
    } catch (error) {
      console.error(error);
      process.exit(1);
    }
  }
}
