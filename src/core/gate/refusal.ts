import type { OverloadError } from '../retrying/overload-advice.js';

/** Why a server refuses a request. */
export type RefusalReason =
  /** Still initialising, or past the end of its drain: not this one, but any other backend. */
  | 'not-ready'
  /** Its deadline has passed: nobody waits for the answer. */
  | 'deadline'
  /** Its customer is over its quota. */
  | 'quota'
  /** Utilization is above what its criticality is served at. */
  | 'utilization'
  /** It would wait too long in the queue. */
  | 'queue'
  /** It waited, and a more critical one took its place. */
  | 'evicted';

/** What to answer: one of the two overload errors, `limited` (429), or `late`, to which nobody listens. */
export type RefusalAnswer = OverloadError | 'limited' | 'late';

/** Made beforehand and shared: refusing must cost next to nothing (SRE ch. 21). */
export interface Refusal {
  readonly reason: RefusalReason;
  readonly answer: RefusalAnswer;
}

function refusal(reason: RefusalReason, answer: RefusalAnswer): Refusal {
  return Object.freeze({ reason, answer });
}

export const NOT_READY = refusal('not-ready', 'task-overloaded');
export const TOO_LATE = refusal('deadline', 'late');
export const OVER_QUOTA = refusal('quota', 'limited');

/** Which of the two overload errors it is, is decided with each refusal. */
type Shedding = Readonly<Record<OverloadError, Refusal>>;

function shedding(reason: RefusalReason): Shedding {
  return Object.freeze({
    'task-overloaded': refusal(reason, 'task-overloaded'),
    'overloaded-no-retry': refusal(reason, 'overloaded-no-retry'),
  });
}

export const SHED_BY_UTILIZATION = shedding('utilization');
export const SHED_BY_QUEUE = shedding('queue');
export const SHED_BY_EVICTION = shedding('evicted');
