import type { Duplex } from 'node:stream';
import {
  type Call,
  type CallRequest,
  type CallStep,
  type Criticality,
  NO_DEADLINE,
  type Outcome,
} from '../../core/index.js';
import { outcomeOfAnswer, retryAfterMs } from '../../wire/index.js';
import type { Service } from '../service/service.js';
import type { ServiceGroup } from '../service/service-group.js';
import { Attempt } from './attempt.js';
import { DeadlineTimer } from './deadline-timer.js';
import { outcomeOfError } from './failure.js';
import { type RawHeaders, type ResponseHandler, toHeaderRecord } from './handler.js';
import { withHttpFace } from './http-face.js';
import type { Outgoing } from './outgoing.js';
import { errorOf, isRefusal, lateError, refusalError } from './refusals.js';
import type { Sending } from './sending.js';

/**
 * One request of a caller and all its attempts. It drives a `Call`, which decides, with what undici tells, and sees to it
 * that the caller hears of exactly one end.
 */
export class Exchange implements CallRequest {
  readonly handler: ResponseHandler;
  readonly customer: string;
  readonly criticality: Criticality;
  readonly deadlineMs: number;
  readonly isIdempotent: boolean;
  readonly startedMs: number;
  readonly #outgoing: Outgoing;
  readonly #service: Service;
  #group: ServiceGroup | undefined = undefined;
  #call: Call | undefined = undefined;
  lastAttempt: Attempt | undefined = undefined;
  #isEnded = false;
  /** The caller has an answer's headers: there is no going back. */
  #isAnswering = false;
  #timer: DeadlineTimer | undefined = undefined;

  constructor(service: Service, outgoing: Outgoing, handler: ResponseHandler, now: number) {
    const { customer, criticality, deadlineMs } = outgoing.hop;
    this.#service = service;
    this.#outgoing = outgoing;
    this.handler = handler;
    this.customer = customer;
    this.criticality = criticality;
    this.deadlineMs = deadlineMs;
    this.isIdempotent = outgoing.isIdempotent;
    this.startedMs = now;
  }

  get sending(): Sending {
    return this.#outgoing.sending;
  }

  get attempts(): number {
    return this.#call?.attempt ?? 0;
  }

