import { checkOneOf } from '../core/check.js';
import type { RateDecision } from '../core/index.js';
import { createRateRule, type RateRule } from '../stores/rate-store.js';

/** What a decision is when the store gives none. */
export type OnStoreFailure = 'allow' | 'refuse';

/** What holds for what the store does not decide. */
export interface FailureOptions {
  /** What becomes of a request that the store does not decide in time. Allowed by default: limits guard against too much. */
  readonly onStoreFailure?: OnStoreFailure | undefined;
  /** The part of limit and burst that this process lets through by itself while the store gives no decision. */
  readonly localShare?: number | undefined;
}

export const FAILURE_DEFAULTS = Object.freeze({
  // Limits guard against too much. To refuse everybody because nobody counts is more harm than most floods.
  onStoreFailure: 'allow' as OnStoreFailure,
  // How many processes there are, and how evenly requests come to them, only their owner knows.
  localShare: undefined,
});

/** What a rule does without the store. */
export interface Fallback {
  readonly choice: OnStoreFailure;
  /** By which this process decides, if it was given a share. */
  readonly local: RateRule | undefined;
}

/** A store that is being replaced is back within seconds; sooner there is nothing to hope for. */
export const RETRY_MS = 1_000;

export function fallbackOf(rule: RateRule, { onStoreFailure, localShare }: FailureOptions): Fallback {
  const choice = checkOneOf('onStoreFailure', onStoreFailure, ['allow', 'refuse']);
  if (localShare === undefined) return { choice, local: undefined };
  if (typeof localShare !== 'number' || !(localShare > 0 && localShare <= 1)) {
    throw new RangeError(`localShare must be > 0 and <= 1, got ${String(localShare)}`);
  }
  const { limit, burst } = rule.options;
  const options = {
    ...rule.options,
    limit: shareOf(limit, localShare),
    burst: burst === undefined ? undefined : shareOf(burst, localShare),
  };
  return { choice, local: createRateRule(rule.name, options) };
}

/** Rounded down, so that the shares of all are no more than the whole: but 490 times 1/49 is 10, and not 9.999… */
function shareOf(limit: number, share: number): number {
  return Math.max(1, Math.floor(limit * share + 1e-9));
}

/** What is decided when nobody counts. */
export function decisionWithoutStore({ options }: RateRule, choice: OnStoreFailure): RateDecision {
  const limit = options.burst ?? options.limit;
  return choice === 'allow'
    ? { allowed: true, limit, remaining: limit, resetMs: 0, retryAfterMs: 0 }
    : { allowed: false, limit, remaining: 0, resetMs: RETRY_MS, retryAfterMs: RETRY_MS };
}
