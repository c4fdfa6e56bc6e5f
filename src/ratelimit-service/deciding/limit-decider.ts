import type { RateDecision } from '../../core/index.js';
import { decisionWithoutStore } from '../../rate-limit/fallback.js';
import type { MaybePromise } from '../../rate-limit/maybe-promise.js';
import { StoreCalls } from '../../rate-limit/store-calls.js';
import { WithoutStore } from '../../rate-limit/without-store.js';
import type { RateStore, TakeAnswer } from '../../stores/rate-store.js';
import type { LimitRequest } from '../messages/limit-request.js';
import { CODES, type DescriptorStatus, type LimitResponse } from '../messages/limit-response.js';
import type { OnStoreFailure } from '../rules/compiled-limit.js';
import type { RateRules } from '../rules/limit-options.js';
import type { Rules } from '../rules/rules-files.js';
import { type HeaderNames, headersOf, metadataOf } from './answer-parts.js';
import { type Asked, askedOf } from './asked.js';
import { RuleStats } from './rule-stats.js';

export interface DeciderOptions {
  readonly store: RateStore;
  readonly timeoutMs: number;
  readonly onStoreFailure: OnStoreFailure;
  /** Everybody passes, whatever rules say. */
  readonly isShadow: boolean;
  readonly responseHeaders: HeaderNames | undefined;
  readonly requestHeaders: HeaderNames | undefined;
  readonly withMetadata: boolean;
  readonly nearRatio: number;
  /** Wall time, for the end of windows that nothing was counted in. */
  readonly nowMs: () => number;
}

/** The store gave no decision, and the rule leaves it to the caller what that means. */
export class StoreUnavailable extends Error {
  constructor() {
    super('the store of rate limits gives no answer');
  }
}

/** What is left of what has no limit, as Envoy's service says it. */
const MOST_REMAINING = 2 ** 32 - 1;
const FREE: DescriptorStatus = { code: CODES.ok, limit: undefined, remaining: 0, resetSeconds: 0 };
const UNLIMITED: DescriptorStatus = { ...FREE, remaining: MOST_REMAINING };
/** Of a limit of 0. */
const NOTHING: RateDecision = { allowed: false, limit: 0, remaining: 0, resetMs: 0, retryAfterMs: Infinity };

/**
 * Answers calls by the rules that hold. Each descriptor counts on its own, also when another one refuses, as in Envoy's
 * service; with Redis all of them are one round trip nevertheless.
 */
export class LimitDecider {
  readonly stats: RuleStats;
  readonly calls: StoreCalls;
  shadowed = 0;
  rules: Rules;
  readonly #options: DeciderOptions;
  readonly #store: RateStore;
  readonly #rateRules: RateRules;
  readonly #without = new WithoutStore();

  constructor(rules: Rules, rateRules: RateRules, options: DeciderOptions) {
    this.rules = rules;
    this.#rateRules = rateRules;
    this.#options = options;
    this.#store = options.store;
    this.calls = new StoreCalls(options.store, options.timeoutMs);
    this.stats = new RuleStats(options.nearRatio);
  }

  /** At once with a store that can. Throws, or rejects, with a RequestError or StoreUnavailable. */
  decide(request: LimitRequest): MaybePromise<LimitResponse> {
    const asked = askedOf(request, this.rules.get(request.domain), this.#rateRules);
    if (this.#store.takeOneNow !== undefined) {
      return this.#respond(
        request,
        asked,
        asked.map((each) => (isCounted(each) ? this.#takeNow(each) : undefined)),
      );
    }
    const counted = asked.filter(isCounted);
    if (counted.length === 0)
      return this.#respond(
        request,
        asked,
        asked.map(() => undefined),
      );
    if (asked.length === 1)
      return this.#take(counted[0]!).then((answer) =>
        this.#respond(request, asked, [this.#decisionOf(counted[0]!, answer)]),
      );
    return Promise.all(asked.map((each) => (isCounted(each) ? this.#take(each) : undefined))).then(
      (answers) =>
        this.#respond(
          request,
          asked,
          asked.map((each, i) => (isCounted(each) ? this.#decisionOf(each, answers[i]) : undefined)),
        ),
    );
  }

  close(): void {
    this.calls.close();
    this.#without.close();
  }

  #takeNow(asked: Asked): RateDecision {
    const { limit, key, hits, isNegative } = asked;
    const store = this.#store;
    try {
      if (isNegative) this.#settle(asked, hits, 0);
      const decision = store.takeOneNow!(limit.rate!, key, isNegative ? 0 : hits);
      this.#chargeRefused(asked, decision);
      return decision;
    } catch (error) {
      if (error instanceof RangeError) throw error;
      this.calls.failed++;
      return this.#decideWithout(asked);
    }
  }

  /** No promise more than it takes: this is on the way of every call. */
  #take(asked: Asked): Promise<TakeAnswer | undefined> {
    const { limit, key, hits, isNegative } = asked;
    if (isNegative) this.#settle(asked, hits, 0);
    return this.calls.take([{ rule: limit.rate!, key, cost: isNegative ? 0 : hits }]);
  }

  #decisionOf(asked: Asked, answer: TakeAnswer | undefined): RateDecision {
    if (answer === undefined || answer.undecided !== undefined) return this.#decideWithout(asked);
    this.#without.onAnswered();
    const decision = answer.decisions[0]!;
    this.#chargeRefused(asked, decision);
    return decision;
  }

