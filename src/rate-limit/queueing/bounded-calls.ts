import { elapsedMs, RejectedError } from '../../core/index.js';

/** What of a client is looked at. */
export interface CalledClient {
  readonly status: string;
  disconnect(reconnect: boolean): void;
}

/** Redis cannot be asked, or has not answered in time. */
export function queueUnavailable(why: string): RejectedError {
  const message = `the queue is not available: ${why}`;
  return new RejectedError('PLIMSOLL_STORE_UNAVAILABLE', message, { retry: 'later' });
}

/** With the longest bodies some 100 MB; Redis takes as many within a second. */
const MOST_PENDING = 1_000;

/** A Redis that has said nothing for so many time limits is left with all that was sent to it, and connected to anew. */
const LOST_AFTER = 4;

/** Calls of Redis that are bounded in time and number whatever it does: each is answered, or fails. */
export class BoundedCalls {
  readonly #client: CalledClient;
  readonly #timeoutMs: number;
  readonly #now: () => number;
  readonly #pending = new Map<object, number>();
  #leftMs = Number.NEGATIVE_INFINITY;

  constructor(client: CalledClient, timeoutMs: number, now: () => number) {
    this.#client = client;
    this.#timeoutMs = timeoutMs;
    this.#now = now;
  }

  /** `onLate` is told of one that had been given up, and has ended well after all. */
  call<T>(work: () => Promise<T>, onLate?: () => void): Promise<T> {
    if (this.#client.status !== 'ready') return refuse('there is no connection');
    this.#leaveIfLost();
    if (this.#pending.size >= MOST_PENDING) return refuse(`${MOST_PENDING} calls are under way`);
    const call = {};
    this.#pending.set(call, this.#now());
    return new Promise((resolve, reject) => {
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        reject(queueUnavailable(`no answer within ${this.#timeoutMs} ms`));
      }, this.#timeoutMs);
      const ended = (): void => {
        clearTimeout(timer);
        this.#pending.delete(call);
      };
      work().then(
        (answer) => {
          ended();
          if (isLate) onLate?.();
          else resolve(answer);
        },
        (error: unknown) => {
          ended();
          reject(error);
        },
      );
    });
  }

  get pending(): number {
    return this.#pending.size;
  }

  /** Those that wait are in the order in which they came. */
  #leaveIfLost(): void {
    const [oldest] = this.#pending.values();
    if (oldest === undefined) return;
    const now = this.#now();
    // Leaving takes a moment, in which it need not be told again.
    if (elapsedMs(Math.max(oldest, this.#leftMs), now) < LOST_AFTER * this.#timeoutMs) return;
    this.#leftMs = now;
    this.#client.disconnect(true);
  }
}

function refuse(why: string): Promise<never> {
  return Promise.reject(queueUnavailable(why));
}
