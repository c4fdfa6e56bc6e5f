import type { RateDecision } from '../core/index.js';
import type { RateRequest, RateRule, RateStore, TakeAnswer } from '../stores/rate-store.js';
import { DueRing } from './due-ring.js';
import { isThenable, type MaybePromise } from './maybe-promise.js';

type Resolve = (nothing: undefined) => void;

/**
 * Calls of a store that end in time. All wait equally long, so they are given up in the order in which they came: one timer
 * for the oldest is enough for all. How many wait is bounded by how many come within timeoutMs.
 */
export class StoreCalls {
  readonly #store: RateStore;
  readonly #timeoutMs: number;
  readonly #waiting = new DueRing<Resolve>();
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

  /** The same at once; undefined too when the store does not answer so. */
  takeNow(requests: readonly RateRequest[]): TakeAnswer | undefined {
    try {
      return this.#store.takeNow?.(requests);
    } catch (error) {
      if (error instanceof RangeError) throw error;
      return undefined;
    }
  }

  /** The same of one rule. */
  takeOneNow(rule: RateRule, key: string, cost: number): RateDecision | undefined {
    try {
      return this.#store.takeOneNow?.(rule, key, cost);
    } catch (error) {
      if (error instanceof RangeError) throw error;
      return undefined;
    }
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
    this.#giveUp(Number.POSITIVE_INFINITY);
  }

  #inTime<T>(answer: PromiseLike<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const place = this.#waiting.add(resolve, performance.now() + this.#timeoutMs);
      this.#timer ??= this.#lookAfter(this.#timeoutMs);
      answer.then(
        (value) => {
          this.#waiting.take(place);
          resolve(value);
        },
        (error: unknown) => {
          // One that is not there any more was counted as late.
          if (this.#waiting.take(place) !== undefined) this.#fail(error, resolve, reject);
        },
      );
    });
  }

  #fail(error: unknown, resolve: Resolve, reject: (error: unknown) => void): void {
    // Asked for something impossible: that is no failure of the store, and must not be let through as one.
    if (error instanceof RangeError) {
      reject(error);
      return;
    }
    this.failed++;
    resolve(undefined);
  }

  #giveUp(now: number): void {
    for (
      let resolve = this.#waiting.takeDue(now);
      resolve !== undefined;
      resolve = this.#waiting.takeDue(now)
    ) {
      this.late++;
      resolve(undefined);
    }
  }

  #expire(): void {
    this.#timer = undefined;
    const now = performance.now();
    this.#giveUp(now);
    const { nextDueMs } = this.#waiting;
    if (nextDueMs !== Number.POSITIVE_INFINITY) this.#timer ??= this.#lookAfter(nextDueMs - now);
  }

  /**
   * Timers run before I/O. After a pause of the process both are due, and an answer that has come meanwhile is in time:
   * it is read first.
   */
  #lookAfter(ms: number): NodeJS.Timeout {
    return setTimeout(() => setImmediate(() => this.#expire()), Math.max(1, Math.ceil(ms))).unref();
  }
}
