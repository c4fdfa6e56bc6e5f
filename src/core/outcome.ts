/**
 * How one attempt ended, as far as the decisions care. A binding translates what it saw (a status, headers, a socket
 * error) into one of these words; everything that learns from an attempt learns from the word.
 */
export type Outcome =
  /** An answer below 500 that is not 429. */
  | 'answered'
  /** A 5xx of the handler's own making. */
  | 'failed'
  /** The backend shed it and others may have room: retry at once, as a new request. */
  | 'task-overloaded'
  /** The backend shed it and says that others are no better. */
  | 'overloaded-no-retry'
  /** 429: this customer is over its limit or quota. */
  | 'limited'
  /** No connection, so nothing was sent. */
  | 'connect-failed'
  /** Timed out or reset after something was sent: it may have been processed. */
  | 'broken'
  /** The caller gave up: says nothing about the backend. */
  | 'aborted';

/** What one outcome teaches each of the parts that learn. */
export interface Lesson {
  /** Adaptive throttle (SRE ch. 21): does the request count, and as accepted or rejected? */
  readonly throttle: 'accepted' | 'rejected' | 'rejected-customer' | 'not-counted';
  /** May the request be sent again, as far as this outcome goes? */
  readonly retry: 'no' | 'at-once' | 'any-method' | 'if-idempotent';
  /** Does it count as an error against the backend's weight? */
  readonly isError: boolean;
  /** Outlier ejection: does it speak for the backend, against it, or not at all? */
  readonly ejection: 'success' | 'failure' | 'neither';
}

function lesson(
  throttle: Lesson['throttle'],
  retry: Lesson['retry'],
  isError: boolean,
  ejection: Lesson['ejection'],
): Lesson {
  return Object.freeze({ throttle, retry, isError, ejection });
}

/**
 * The table "What an outcome teaches", in one place. Shedding is never held against a backend: one that refuses what
 * it cannot serve is doing its job, and punishing it would move its load onto those that do not refuse yet.
 */
export const LESSONS: Readonly<Record<Outcome, Lesson>> = Object.freeze({
  answered: lesson('accepted', 'no', false, 'success'),
  failed: lesson('accepted', 'if-idempotent', true, 'failure'),
  'task-overloaded': lesson('rejected', 'at-once', false, 'neither'),
  'overloaded-no-retry': lesson('rejected', 'no', false, 'neither'),
  limited: lesson('rejected-customer', 'no', false, 'neither'),
  'connect-failed': lesson('not-counted', 'any-method', false, 'failure'),
  broken: lesson('rejected', 'if-idempotent', true, 'failure'),
  aborted: lesson('not-counted', 'no', false, 'neither'),
});

/** What an outcome teaches; a word that is none of them throws before anything is changed by it. */
export function lessonOf(outcome: Outcome): Lesson {
  const lesson = LESSONS[outcome];
  if (lesson === undefined) {
    throw new RangeError(`outcome must be one of ${Object.keys(LESSONS).join(', ')}, got ${String(outcome)}`);
  }
  return lesson;
}
