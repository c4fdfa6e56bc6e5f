import type { RateRequest, RateStore, TakeAnswer } from '../stores/rate-store.js';
import { isThenable, type MaybePromise } from './maybe-promise.js';

interface Waiting {
  readonly dueMs: number;
  /** Undefined once it is answered. */
  resolve: ((nothing: undefined) => void) | undefined;
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
    const store = this.#store;
    return this.call(() => (store.takeNow === undefined ? store.take(requests) : store.takeNow(requests)));
  }

  /** No `async`, and one promise for each: this is on the way of every decision. */
  call<T>(ask: () => MaybePromise<T>): Promise<T | undefined> {
    try {
      const answer = ask();
      return isThenable(answer) ? this.#inTime(answer) : Promise.resolve(answer);
    } catch (error) {
      return new Promise((resolve, reject) => this.#fail(error, resolve, reject));
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#giveUp(this.#waiting.splice(0));
  }

  #inTime<T>(answer: PromiseLike<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { dueMs: performance.now() + this.#timeoutMs, resolve };
      this.#waiting.push(waiting);
      this.#timer ??= this.#lookAfter(this.#timeoutMs);
      answer.then(
        (value) => {
          waiting.resolve = undefined;
          resolve(value);
        },
        (error: unknown) => {
          const isLate = waiting.resolve === undefined;
          waiting.resolve = undefined;
          // It was counted as late.
          if (!isLate) this.#fail(error, resolve, reject);
        },
      );
    });
  }

  #fail(error: unknown, resolve: (nothing: undefined) => void, reject: (error: unknown) => void): void {
    // Asked for something impossible: that is no failure of the store, and must not be let through as one.
    if (error instanceof RangeError) {
      reject(error);
      return;
    }
    this.failed++;
    resolve(undefined);
  }

  #giveUp(old: readonly Waiting[]): void {
    for (const waiting of old) {
      if (waiting.resolve === undefined) continue;
      this.late++;
      waiting.resolve(undefined);
      waiting.resolve = undefined;
    }
  }

  #expire(): void {
    this.#timer = undefined;
    const now = performance.now();
    // Of those that are answered nothing is left to do, however young.
    const young = this.#waiting.findIndex(({ dueMs, resolve }) => resolve !== undefined && dueMs > now);
    this.#giveUp(this.#waiting.splice(0, young < 0 ? this.#waiting.length : young));
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
