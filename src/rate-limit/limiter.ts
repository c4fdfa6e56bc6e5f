import { checkInteger } from '../core/check.js';
import { type RateDecision, RejectedError } from '../core/index.js';
import { MemoryStore } from '../stores/memory/memory-store.js';
import type { RateRequest, RateRule, RateStore, TakeAnswer } from '../stores/rate-store.js';
import { type Fallback, RETRY_MS } from './fallback.js';
import { isLeaseStore } from './leasing/lease-options.js';
import { LeasedStore } from './leasing/leased-store.js';
import { checkLimiterOptions, type LimiterOptions } from './limiter-options.js';
import { observeSource } from './observing/metrics.js';
import { StoreCalls } from './store-calls.js';
import { closedError, WaitingTurns } from './waiting-turns.js';
import { type Undecided, WithoutStore } from './without-store.js';

/** How much one takes of the queue, and until when it waits. */
export interface ScheduleOptions {
  /** 1 by default. */
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

/** What a limiter has decided since the start, and who waits. */
export interface LimiterSnapshot {
  /** How many wait for their turn. */
  readonly waiting: number;
  /** Since the start: what was allowed and refused, and how much of both was decided without the store. */
  readonly allowed: number;
  readonly refused: number;
  readonly undecided: number;
  /** How often the store gave no decision, or none in time. */
  readonly storeFailed: number;
  readonly storeLate: number;
}

/** One limit for many keys. */
export class Limiter {
  readonly #rule: RateRule;
  readonly #store: RateStore;
  readonly #ownsStore: boolean;
  readonly #fallback: Fallback;
  readonly #calls: StoreCalls;
  readonly #without = new WithoutStore();
  readonly #turns = new WaitingTurns();
  readonly #maxWaiting: number;
  readonly #stopMetrics: () => void;
  #waiting = 0;
  #allowed = 0;
  #refused = 0;
  #undecided = 0;
  #isClosed = false;

  constructor(options: LimiterOptions) {
    const { rule, store, timeoutMs, fallback, maxWaiting, lease } = checkLimiterOptions(options);
    this.#rule = rule;
    this.#ownsStore = store === undefined || lease !== undefined;
    this.#store =
      isLeaseStore(store) && lease !== undefined
        ? new LeasedStore(rule, store, timeoutMs, lease)
        : (store ?? new MemoryStore());
    this.#fallback = fallback;
    this.#calls = new StoreCalls(this.#store, timeoutMs);
    this.#maxWaiting = maxWaiting;
    this.#stopMetrics = observeSource({
      ruleTotals: () => {
        const { allowed, refused, undecided, waiting } = this.snapshot();
        return [{ rule: rule.name, allowed, refused, shadowRefused: 0, undecided, waiting }];
      },
      storeTotals: () => this.#calls,
    });
  }

  /** Decides and, if allowed, takes. It never rejects but for an impossible key or cost. */
  async take(key: string, cost = 1): Promise<RateDecision> {
    if (this.#store.takeNow !== undefined) return this.takeNow(key, cost);
    check(key, cost);
    const request = { rule: this.#rule, key, cost };
    // Each further `async` on this way would be a tenth of what a decision costs this process.
    const answer = await this.#calls.take([request]);
    return this.#answered(request, answer).decisions[0]!;
  }

  /** The same at once, with a store that can. With a lease it refuses what it has no units for yet, and asks for them. */
  takeNow(key: string, cost = 1): RateDecision {
    check(key, cost);
    const store = this.#store;
    if (store.takeOneNow === undefined)
      throw new TypeError('takeNow needs a store in memory, or a lease: use take');
    try {
      return this.#counted(store.takeOneNow(this.#rule, key, cost));
    } catch (error) {
      // Another rule of this name is in the store: that is no failure of the store.
      if (error instanceof RangeError) throw error;
      this.#calls.failed++;
      return this.#takeWithout({ rule: this.#rule, key, cost }).decisions[0]!;
    }
  }

  /** What `take` would say. */
  async peek(key: string, cost = 1): Promise<RateDecision> {
    check(key, cost);
    const request = { rule: this.#rule, key, cost };
    const answer = await this.#calls.call(() => this.#store.peek([request]));
    return answer?.[0] ?? this.#without.peek(this.#undecidedOf(request));
  }

  /** Takes what it may cost; what it did is said later. */
  async reserve(key: string, cost: number): Promise<Reservation> {
    check(key, cost);
    const request = { rule: this.#rule, key, cost };
    const decided = await this.#calls.take([request]);
    const { decisions, allowed, takenAtMs } = this.#answered(request, decided);
    let isOpen = allowed;
    const settle = async (actual: number): Promise<void> => {
      checkInteger('actual', actual, 0);
      if (!isOpen) return;
      isOpen = false;
      const settlement = { rule: this.#rule, key, reserved: cost, actual, takenAtMs };
      if (decided === undefined) await this.#without.settle(settlement, this.#fallback);
      else await this.#calls.call(() => this.#store.settle([settlement]));
    };
    return { ...decisions[0]!, settle, refund: () => settle(0) };
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
    await this.#without.reset(this.#fallback, key);
    await this.#store.reset(this.#rule, key);
  }

  snapshot(): LimiterSnapshot {
    return {
      waiting: this.#waiting,
      allowed: this.#allowed,
      refused: this.#refused,
      undecided: this.#undecided,
      storeFailed: this.#calls.failed,
      storeLate: this.#calls.late,
    };
  }

  /** Sends away who waits. A store that was given stays open, for it may serve others. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#turns.close();
    this.#calls.close();
    this.#without.close();
    this.#stopMetrics();
    if (this.#ownsStore) await this.#store.close();
  }

  async #wait(key: string, cost: number, signal: AbortSignal | undefined): Promise<void> {
    const request = { rule: this.#rule, key, cost };
    let place = await this.#calls.call(() => this.#store.schedule(request));
    if (this.#isClosed) throw closedError();
    const isUndecided = place === undefined;
    if (isUndecided) this.#undecided++;
    else this.#without.onAnswered();
    place ??= await this.#without.schedule(this.#undecidedOf(request));
    if (place === undefined ? this.#fallback.choice === 'allow' : place.dueMs !== undefined) this.#allowed++;
    else this.#refused++;
    if (place === undefined && this.#fallback.choice === 'allow') return;
    if (place?.dueMs === undefined) throw fullError(key, place?.retryAfterMs ?? RETRY_MS);
    signal?.throwIfAborted();
    await this.#turns.wait(place.dueMs - place.nowMs, signal);
  }

  /** What the store said, or what holds without it. */
  #answered(request: RateRequest, answer: TakeAnswer | undefined): TakeAnswer {
    if (answer === undefined) return this.#takeWithout(request);
    this.#without.onAnswered();
    this.#counted(answer.decisions[0]!);
    return answer;
  }

  #takeWithout(request: RateRequest): TakeAnswer {
    const answer = this.#without.take(this.#undecidedOf(request));
    this.#undecided++;
    this.#counted(answer.decisions[0]!);
    return answer;
  }

  #undecidedOf(request: RateRequest): Undecided {
    return { ...request, fallback: this.#fallback };
  }

  #counted(decision: RateDecision): RateDecision {
    if (decision.allowed) this.#allowed++;
    else this.#refused++;
    return decision;
  }
}

/** A limiter: `createLimiter({ algorithm: "token-bucket", rate: "300/minute" })`. In memory unless a store is given. */
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
