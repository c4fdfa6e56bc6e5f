import { createHash } from 'node:crypto';
import type { RateDecision } from '../core/index.js';
import type {
  RateRequest,
  RateRule,
  RateStore,
  ScheduleAnswer,
  Settlement,
  TakeAnswer,
} from '../stores/rate-store.js';

/**
 * A store in which a limit may change while it is in use. States of one rule are of no use to another of the same name:
 * so each version of it counts under a name of its own, the same in all processes.
 */
export class VersionedStore implements RateStore {
  readonly isShared: boolean;
  /** Where the store itself can. */
  readonly takeNow?: NonNullable<RateStore['takeNow']>;
  readonly takeOneNow?: NonNullable<RateStore['takeOneNow']>;
  readonly #store: RateStore;
  readonly #versions = new WeakMap<RateRule, RateRule>();

  constructor(store: RateStore) {
    this.#store = store;
    this.isShared = store.isShared === true;
    if (store.takeNow !== undefined)
      this.takeNow = (requests) => this.#store.takeNow!(requests.map(this.#versioned));
    if (store.takeOneNow !== undefined)
      this.takeOneNow = (rule, key, cost) => this.#store.takeOneNow!(this.#versionOf(rule), key, cost);
  }

  take(requests: readonly RateRequest[]): Promise<TakeAnswer> {
    return this.#store.take(requests.map(this.#versioned));
  }

  peek(requests: readonly RateRequest[]): Promise<readonly RateDecision[]> {
    return this.#store.peek(requests.map(this.#versioned));
  }

  settle(settlements: readonly Settlement[]): Promise<void> {
    return this.#store.settle(settlements.map(this.#versioned));
  }

  schedule(request: RateRequest): Promise<ScheduleAnswer> {
    return this.#store.schedule(this.#versioned(request));
  }

  reset(rule: RateRule, key: string): Promise<void> {
    return this.#store.reset(this.#versionOf(rule), key);
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  readonly #versioned = <T extends { readonly rule: RateRule }>(asked: T): T => ({
    ...asked,
    rule: this.#versionOf(asked.rule),
  });

  #versionOf(rule: RateRule): RateRule {
    let version = this.#versions.get(rule);
    if (version === undefined) {
      version = { name: `${rule.name}~${digestOf(rule)}`, options: rule.options };
      this.#versions.set(rule, version);
    }
    return version;
  }
}

/** 32 bits: a limit has a handful of versions in its life. */
function digestOf({ options }: RateRule): string {
  const { algorithm, limit, windowMs, burst, countRefused } = options;
  const text = JSON.stringify([algorithm, limit, windowMs, burst ?? null, countRefused ?? null]);
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
