import type { ErrorCode } from '../../core/errors.js';
import type { Outcome } from '../../core/outcome.js';
import type { RequestEnd } from './request.js';

/** How a request ended that was answered, or not, by its last attempt. */
export function endOf(outcome: Outcome, isDegraded: boolean, isLate: boolean): RequestEnd {
  switch (outcome) {
    case 'answered':
      return isDegraded ? 'degraded' : 'served';
    case 'failed':
      return 'failed';
    case 'task-overloaded':
    case 'overloaded-no-retry':
      return 'shed';
    case 'limited':
      return 'limited';
    default:
      return isLate ? 'timed-out' : 'broken';
  }
}

/** How one ended that was not sent. */
export function endOfRefusal(code: ErrorCode | undefined): RequestEnd {
  switch (code) {
    case 'PLIMSOLL_THROTTLED':
      return 'throttled';
    case 'PLIMSOLL_DEADLINE':
      return 'timed-out';
    default:
      return 'unsent';
  }
}
