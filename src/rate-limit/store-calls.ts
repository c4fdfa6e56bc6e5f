import type { RateRequest, RateStore, TakeAnswer } from '../stores/rate-store.js';
import { isThenable, type MaybePromise } from './maybe-promise.js';

interface Waiting {
  readonly dueMs: number;
  /** Undefined once it is answered. */
  giveUp: (() => void) | undefined;
}

/**
 * Calls of a store that end in time. All wait equally long, so they are given up in the order in which they came: one timer
 * for the oldest is enough for all. How many wait is bounded by how many come within timeoutMs.
 */
export class StoreCalls {
  readonly #store: RateStore;
  readonly #timeoutMs: number;
  readonly #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined = undefined;
  /** Answers that were errors, and those that did not come in time. */
  failed = 0;
  late = 0;

  constructor(store: RateStore, timeoutMs: number) {
    this.#store = store;
    this.#timeoutMs = timeoutMs;
  }

  /** Undefined when the store fails, or has not answered in time. */
  take(requests: readonly RateRequest[]): Promise<TakeAnswer | undefined> {
    return this.call(() =>
      this.#store.takeNow === undefined ? this.#store.take(requests) : this.#store.takeNow(requests),
    );
  }

  async call<T>(ask: () => MaybePromise<T>): Promise<T | undefined> {
    try {
      const answer = ask();
      return isThenable(answer) ? await this.#inTime(answer) : answer;
    } catch (error) {
      // Asked for something impossible: that is no failure of the store, and must not be let through as one.
      if (error instanceof RangeError) throw error;
      this.failed++;
      return undefined;
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const { giveUp } of this.#waiting.splice(0)) giveUp?.();
  }

  #inTime<T>(answer: PromiseLike<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        dueMs: performance.now() + this.#timeoutMs,
        giveUp: () => {
          this.late++;
          resolve(undefined);
        },
      };
      this.#waiting.push(waiting);
      this.#timer ??= this.#lookAfter(this.#timeoutMs);
      const done = <V>(end: (value: V) => void) => {
        return (value: V) => {
          waiting.giveUp = undefined;
          end(value);
        };
      };
      answer.then(done(resolve), done(reject));
    });
  }

  #expire(): void {
    this.#timer = undefined;
    const now = performance.now();
    // Of those that are answered nothing is left to do, however young.
    const young = this.#waiting.findIndex(({ dueMs, giveUp }) => giveUp !== undefined && dueMs > now);
    const old = this.#waiting.splice(0, young < 0 ? this.#waiting.length : young);
    for (const { giveUp } of old) giveUp?.();
    const next = this.#waiting[0];
    if (next !== undefined) this.#timer ??= this.#lookAfter(next.dueMs - now);
  }

  /**
   * Timers run before I/O. After a pause of the process both are due, and an answer that has come meanwhile is in time:
   * it is read first.
   */
  #lookAfter(ms: number): NodeJS.Timeout {
    return setTimeout(() => setImmediate(() => this.#expire()), Math.max(1, Math.ceil(ms))).unref();
  }
}
