import type { RateDecision } from '../../core/index.js';
import type { LeaseStore } from '../../stores/lease-store.js';
import type {
  RateRequest,
  RateRule,
  RateStore,
  ScheduleAnswer,
  Settlement,
  TakeAnswer,
} from '../../stores/rate-store.js';
import { StoreCalls } from '../store-calls.js';
import type { LeaseOptions } from './lease-options.js';
import { LeasedKeys } from './leased-keys.js';

/** A store for one rule that decides by leases from another one, which stays open when this is closed. */
export class LeasedStore implements RateStore {
  readonly #rule: RateRule;
  readonly #store: RateStore & LeaseStore;
  readonly #calls: StoreCalls;
  readonly #keys: LeasedKeys;

  constructor(rule: RateRule, store: RateStore & LeaseStore, timeoutMs: number, options: LeaseOptions) {
    this.#rule = rule;
    this.#store = store;
    this.#calls = new StoreCalls(store, timeoutMs);
    this.#keys = new LeasedKeys(rule, store, this.#calls, options);
  }

  takeOneNow(_rule: RateRule, key: string, cost: number): RateDecision {
    return this.#keys.takeNow(key, cost);
  }

  async take(requests: readonly RateRequest[]): Promise<TakeAnswer> {
    const { key, cost } = requests[0]!;
    const decision = await this.#keys.take(key, cost);
    if (decision === undefined) throw new Error('no lease came');
    // Instead of a time: what is given back must be of the lease that it was taken from.
    return { allowed: decision.allowed, decisions: [decision], takenAtMs: this.#keys.turnOf(key) };
  }

  async peek(requests: readonly RateRequest[]): Promise<readonly RateDecision[]> {
    return requests.map(({ key, cost }) => this.#keys.peek(key, cost));
  }

  async settle(settlements: readonly Settlement[]): Promise<void> {
    for (const { key, reserved, actual, takenAtMs } of settlements)
      this.#keys.settle(key, reserved, actual, takenAtMs);
  }

  schedule(): Promise<ScheduleAnswer> {
    return Promise.reject(new RangeError('a limit that is leased has no queue'));
  }

  async reset(_rule: RateRule, key: string): Promise<void> {
    this.#keys.reset(key);
    await this.#store.reset(this.#rule, key);
  }

  async close(): Promise<void> {
    await this.#keys.close();
    this.#calls.close();
  }
}
