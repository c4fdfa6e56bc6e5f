import { AsyncResource } from 'node:async_hooks';
import type { GuardedRequest } from '../guarded-request.js';

/** As many as wait for a start at the most: a thousand at 10 KB. */
const MOST_HELD = 1_000;

/** Requests that came before the backend was ready, held for a while instead of being sent away (option `holdMs`). */
export class WaitingRoom {
  readonly #holdMs: number;
  readonly #release: (request: GuardedRequest) => void;
  readonly #held = new Set<GuardedRequest>();
  #timer: NodeJS.Timeout | undefined = undefined;

  /** `release` gets each one back when the wait is over. */
  constructor(holdMs: number, release: (request: GuardedRequest) => void) {
    this.#holdMs = holdMs;
    this.#release = release;
  }

  get isHolding(): boolean {
    return this.#holdMs > 0;
  }

  get size(): number {
    return this.#held.size;
  }

  hold(request: GuardedRequest): boolean {
    if (!this.isHolding || this.#held.size >= MOST_HELD) return false;
    this.#held.add(request);
    // Whoever says that it is ready has an async context of its own.
    request.resource = new AsyncResource('PLIMSOLL_REQUEST');
    this.#timer ??= setTimeout(() => this.open(), this.#holdMs);
    this.#timer.unref();
    return true;
  }

  /** The wait is over: ready, or too long. */
  open(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const request of this.#held) {
      this.#held.delete(request);
      this.#release(request);
    }
  }
}
