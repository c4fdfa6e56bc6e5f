import type { Outcome } from '../core/index.js';
import {
  type AnswerHeaders,
  firstValue,
  OVERLOADED_HEADER,
  PUSHBACK_HEADER,
  RETRY_AFTER_HEADER,
} from './names.js';
import { parseDigits } from './text.js';

/** Nothing longer than a day is waited for. */
const MOST_RETRY_AFTER_SECONDS = 86_400;

/**
 * What an answer is, as far as the decisions care ("What an outcome teaches"). Only a refusal of our kind is provably
 * not processed; any other 5xx is the handler's own. Headers are looked at only when the status asks for it.
 */
export function outcomeOfAnswer(
  status: number,
  headers: AnswerHeaders,
): Exclude<Outcome, 'connect-failed' | 'broken' | 'aborted'> {
  if (status === 429) return 'limited';
  if (status < 500) return 'answered';
  if (firstValue(headers, OVERLOADED_HEADER) !== 'true') return 'failed';
  const pushback = firstValue(headers, PUSHBACK_HEADER);
  // gRFC A6: below zero, and anything that is no number, means do not retry.
  return pushback === undefined || parseDigits(pushback, 9) >= 0 ? 'task-overloaded' : 'overloaded-no-retry';
}

/** How long an answer asks to be left alone. A date (which needs a clock that both sides share) says nothing here. */
export function retryAfterMs(headers: AnswerHeaders): number | undefined {
  const seconds = parseDigits(firstValue(headers, RETRY_AFTER_HEADER) ?? '', 9);
  return seconds < 0 ? undefined : Math.min(seconds, MOST_RETRY_AFTER_SECONDS) * 1_000;
}
