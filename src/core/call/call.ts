import type { Criticality } from '../criticality.js';
import { isExpired } from '../deadline.js';
import { elapsedMs } from '../elapsed.js';
import type { ErrorCode, RejectedError } from '../errors.js';
import type { Backend } from '../health/backend.js';
import type { LinePlace } from '../health/line-place.js';
import type { LoadReport } from '../load-report.js';
import { lessonOf, type Outcome } from '../outcome.js';
import type { BackendPick, NoPick } from '../picking/picker.js';
import { decideRetry, isRationed, type RetryContext, type RetryVerdict } from '../retrying/decide-retry.js';
import { type OutcomeAbove, outcomeForAbove } from '../retrying/layering.js';
import type { ThrottleStats } from '../throttling/throttle-stats.js';
import type { Caller } from './caller.js';
import { refusalOf } from './refusal.js';

/** What the caller asks for, as far as decisions care. */
export interface CallRequest {
  readonly customer: string;
  readonly criticality: Criticality;
  /** An instant; Infinity when there is none. */
  readonly deadlineMs: number;
  /** Doing it twice does no harm. */
  readonly isIdempotent: boolean;
}

/** What the driver does next. */
export type CallStep =
  /** Send attempt number `attempt` to `backend`, then report its outcome. */
  | 'send'
  /** Nothing: it will come back by `Caller.resume` or `Caller.expire`. */
  | 'wait'
  /** Hand the last answer or failure to the caller; `above` is what it means to a layer above. */
  | 'answer'
  /** Fail with `error`: nothing was sent, or nothing more is. */
  | 'refuse'
  /** Nothing: the caller gave up. */
  | 'aborted';

/** Why it is not tried again: the rules forbid it, or there was no way to send it. */
export type CallVerdict = RetryVerdict | 'throttled' | 'no-capacity' | NoPick;

/** One request as its client sees it, from throttle to last attempt. */
export class Call<R extends CallRequest = CallRequest> {
  readonly request: R;
  readonly #caller: Caller<R>;
  readonly #stats: ThrottleStats;
  step: CallStep = 'wait';
  /** 1 for the first, carried to the backend. */
  attempt = 1;
  /** Why it was refused, once the step is `refuse`. */
  code: ErrorCode | undefined;
  /** What a policy threw when its turn in line had come: then the step is `refuse`, and there is no code. */
  thrown: Error | undefined;
  /** The driver sets it once the body cannot be sent again. */
  isBodyConsumed = false;
  /**
   * The driver sets it before it reports an outcome: how long the backend asks to wait before the next attempt, below 0 for
   * none. It then sends that attempt after so long.
   */
  pushbackMs = 0;
  #pick: BackendPick | undefined;
  #outcome: Outcome | undefined;
  #verdict: CallVerdict = 'final';
  #sentMs = 0;
  #begunMs: number | undefined = undefined;
  /** Holds a place of the service's concurrency limit. */
  #hasPlace = false;
  #place: LinePlace<Call<R>> | undefined = undefined;
  #waitingSinceMs = 0;
  #refusedMs = 0;
  #error: RejectedError | undefined;

  constructor(caller: Caller<R>, request: R) {
    const { throttle, service } = caller.parts;
    this.#caller = caller;
    this.request = request;
    this.#stats = throttle.statsOf(service, request.customer, request.criticality);
  }

  /** Where the current attempt goes; undefined unless the step is `send`. */
  get backend(): Backend | undefined {
    return this.#pick?.backend;
  }

  /** How the last attempt ended; undefined before the first has. */
  get outcome(): Outcome | undefined {
    return this.#outcome;
  }

  /** Why it was not tried again, once the step is `answer`. */
  get verdict(): CallVerdict {
    return this.#verdict;
  }

  /**
   * What the end of this call is to the layer above, which must not retry what was retried here, nor what was withheld
   * because the service has no room.
   */
  get above(): OutcomeAbove {
    return this.#outcome === undefined ? 'overloaded-no-retry' : outcomeForAbove(this.#outcome, 'final');
  }

