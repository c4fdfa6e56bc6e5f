import {
  createInPlaceAlgorithm,
  type QueuePlace,
  type RateDecision,
  type RateLimitOptions,
} from '../core/index.js';
import { checkRateLimit } from '../core/rate-limiting/rate-limit-options.js';

/** What is limited, by a name under which states are kept: the same name and options mean the same states. */
export interface RateRule {
  readonly name: string;
  readonly options: RateLimitOptions;
}

/** What one rule is asked about one request. */
export interface RateRequest {
  readonly rule: RateRule;
  readonly key: string;
  readonly cost: number;
  /** It is decided and counted as the others are, but does not keep a request from passing. */
  readonly isShadow?: boolean;
}

/** What a store decided of several rules at once. */
export interface TakeAnswer {
  /** Whether all rules but the shadow ones allow it, of those that were decided. If one does not, nothing was taken from any. */
  readonly allowed: boolean;
  /** One for each request asked about, in their order. */
  readonly decisions: readonly RateDecision[];
  /** When it was taken, by the store's clock: to be told when something is given back. */
  readonly takenAtMs: number;
  /** Places of those that could not be decided, such as by a node that is gone. What is said of them means nothing. */
  readonly undecided?: readonly number[];
}

/** What was reserved by `take`, and what it really was. */
export interface Settlement {
  readonly rule: RateRule;
  readonly key: string;
  readonly reserved: number;
  /** 0: nothing was used, all is given back. */
  readonly actual: number;
  readonly takenAtMs: number;
}

/** A place in a queue, and the instant it is counted from. */
export interface ScheduleAnswer extends QueuePlace {
  readonly nowMs: number;
}

/**
 * Where states are kept, and decided upon in one step: nobody else comes in between. Time is the store's own, so that all
 * who share it see one clock. What it cannot do (it is closed, it cannot be reached) it says by a rejected promise; what
 * that means for a request is for others to choose.
 */
export interface RateStore {
  /** Several processes count together, and what is counted survives them. */
  readonly isShared?: boolean;

  /** Decides several rules together: all or none take. No rule may be asked twice for one key. */
  take(requests: readonly RateRequest[]): Promise<TakeAnswer>;

  /** The same at once, by stores that can. */
  takeNow?(requests: readonly RateRequest[]): TakeAnswer;

  /** The same of one rule, without a list: this is called millions of times a second. */
  takeOneNow?(rule: RateRule, key: string, cost: number): RateDecision;

  /** What `take` would say of each. */
  peek(requests: readonly RateRequest[]): Promise<readonly RateDecision[]>;

  /** Gives back what was reserved and not used, and takes what was used beyond it. */
  settle(settlements: readonly Settlement[]): Promise<void>;

  /** A place in the queue of a leaking bucket, whose states are other ones than those of `take`. */
  schedule(request: RateRequest): Promise<ScheduleAnswer>;

  /** As if this key had never come. */
  reset(rule: RateRule, key: string): Promise<void>;

  close(): Promise<void>;
}

/** A rule whose options are known to be right. */
export function createRateRule(name: string, options: RateLimitOptions): RateRule {
  // Making one checks the numbers as well.
  createInPlaceAlgorithm(options);
  return Object.freeze({ name, options: Object.freeze(checkRateLimit(options)) });
}
