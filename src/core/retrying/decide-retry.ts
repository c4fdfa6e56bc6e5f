import { remainingMs } from '../deadline.js';
import { LESSONS, type Outcome } from '../outcome.js';
import type { RetryBudget } from './retry-budget.js';

/**
 * SRE ch. 21, "Deciding to Retry": the per-request retry budget. A request that met overloaded backends three times
 * will hardly find another one: the whole service is overloaded then.
 */
export const MAX_ATTEMPTS = 3;

/** `retry`, or why not. */
export type RetryVerdict =
  | 'retry'
  /** The outcome is an answer, or says that no retry can help. */
  | 'final'
  | 'attempts-used-up'
  /** Something was sent, and doing it twice is not the same as doing it once. */
  | 'may-have-been-processed'
  /** What was sent of the body cannot be sent again. */
  | 'body-consumed'
  /** The answer to another attempt would come after the deadline. */
  | 'no-time'
  | 'budget-spent';

/** A request one of whose attempts has just ended. */
export interface RetryContext {
  readonly outcome: Outcome;
  /** The attempt that ended, 1 = the first. */
  readonly attempt: number;
  /** MAX_ATTEMPTS unless told. */
  readonly maxAttempts?: number;
  readonly isIdempotent: boolean;
  readonly isBodyConsumed: boolean;
  /** An instant; NO_DEADLINE when there is none. */
  readonly deadlineMs: number;
  /** How long an attempt takes, 0 when nothing is known. */
  readonly expectedMs: number;
  /** How long the backend asks to wait before another attempt; below 0: there is to be none (gRFC A6). 0 unless told. */
  readonly pushbackMs?: number;
}

/**
 * Should the request be sent again? The retry is a new request to whoever picks its backend: nothing here, and nothing
 * there, avoids the one that refused (SRE ch. 21, "Handling Overload Errors").
 *
 * The budget comes last: whatever forbids a retry otherwise has not withdrawn one. Numbers that are none (NaN, an
 * attempt below 1) end in no retry, since a count that never reaches its maximum would be an endless loop.
 */
export function decideRetry(request: RetryContext, budget: RetryBudget, now: number): RetryVerdict {
  const { retry } = LESSONS[request.outcome];
  const { pushbackMs = 0 } = request;
  if (retry === 'no' || !(pushbackMs >= 0)) return 'final';
  const { attempt, maxAttempts = MAX_ATTEMPTS } = request;
  if (!(attempt >= 1 && attempt < maxAttempts)) return 'attempts-used-up';
  // `at-once` and `any-method` are proof that nothing was processed.
  if (retry === 'if-idempotent' && !request.isIdempotent) return 'may-have-been-processed';
  if (request.isBodyConsumed) return 'body-consumed';
  if (!(remainingMs(request.deadlineMs, now) > pushbackMs + Math.max(0, request.expectedMs)))
    return 'no-time';
  if (!isRationed(request.outcome)) return 'retry';
  return budget.tryWithdraw(now) ? 'retry' : 'budget-spent';
}

/**
 * Does a retry after this outcome cost the client budget? Not when no connection was made: no backend had any work from
 * the attempt, so there is no growth to bound, and a restart that closes a port must not fail requests because others
 * used the budget up. (gRPC calls it a transparent retry.) The request budget bounds these, too.
 */
export function isRationed(outcome: Outcome): boolean {
  return LESSONS[outcome].retry !== 'any-method';
}
