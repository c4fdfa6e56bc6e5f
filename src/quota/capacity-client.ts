import { randomBytes } from 'node:crypto';
import { type CapacityDecision, CapacityLimiter } from '../core/index.js';
import { AskLoop } from './ask-loop.js';
import { CapacityCaller } from './capacity-caller.js';
import { type CapacityClientOptions, clientOptions } from './capacity-client-options.js';
import { closedError, WaitingTakes } from './waiting-takes.js';
import { addWaiting } from './waiting-wants.js';

/** What a client may use, wants, and has asked for. */
export interface CapacityClientSnapshot {
  /** What may be used at this instant, in units a second. */
  readonly capacity: number;
  readonly wants: number;
  readonly waiting: number;
  readonly asks: number;
  /** Asks that brought no news. */
  readonly failures: number;
}

/** Uses as much of a resource as a server allows, and asks for as much as its callers want. */
export class CapacityClient {
  readonly #limiter: CapacityLimiter;
  readonly #caller: CapacityCaller;
  readonly #loop: AskLoop;
  readonly #takes: WaitingTakes;
  #timer: NodeJS.Timeout | undefined = undefined;
  #closed: Promise<void> | undefined = undefined;

  constructor(given: Partial<CapacityClientOptions>) {
    const { who, resource, maxWaiting, wants, limiter, caller } = clientOptions(given, randomBytes);
    this.#limiter = new CapacityLimiter(performance.now(), who, Math.random, {
      ...limiter,
      leastWants: wants,
    });
    this.#caller = new CapacityCaller(resource, caller);
    this.#loop = new AskLoop(
      this.#limiter,
      (ask) => this.#caller.ask(addWaiting(ask, this.#takes.cost)),
      () => this.#serve(),
    );
    this.#takes = new WaitingTakes(
      (cost, isNew) => this.#limiter.take(performance.now(), cost, isNew),
      maxWaiting,
    );
    // Who wants nothing yet asks with its first request, and need not wait for a second ask by that.
    if (wants > 0) this.#loop.look();
  }

  /** Waits until it may pass, after those that came before. */
  async take(cost = 1, { signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    if (this.#closed !== undefined) throw closedError();
    const taken = this.#takes.take(cost, signal);
    this.#serve();
    await taken;
  }

  /** Decides at once. Nothing passes while others wait. */
  tryTake(cost = 1): CapacityDecision {
    if (this.#closed !== undefined) throw closedError();
    const decision = this.#takes.tryTake(cost);
    this.#serve();
    return decision;
  }

  /** What may be used at this instant, in units a second. */
  get capacity(): number {
    return this.#limiter.capacity(performance.now());
  }

  snapshot(): CapacityClientSnapshot {
    const now = performance.now();
    return {
      capacity: this.#limiter.capacity(now),
      wants: this.#limiter.wants(now),
      waiting: this.#takes.size,
      asks: this.#loop.asks,
      failures: this.#loop.failures,
    };
  }

  /** Gives back what it has. Whoever waits is rejected. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    clearTimeout(this.#timer);
    const release = this.#limiter.release();
    this.#takes.close();
    // An ask that comes after the release would lease anew.
    await this.#loop.stop();
    if (this.#loop.asks > 0) await this.#caller.release(release);
    await this.#caller.close();
  }

  /** Lets pass who may, and looks again when the next one might. */
  #serve(): void {
    if (this.#closed !== undefined) return;
    clearTimeout(this.#timer);
    const retryAfterMs = this.#takes.serve();
    // Not unref'd: somebody awaits it.
    if (retryAfterMs !== undefined) this.#timer = setTimeout(() => this.#serve(), Math.max(1, retryAfterMs));
    // What is wanted may be more now.
    this.#loop.look();
  }
}

/** `const gpu = createCapacityClient({ url: 'http://quota:8080', resource: 'gpu' }); await gpu.take(cost);` */
export function createCapacityClient(
  options: Partial<CapacityClientOptions> & Pick<CapacityClientOptions, 'url' | 'resource'>,
): CapacityClient {
  return new CapacityClient(options);
}
