import type { RateDecision } from '../core/index.js';
import type { RateRule } from '../stores/rate-store.js';
import type { OnStoreFailure } from './limiter-options.js';

/** A store that is being replaced is back within seconds; sooner there is nothing to hope for. */
export const RETRY_MS = 1_000;

/** What is decided when nobody counts. */
export function decisionWithoutStore({ options }: RateRule, choice: OnStoreFailure): RateDecision {
  const limit = options.burst ?? options.limit;
  return choice === 'allow'
    ? { allowed: true, limit, remaining: limit, resetMs: 0, retryAfterMs: 0 }
    : { allowed: false, limit, remaining: 0, resetMs: RETRY_MS, retryAfterMs: RETRY_MS };
}