  /**
   * What to fail with, once the step is `refuse`. Made when it is asked for: a stack trace costs more than all of the
   * decisions, and a client that throttles has a refusal for most of its requests.
   */
  get error(): RejectedError | undefined {
    if (this.code !== undefined) {
      const waitedMs = elapsedMs(this.#waitingSinceMs, this.#refusedMs);
      this.#error ??= refusalOf(this.code, this.#caller.parts, waitedMs, this.#refusedMs);
    }
    return this.#error;
  }

  /** For Caller: throttle and first pick. */
  begin(now: number): void {
    if (isExpired(this.request.deadlineMs, now)) this.#refuse('PLIMSOLL_DEADLINE', now);
    else if (!this.#caller.parts.throttle.admit(this.#stats, now)) this.#refuse('PLIMSOLL_THROTTLED', now);
    else this.#pickOrWait(now);
  }

  /** For Caller: a backend has room, and the deadline has not passed. */
  resume(now: number): void {
    try {
      this.#pickOrWait(now);
    } catch (error) {
      // A policy that is impossible. It has left the line: nobody else would tell its own caller, and whoever made room for it
      // has nothing to do with that.
      this.thrown = error as Error;
      this.#caller.parts.throttle.settle(this.#stats, 'not-counted', now);
      this.step = 'refuse';
    }
  }

  /** For Caller: the wait is over. */
  expire(now: number): void {
    this.#refuseUnsent('PLIMSOLL_ALL_BUSY', now);
  }

  /**
   * The answer to the current attempt has begun, and is no refusal. How long it goes on is a matter of its length, and of
   * who reads it: its place among those that wait for one is free.
   */
  onAnswerBegun(now: number): void {
    this.#begunMs = now;
    this.#freePlace(true, now);
  }

  /** The attempt is over: what it teaches, and whether there is another. Reported once for each `send`. */
  onOutcome(outcome: Outcome, now: number, report?: LoadReport): CallStep {
    const { throttle: lesson } = lessonOf(outcome);
    const pick = this.#pick;
    if (pick === undefined)
      throw new Error(`an outcome was reported for a call whose step is '${this.step}'`);
    const { budget, throttle } = this.#caller.parts;
    this.#pick = undefined;
    this.#outcome = outcome;
    pick.done(outcome, now, report);
    this.#freePlace(isLearnedFrom(outcome), now);
    throttle.settle(this.#stats, lesson, now);
    if (outcome === 'answered') this.#caller.onLatency(elapsedMs(this.#sentMs, this.#begunMs ?? now), now);
    this.#verdict = decideRetry(this.#retryContext(outcome, now), budget, now);
    if (this.#verdict === 'retry') this.#retry(outcome, now);
    else this.step = 'answer';
    return this.step;
  }

  /** The caller gave up. Says nothing about anybody, and gives everything back. */
  abort(now: number): void {
    if (this.step === 'wait' && this.#place !== undefined) this.#caller.line.leave(this.#place);
    else if (this.step !== 'send') return;
    this.#pick?.done('aborted', now);
    this.#pick = undefined;
    // As any other: if all callers gave up before their answers, a limit that is too high would never hear of it.
    this.#freePlace(true, now);
    this.#caller.parts.throttle.settle(this.#stats, 'not-counted', now);
    this.step = 'aborted';
  }

  #retryContext(outcome: Outcome, now: number): RetryContext {
    const { deadlineMs, isIdempotent } = this.request;
    const { maxAttempts } = this.#caller;
    const expectedMs = this.#caller.expectedMs(now);
    const { attempt, isBodyConsumed, pushbackMs } = this;
    return {
      outcome,
      attempt,
      maxAttempts,
      isIdempotent,
      isBodyConsumed,
      deadlineMs,
      expectedMs,
      pushbackMs,
    };
  }

  /**
   * A new request to throttle and policy, as the text wants it: nothing steers it away from the backend that refused.
   * If it cannot be sent at once, the answer at hand is better than a local error, and better now than late.
   */
  #retry(outcome: Outcome, now: number): void {
    const { budget, throttle } = this.#caller.parts;
    const pick = this.#pickAgain(now);
    if (typeof pick !== 'string') {
      this.attempt++;
      this.#send(pick, now);
      return;
    }
    if (isRationed(outcome)) budget.refund(now);
    // One that the throttle let through was not sent: to the throttle it never was.
    if (pick !== 'throttled') throttle.settle(this.#stats, 'not-counted', now);
    this.#verdict = pick;
    this.step = 'answer';
  }

  #pickAgain(now: number): BackendPick | NoPick | 'throttled' | 'no-capacity' {
    const { throttle, tryTakeCapacity } = this.#caller.parts;
    if (!throttle.admit(this.#stats, now)) return 'throttled';
    if (tryTakeCapacity !== undefined && !tryTakeCapacity(now)) return 'no-capacity';
    return this.#caller.pick(now);
  }

  #pickOrWait(now: number): void {
    const pick = this.#caller.pick(now);
    if (typeof pick !== 'string') this.#send(pick, now);
    else if (pick === 'no-backend') this.#refuseUnsent('PLIMSOLL_NO_BACKEND', now);
    else this.#wait(now);
  }

  #send(pick: BackendPick, now: number): void {
    // The budget is earned by what is sent, not by what is asked: requests withheld here are no reason to retry others.
    if (this.attempt === 1) this.#caller.parts.budget.onRequest(now);
    this.#pick = pick;
    this.#sentMs = now + this.pushbackMs;
    this.#begunMs = undefined;
    this.#hasPlace = this.#caller.parts.limiter !== undefined;
    this.step = 'send';
  }

  /** Once for each attempt. */
  #freePlace(isLearned: boolean, now: number): void {
    if (!this.#hasPlace) return;
    this.#hasPlace = false;
    const limiter = this.#caller.parts.limiter!;
    if (isLearned) limiter.release(this.#sentMs, now);
    else limiter.cancel();
  }

  #wait(now: number): void {
    this.#waitingSinceMs = now;
    const { deadlineMs, criticality } = this.request;
    this.#place = this.#caller.line.join(this, deadlineMs, now, criticality);
    if (this.#place !== undefined) this.step = 'wait';
    else this.#refuseUnsent('PLIMSOLL_ALL_BUSY', now);
  }

  /** The throttle let it through, but it was never sent: to the throttle it never was. */
  #refuseUnsent(code: ErrorCode, now: number): void {
    this.#caller.parts.throttle.settle(this.#stats, 'not-counted', now);
    this.#refuse(code, now);
  }

  #refuse(code: ErrorCode, now: number): void {
    this.code = code;
    this.#refusedMs = now;
    this.step = 'refuse';
  }
}

/** Refusals and connections that failed are quick, and say nothing of how long the work takes. */
function isLearnedFrom(outcome: Outcome): boolean {
  return outcome === 'answered' || outcome === 'failed' || outcome === 'broken';
}
