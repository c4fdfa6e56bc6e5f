import { type Outcome, RejectedError } from '../../core/index.js';

/** A backend shed it: not processed, and no answer that a caller asked for. */
export function isRefusal(outcome: Outcome): outcome is 'task-overloaded' | 'overloaded-no-retry' {
  return outcome === 'task-overloaded' || outcome === 'overloaded-no-retry';
}

/** What the caller is told when there is no attempt left. */
export function refusalError(
  outcome: 'task-overloaded' | 'overloaded-no-retry',
  afterMs: number | undefined,
  attempts: number,
): RejectedError {
  const tries = attempts === 1 ? 'one attempt' : `${attempts} attempts`;
  const details = afterMs === undefined ? {} : { retryAfterMs: afterMs };
  return outcome === 'task-overloaded'
    ? new RejectedError('PLIMSOLL_OVERLOADED', `refused by an overloaded backend, after ${tries}`, {
        retry: 'later',
        ...details,
      })
    : new RejectedError(
        'PLIMSOLL_DONT_RETRY',
        `the service is overloaded and asks not to retry, after ${tries}`,
        {
          retry: 'no',
          ...details,
        },
      );
}

export function lateError(wasSent: boolean): RejectedError {
  const message = wasSent
    ? 'the deadline passed before the answer came'
    : 'the deadline passed before the request was sent';
  return new RejectedError('PLIMSOLL_DEADLINE', message, { retry: 'no' });
}

/** Not where all that belongs to the language is frozen (`--frozen-intrinsics`). */
const canLeaveOutStacks = Object.getOwnPropertyDescriptor(Error, 'stackTraceLimit')?.writable === true;

/**
 * What a call was refused with; without a stack for those who read the code only. It is a tenth of what a refusal costs, and made
 * of some kilobytes that are thrown away.
 */
export function errorOf(
  call: { readonly error: RejectedError | undefined },
  { readsCodeOnly }: { readonly readsCodeOnly?: boolean },
): RejectedError {
  if (readsCodeOnly !== true || !canLeaveOutStacks) return call.error!;
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return call.error!;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
