import { checkInteger } from '../core/check.js';
import { type RateDecision, RejectedError } from '../core/index.js';
import { MemoryStore } from '../stores/memory/memory-store.js';
import type { RateRule, RateStore, TakeAnswer } from '../stores/rate-store.js';
import { checkLimiterOptions, type LimiterOptions, type OnStoreFailure } from './limiter-options.js';
import { StoreCalls } from './store-calls.js';
import { closedError, WaitingTurns } from './waiting-turns.js';
import { decisionWithoutStore, RETRY_MS } from './without-store.js';

export interface ScheduleOptions {
  readonly cost?: number;
  /** Gives up waiting. The turn is not given to somebody else. */
  readonly signal?: AbortSignal;
}

/** What was taken before its cost was known. Only the first of settle and refund counts. */
export interface Reservation extends RateDecision {
  /** It was so much: the rest is given back, or what is missing taken, into a debt if need be. */
  settle(actual: number): Promise<void>;
  /** It was nothing. */
  refund(): Promise<void>;
}

/** One limit for many keys. */
export class Limiter {
  readonly #rule: RateRule;
  readonly #store: RateStore;
  readonly #ownsStore: boolean;
  readonly #onStoreFailure: OnStoreFailure;
  readonly #calls: StoreCalls;
  readonly #turns = new WaitingTurns();
  readonly #maxWaiting: number;
  #waiting = 0;
  #isClosed = false;

  constructor(options: LimiterOptions) {
    const { rule, store, timeoutMs, onStoreFailure, maxWaiting } = checkLimiterOptions(options);
    this.#rule = rule;
    this.#ownsStore = store === undefined;
    this.#store = store ?? new MemoryStore();
    this.#onStoreFailure = onStoreFailure;
    this.#calls = new StoreCalls(this.#store, timeoutMs);
    this.#maxWaiting = maxWaiting;
  }

  /** Decides and, if allowed, takes. It never rejects but for an impossible key or cost. */
  async take(key: string, cost = 1): Promise<RateDecision> {
    if (this.#store.takeOneNow !== undefined) return this.takeNow(key, cost);
    const answer = await this.#take(key, cost);
    return answer?.decisions[0] ?? this.#withoutStore();
  }

  /** The same at once, with a store that can. */
  takeNow(key: string, cost = 1): RateDecision {
    check(key, cost);
    const store = this.#store;
    if (store.takeOneNow === undefined) throw new TypeError('takeNow needs a store in memory: use take');
    try {
      return store.takeOneNow(this.#rule, key, cost);
    } catch (error) {
      // Another rule of this name is in the store: that is no failure of the store.
      if (error instanceof RangeError) throw error;
      this.#calls.failed++;
      return this.#withoutStore();
    }
  }

  /** What `take` would say. */
  async peek(key: string, cost = 1): Promise<RateDecision> {
    check(key, cost);
    const answer = await this.#calls.call(() => this.#store.peek([{ rule: this.#rule, key, cost }]));
    return answer?.[0] ?? this.#withoutStore();
  }

  /** Takes what it may cost; what it did is said later. */
  async reserve(key: string, cost: number): Promise<Reservation> {
    const answer = await this.#take(key, cost);
    const decision = answer?.decisions[0] ?? this.#withoutStore();
    let isOpen = answer?.allowed === true;
    const settle = async (actual: number): Promise<void> => {
      checkInteger('actual', actual, 0);
      if (!isOpen) return;
      isOpen = false;
      const { takenAtMs } = answer!;
      const settlement = { rule: this.#rule, key, reserved: cost, actual, takenAtMs };
      await this.#calls.call(() => this.#store.settle([settlement]));
    };
    return { ...decision, settle, refund: () => settle(0) };
  }

  /**
   * Waits until it is this one's turn: requests of a key leave at a constant rate, in the order in which they came. For the
   * leaking bucket; `burst` is how much may wait. Rejects when there is no room to wait, or the signal says so.
   */
  async schedule(key: string, { cost = 1, signal }: ScheduleOptions = {}): Promise<void> {
    check(key, cost);
    if (this.#rule.options.algorithm !== 'leaking-bucket') {
      throw new RangeError(
        `algorithm must be leaking-bucket to schedule, got ${this.#rule.options.algorithm}`,
      );
    }
    signal?.throwIfAborted();
    if (this.#isClosed) throw closedError();
    if (this.#waiting >= this.#maxWaiting) {
      const message = `${this.#waiting} wait for their turn already`;
      throw new RejectedError('PLIMSOLL_LIMITED', message, { retry: 'later' });
    }
    this.#waiting++;
    try {
      await this.#wait(key, cost, signal);
    } finally {
      this.#waiting--;
    }
  }

  /** As if this key had never come. */
  async reset(key: string): Promise<void> {
    check(key, 0);
    await this.#store.reset(this.#rule, key);
  }

  /** How many wait for their turn, and how often the store gave no decision since the start, or none in time. */
  snapshot(): { readonly waiting: number; readonly storeFailed: number; readonly storeLate: number } {
    return { waiting: this.#waiting, storeFailed: this.#calls.failed, storeLate: this.#calls.late };
  }

  /** Sends away who waits. A store that was given stays open, for it may serve others. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#turns.close();
    this.#calls.close();
    if (this.#ownsStore) await this.#store.close();
  }

  async #wait(key: string, cost: number, signal: AbortSignal | undefined): Promise<void> {
    const place = await this.#calls.call(() => this.#store.schedule({ rule: this.#rule, key, cost }));
    if (this.#isClosed) throw closedError();
    if (place === undefined && this.#onStoreFailure === 'allow') return;
    if (place?.dueMs === undefined) throw fullError(key, place?.retryAfterMs ?? RETRY_MS);
    signal?.throwIfAborted();
    await this.#turns.wait(place.dueMs - place.nowMs, signal);
  }

  #take(key: string, cost: number): Promise<TakeAnswer | undefined> {
    check(key, cost);
    return this.#calls.take([{ rule: this.#rule, key, cost }]);
  }

  #withoutStore(): RateDecision {
    return decisionWithoutStore(this.#rule, this.#onStoreFailure);
  }
}

export function createLimiter(options: LimiterOptions): Limiter {
  return new Limiter(options);
}

function check(key: string, cost: number): void {
  if (typeof key !== 'string') throw new RangeError(`key must be a text, got ${String(key)}`);
  checkInteger('cost', cost, 0);
}

function fullError(key: string, retryAfterMs: number): RejectedError {
  const message = `no room to wait for ${JSON.stringify(key.slice(0, 64))}`;
  if (retryAfterMs === Number.POSITIVE_INFINITY) {
    return new RejectedError('PLIMSOLL_LIMITED', `${message}: it costs more than the whole queue`, {
      retry: 'no',
    });
  }
  return new RejectedError('PLIMSOLL_LIMITED', message, { retry: 'later', retryAfterMs });
}
