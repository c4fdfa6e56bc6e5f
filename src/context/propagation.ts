import { AsyncLocalStorage, executionAsyncResource } from 'node:async_hooks';
import { ContextDemand, type ContextDemandOptions } from './context-demand.js';
import type { RequestContext } from './request-context.js';

/**
 * - `always`: the request is known wherever its code runs.
 * - `auto`: the same where that is cheap. Where it is dear, it is given up after some thousand requests in which nobody
 *   asked, and taken up for good when somebody does (see ContextDemand).
 * - `off`: the request is known in the synchronous part of its handler only.
 */
export type PropagationMode = 'auto' | 'always' | 'off';

/** What differs between Nodes, and between tests. */
export interface PropagationWorld {
  /** Whether async context costs next to nothing. */
  readonly isCheap: boolean;
  monotonicMs(): number;
}

/**
 * Carries the current request along with async context.
 *
 * Since Node 24 (AsyncContextFrame) that costs about nothing. Before, it needs async_hooks, which take note of every
 * promise, tick and handle of the process: 2.5 to 5 µs of the 15 to 20 µs of a `hello world`. Therefore it is kept up
 * there only while somebody needs it: someone has asked, or CPU is being measured (`hold`).
 *
 * What that loses: requests in flight when the first question comes after such a pause do not know themselves after
 * their next `await`, once in the life of the process. The one that asks does not either, when it asks after an
 * `await`; in the synchronous part of its handler it does, and from there on. Clients declare their need when they are
 * made, so that a service that makes them at its start never gets there; one that cannot bear it says `always`.
 */
export class Propagation {
  readonly #world: PropagationWorld;
  readonly #storage = new AsyncLocalStorage<RequestContext | undefined>();
  readonly #demand: ContextDemand;
  readonly #guards: Record<PropagationMode, number> = { auto: 0, always: 0, off: 0 };
  #holds = 0;
  #isOn = false;
  /** The request whose synchronous part runs, while propagation is off. */
  #running: RequestContext | undefined;

  constructor(world: PropagationWorld, demand?: Partial<ContextDemandOptions>) {
    this.#world = world;
    this.#demand = new ContextDemand(world.monotonicMs(), demand);
    this.#update();
  }

  /** Whether what is started now will know its request. */
  get isOn(): boolean {
    return this.#isOn;
  }

  /** The strongest of what guards want holds; with none it is `auto`. Returns how to take it back. */
  want(mode: PropagationMode): () => void {
    this.#guards[mode] += 1;
    this.#update();
    let isWanted = true;
    return () => {
      if (!isWanted) return;
      isWanted = false;
      this.#guards[mode] -= 1;
      this.#update();
    };
  }

  /** On, whatever guards want, until `release`. */
  hold(): void {
    this.#holds += 1;
    this.#update();
  }

  release(): void {
    this.#holds -= 1;
    this.#update();
  }

  /** Somebody will ask. */
  need(): void {
    this.#demand.onAsked();
    if (!this.#isOn) this.#update();
  }

  peek(): RequestContext | undefined {
    return this.#storage.getStore() ?? this.#running;
  }

  run<R, A, B>(request: RequestContext, fn: (a: A, b: B) => R, a: A, b: B): R {
    if (this.#demand.onRequest()) this.#look();
    return this.#isOn ? this.#storage.run(request, fn, a, b) : this.#runAlone(request, fn, a, b);
  }

  /** Runs as part of no new request: an event of one that runs already, or with another criticality. */
  enter<R, A, B>(context: RequestContext, fn: (a: A, b: B) => R, a: A, b: B): R {
    return this.#isOn ? this.#storage.run(context, fn, a, b) : this.#runAlone(context, fn, a, b);
  }

  #runAlone<R, A, B>(request: RequestContext, fn: (a: A, b: B) => R, a: A, b: B): R {
    const outer = this.#running;
    this.#running = request;
    try {
      return fn(a, b);
    } finally {
      this.#running = outer;
      // Switched on meanwhile: what was entered then ends here.
      if (this.#isOn) this.#storage.enterWith(outer);
    }
  }

  #look(): void {
    this.#demand.look(this.#world.monotonicMs());
    this.#update();
  }

  #update(): void {
    const { auto, always, off } = this.#guards;
    const isAuto = (auto > 0 || off === 0) && (this.#world.isCheap || this.#demand.isWanted);
    const isOn = this.#holds > 0 || always > 0 || isAuto;
    if (isOn === this.#isOn) return;
    this.#isOn = isOn;
    if (!isOn) this.#storage.disable();
    else if (this.#running !== undefined) this.#storage.enterWith(this.#running);
  }
}

/** With AsyncContextFrame the store hangs on no resource; with async_hooks it is a property of the one that runs. */
export function hasCheapContext(): boolean {
  const storage = new AsyncLocalStorage<object>();
  const store = {};
  const isOnResource = storage.run(store, () => {
    const resource = executionAsyncResource() as Record<symbol, unknown>;
    return Object.getOwnPropertySymbols(resource).some((symbol) => resource[symbol] === store);
  });
  storage.disable();
  return !isOnResource;
}