  /** What is refused although some is left uses up what is left, where refused hits count. */
  #chargeRefused(asked: Asked, { allowed, remaining }: RateDecision): void {
    if (!allowed && remaining > 0 && asked.limit.countsRefused) this.#settle(asked, 0, asked.hits);
  }

  /** Sent before the answer is, so that the next one finds it done. */
  #settle({ limit, key }: Asked, reserved: number, actual: number): void {
    const settlement = { rule: limit.rate!, key, reserved, actual, takenAtMs: this.#options.nowMs() };
    void this.calls.call(() => this.#store.settle([settlement]));
  }

  #decideWithout({ limit, key, hits, label, isNegative }: Asked): RateDecision {
    this.stats.of(label).undecided += hits;
    const choice = limit.onStoreFailure ?? this.#options.onStoreFailure;
    const local = limit.fallback?.local;
    if (local === undefined) {
      if (choice === 'error') throw new StoreUnavailable();
      return decisionWithoutStore(limit.rate!, choice);
    }
    const fallback = { choice: choice === 'refuse' ? choice : 'allow', local } as const;
    const request = { rule: limit.rate!, key, cost: isNegative ? 0 : hits, fallback };
    return this.#without.take(request).decisions[0]!;
  }

  #respond(
    request: LimitRequest,
    asked: readonly (Asked | undefined)[],
    decisions: readonly (RateDecision | undefined)[],
  ): LimitResponse {
    const { isShadow, responseHeaders, requestHeaders, withMetadata } = this.#options;
    let code: number = CODES.ok;
    const statuses = asked.map((each, i) => {
      if (each === undefined) return FREE;
      const status = this.#statusOf(each, decisions[i] ?? NOTHING);
      if (status.code === CODES.overLimit && !each.limit.isQuota) code = CODES.overLimit;
      return status;
    });
    if (code === CODES.overLimit && isShadow) {
      this.shadowed++;
      code = CODES.ok;
    }
    return {
      code,
      statuses,
      responseHeaders: headersOf(statuses, responseHeaders),
      requestHeaders: headersOf(statuses, requestHeaders),
      metadata: metadataOf(request, asked, statuses, withMetadata),
    };
  }

  #statusOf({ limit, label, hits, isNegative }: Asked, decision: RateDecision): DescriptorStatus {
    if (limit.isUnlimited) {
      this.stats.of(label).total += hits;
      return UNLIMITED;
    }
    const taken = isNegative ? 0 : hits;
    // Nothing is always allowed by a limiter; who asks for nothing wants to know whether there is something left.
    const isOver = !isNegative && (!decision.allowed || (hits === 0 && decision.remaining === 0));
    const used = Math.max(0, limit.requestsPerUnit - decision.remaining);
    this.stats.add(label, limit, taken, decision.allowed ? Math.max(0, used - taken) : used, isOver);
    return {
      code: isOver && !limit.isShadow ? CODES.overLimit : CODES.ok,
      limit,
      remaining: isOver ? 0 : Math.min(decision.remaining, MOST_REMAINING),
      resetSeconds: Math.ceil(this.#resetMs(limit.windowMs, decision) / 1_000),
    };
  }

  /** Windows that begin with their unit end with it, whether or not something was counted. */
  #resetMs(windowMs: number, { resetMs }: RateDecision): number {
    return resetMs > 0 ? resetMs : windowMs - (this.#options.nowMs() % windowMs);
  }
}

/** Whether the store has to be asked. */
function isCounted(asked: Asked | undefined): asked is Asked {
  return asked?.limit.rate !== undefined;
}