  /** Begins; what follows is told to the handler, perhaps before this returns. */
  start(now: number): void {
    this.#service.onStarted();
    try {
      this.handler.onConnect((reason) => this.#abort(reason), {});
    } catch (error) {
      this.#end(error as Error, now);
    }
    if (this.#isEnded) return;
    if (this.deadlineMs !== NO_DEADLINE)
      this.#timer = new DeadlineTimer(this.deadlineMs, this.#service.environment, () => this.#onDeadline());
    if (!this.#service.hold(this, now)) this.proceed(now);
  }

  /** There are backends now, or there is no sense in waiting for them. */
  proceed(now: number): void {
    if (this.#isEnded) return;
    try {
      this.#begin(now);
    } catch (error) {
      this.#giveUp(error as Error, now);
    }
  }

  #begin(now: number): void {
    const group = this.#service.choose(now);
    if (group === undefined) {
      this.#end(this.#service.refusal(now), now);
      return;
    }
    this.#group = group;
    this.#call = group.caller.start(this, now);
    this.#follow(now);
  }

  /** Does what its call says. */
  follow(now: number): void {
    try {
      this.#follow(now);
    } catch (error) {
      // A policy or an option that is impossible: nobody but the caller has to do with it.
      this.#giveUp(error as Error, now);
    }
  }

  #follow(now: number): void {
    const call = this.#call!;
    switch (call.step) {
      case 'send':
        this.#send(call, now);
        return;
      case 'wait':
        this.#group!.onWait();
        return;
      case 'refuse':
        this.#end(call.thrown ?? errorOf(call, this.handler), now);
        return;
      default:
        return;
    }
  }

  #send(call: Call, now: number): void {
    const group = this.#group!;
    const service = this.#service;
    const link = group.linkOf(call.backend!);
    const attempt = new Attempt(this, link, now);
    this.lastAttempt = attempt;
    const headers = this.#outgoing.headersOf(call.attempt, link.host, now, service.environment.random);
    service.observer?.onAttempt(this, attempt, call.attempt, headers);
    link.dispatch(this.#outgoing.optionsWith(headers), attempt);
    group.probes?.send(now);
  }

  onHeaders(
    attempt: Attempt,
    status: number,
    headers: RawHeaders,
    resume: () => void,
    statusText: string,
  ): boolean | undefined {
    attempt.link.onAnswerHeaders(attempt, headers);
    const now = this.#service.environment.monotonicMs();
    if (status < 500 && status !== 429) {
      this.#call!.onAnswerBegun(now);
      // Those that wait for one that was without an answer need not wait for its end.
      this.#afterOutcome(now);
      return this.#forward(status, headers, resume, statusText);
    }
    const record = toHeaderRecord(headers);
    const outcome = outcomeOfAnswer(status, record);
    this.#keepPlace(attempt);
    this.#noteBody();
    if (this.#settle(attempt, outcome, now) === 'send') {
      attempt.discard();
      this.#afterOutcome(now);
      this.follow(now);
      return true;
    }
    this.#afterOutcome(now);
    if (isRefusal(outcome) && this.#service.settings.refusals === 'throw') {
      attempt.discard();
      this.#end(refusalError(outcome, retryAfterMs(record), this.attempts), now);
      return true;
    }
    return this.#forward(status, headers, resume, statusText);
  }

  #forward(status: number, headers: RawHeaders, resume: () => void, statusText: string): boolean | undefined {
    this.#isAnswering = true;
    return this.handler.onHeaders(status, headers, resume, statusText);
  }

  onComplete(attempt: Attempt, trailers: RawHeaders): void {
    const now = this.#service.environment.monotonicMs();
    if (this.#call!.step === 'send') {
      this.#settle(attempt, 'answered', now);
      this.#afterOutcome(now);
    }
    if (this.#finish(now)) this.handler.onComplete(trailers);
  }

  /** Another protocol from here on; what happens on it is the caller's. */
  onUpgrade(attempt: Attempt, status: number, headers: RawHeaders | null, socket: Duplex): void {
    const now = this.#service.environment.monotonicMs();
    this.#isAnswering = true;
    this.#call!.onAnswerBegun(now);
    this.#service.upgraded.add(socket);
    // It counts as active for as long as it lasts.
    socket.once('close', () => {
      this.#service.upgraded.delete(socket);
      const closedMs = this.#service.environment.monotonicMs();
      this.#settle(attempt, 'answered', closedMs);
      this.#afterOutcome(closedMs);
    });
    if (this.#finish(now)) this.handler.onUpgrade?.(status, headers, socket);
  }

  onFailure(attempt: Attempt, error: Error): void {
    const now = this.#service.environment.monotonicMs();
    const outcome = this.#outgoing.hasBodyFailed
      ? undefined
      : outcomeOfError(error, attempt.isStarted, this.#outgoing.isNamed);
    if (this.#call!.step !== 'send') {
      // Settled by its headers, and broken on the way of its body.
      this.#end(error, now);
      return;
    }
    if (outcome === undefined) {
      this.#service.observer?.onOutcome(this, attempt, 'aborted', now);
      this.#call!.abort(now);
      this.#afterOutcome(now);
      this.#end(error, now);
      return;
    }
    this.#noteBody();
    if (this.#isAnswering) this.#call!.isBodyConsumed = true;
    const step = this.#settle(attempt, outcome, now);
    this.#afterOutcome(now);
    if (step === 'send') this.follow(now);
    else this.#end(error, now);
  }

  #keepPlace(attempt: Attempt): void {
    const { backend } = this.#call!;
    if (backend !== undefined) attempt.keepPlace(this.#group!.roster, backend);
  }

  /** Whoever made this client is done with it. */
  fail(error: Error, now: number): void {
    if (!this.#isEnded) this.#giveUp(error, now);
  }

  #noteBody(): void {
    if (this.#outgoing.isBodySpent) this.#call!.isBodyConsumed = true;
  }

  #settle(attempt: Attempt, outcome: Outcome, now: number): CallStep {
    const report = attempt.link.reportOf(attempt);
    const step = this.#call!.onOutcome(outcome, now, report);
    this.#service.observer?.onOutcome(this, attempt, outcome, now);
    return step;
  }

  #afterOutcome(now: number): void {
    this.#group?.resume(now);
  }

  /** The caller gave up. */
  #abort(reason?: Error): void {
    if (this.#isEnded) return;
    const now = this.#service.environment.monotonicMs();
    this.#giveUp(reason ?? new DOMException('This operation was aborted', 'AbortError'), now);
  }

  #giveUp(error: Error, now: number): void {
    const attempt = this.lastAttempt;
    const call = this.#call;
    if (call?.step === 'send' && attempt !== undefined) {
      this.#service.observer?.onOutcome(this, attempt, 'aborted', now);
      this.#keepPlace(attempt);
    }
    call?.abort(now);
    if (call === undefined) this.#service.unhold(this);
    this.#afterOutcome(now);
    attempt?.abort(error);
    this.#end(error, now);
  }

  /** Too late: what was sent counts against its backend, and the caller hears of it now. */
  #onDeadline(): void {
    if (this.#isEnded) return;
    const now = this.#service.environment.monotonicMs();
    const error = lateError(this.lastAttempt !== undefined);
    if (this.#call?.step === 'send' && this.lastAttempt?.isStarted === true) {
      this.#call.isBodyConsumed = true;
      this.#settle(this.lastAttempt, 'broken', now);
    }
    this.#giveUp(error, now);
  }

  #end(error: Error, now: number): void {
    if (!this.#finish(now, error)) return;
    this.handler.onError(this.handler.readsCodeOnly === true ? error : withHttpFace(error));
  }

  /** True once. */
  #finish(now: number, error?: Error): boolean {
    if (this.#isEnded) return false;
    this.#isEnded = true;
    this.#timer?.clear();
    this.#outgoing.cancel();
    this.#service.observer?.onEnd(this, error, now);
    this.#service.onEnded();
    return true;
  }
}
