import { type CapacityDecision, RejectedError } from '../core/index.js';

/** What decides: a limiter that knows the time. */
export type Take = (cost: number, isNew: boolean) => CapacityDecision;

interface Waiting {
  readonly cost: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const NOW: CapacityDecision = Object.freeze({ allowed: true, retryAfterMs: 0 });

/**
 * Those who wait for capacity, served in the order in which they came. Each one is wanted from the moment it comes. What
 * the limiter lets pass for one that comes while others wait is paid towards the first of those: nobody is overtaken by a
 * cheaper one, and nothing is lost.
 */
export class WaitingTakes {
  readonly #take: Take;
  readonly #maxWaiting: number;
  readonly #waiting = new Set<Waiting>();
  /** Of what the first one costs. */
  #paid = 0;

  constructor(take: Take, maxWaiting: number) {
    this.#take = take;
    this.#maxWaiting = maxWaiting;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Of all who wait. */
  get cost(): number {
    let sum = 0;
    for (const { cost } of this.#waiting) sum += cost;
    return sum;
  }

  /** Takes, if nobody waits. */
  tryTake(cost: number): CapacityDecision {
    const before = this.serve();
    const decision = this.#take(cost, true);
    if (before === undefined) return decision;
    if (decision.allowed) this.#paid += cost;
    return { allowed: false, retryAfterMs: Math.max(1, before, decision.retryAfterMs) };
  }

  /** Takes, or waits. */
  take(cost: number, signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const { allowed, retryAfterMs } = this.tryTake(cost);
    if (allowed) return Promise.resolve();
    if (this.#waiting.size >= this.#maxWaiting) {
      const message = `${this.#waiting.size} wait for capacity already`;
      return Promise.reject(new RejectedError('PLIMSOLL_LIMITED', message, { retry: 'later', retryAfterMs }));
    }
    return new Promise((resolve, reject) => this.#enqueue(cost, signal, resolve, reject));
  }

  /** Lets pass who may. Answers when it is worth trying again, undefined when nobody waits. */
  serve(): number | undefined {
    for (const first of this.#waiting) {
      const { allowed, retryAfterMs } = this.#payRest(first.cost);
      if (!allowed) return retryAfterMs;
      this.#paid = Math.max(0, this.#paid - first.cost);
      first.resolve();
    }
    return undefined;
  }

  close(): void {
    for (const waiting of [...this.#waiting]) waiting.reject(closedError());
  }

  #payRest(cost: number): CapacityDecision {
    const rest = cost - this.#paid;
    if (rest <= 0) return NOW;
    const decision = this.#take(rest, false);
    if (decision.allowed) this.#paid = cost;
    return decision;
  }

  #enqueue(
    cost: number,
    signal: AbortSignal | undefined,
    resolve: () => void,
    reject: (error: unknown) => void,
  ): void {
    const end = () => {
      this.#waiting.delete(waiting);
      signal?.removeEventListener('abort', abort);
    };
    const abort = () => waiting.reject(signal?.reason);
    const waiting: Waiting = {
      cost,
      resolve: () => {
        end();
        resolve();
      },
      reject: (error) => {
        end();
        reject(error);
      },
    };
    this.#waiting.add(waiting);
    signal?.addEventListener('abort', abort, { once: true });
  }
}

export function closedError(): RejectedError {
  return new RejectedError('PLIMSOLL_LIMITED', 'the capacity client is closed', { retry: 'no' });
}
