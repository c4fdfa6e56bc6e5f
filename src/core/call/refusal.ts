import { type ErrorCode, RejectedError } from '../errors.js';
import { noBackendError } from '../health/roster.js';
import { allBusyError } from '../health/waiting-line.js';
import type { CallerParts } from './caller.js';

/** What a call is refused with, in words. */
export function refusalOf(
  code: ErrorCode,
  { roster, limiter }: Pick<CallerParts, 'roster' | 'limiter'>,
  waitedMs: number,
  now: number,
): RejectedError {
  switch (code) {
    case 'PLIMSOLL_DEADLINE':
      return deadlineError();
    case 'PLIMSOLL_THROTTLED':
      return throttledError();
    case 'PLIMSOLL_NO_BACKEND':
      return noBackendError(roster);
    default:
      return allBusyError({
        backends: roster.snapshot(now).backends.length,
        activeLimit: roster.activeLimit,
        concurrencyLimit: limiter?.limit,
        waitedMs,
      });
  }
}

function deadlineError(): RejectedError {
  return new RejectedError('PLIMSOLL_DEADLINE', 'the deadline had passed before the request was sent', {
    retry: 'no',
  });
}

function throttledError(): RejectedError {
  const message = 'withheld: the service has been refusing most requests of this customer and criticality';
  return new RejectedError('PLIMSOLL_THROTTLED', message, { retry: 'no' });
}
