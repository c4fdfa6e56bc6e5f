import type { InterceptorOptions, Metadata, NextCall, StatusObject } from '@grpc/grpc-js';
import { isRefusal, lateError, refusalError } from '../../client/dispatch/refusals.js';
import type { ObservedRequest } from '../../client/observing/observer.js';
import {
  type Call as CallDecisions,
  type Criticality,
  type Outcome,
  RejectedError,
} from '../../core/index.js';
import { attemptMetadata } from './attempt-metadata.js';
import { follow } from './attempt-progress.js';
import { type CallFacts, factsOf, wallDeadline } from './call-facts.js';
import type { ChannelCaller } from './channel-caller.js';
import { type AttemptOwner, GrpcAttempt } from './grpc-attempt.js';
import { type CallListener, completeListener, type Listener, type MessageContext } from './grpc-call.js';
import { emptyMetadata, finalFailure, finalRefusal, refusedStatus } from './refused-status.js';
import { SentMessages } from './sent-messages.js';
import { DEADLINE_EXCEEDED, UNAVAILABLE } from './status-codes.js';
import { isMadeHere, outcomeOfStatus, pushbackMsOf } from './status-outcome.js';

/**
 * One call of a client and all its attempts. It drives a `Call` of the core, which decides, and sees to it that the client
 * hears of exactly one end. To grpc-js it is an intercepting call.
 */
export class GrpcExchange implements AttemptOwner, ObservedRequest {
  readonly #channel: ChannelCaller;
  readonly #options: InterceptorOptions;
  readonly #nextCall: NextCall;
  readonly #sent: SentMessages;
  readonly #isStreamAnswered: boolean;
  #facts: CallFacts | undefined = undefined;
  #given: Metadata | undefined = undefined;
  #listener: Listener = completeListener(undefined);
  #call: CallDecisions | undefined = undefined;
  #attempt: GrpcAttempt | undefined = undefined;
  #retryTimer: NodeJS.Timeout | NodeJS.Immediate | undefined = undefined;
  #isEnded = false;
  /** How the attempt ended that the caller hears of. */
  #outcome: Outcome = 'aborted';
  startedMs = 0;

  constructor(channel: ChannelCaller, options: InterceptorOptions, nextCall: NextCall) {
    const { requestStream, responseStream } = options.method_definition;
    this.#channel = channel;
    this.#options = options;
    this.#nextCall = nextCall;
    this.#sent = new SentMessages(requestStream);
    this.#isStreamAnswered = responseStream;
  }

  get service(): string {
    return this.#channel.settings.service;
  }

  /** `/package.Service/Method`. */
  get path(): string {
    return this.#options.method_definition.path;
  }

  get criticality(): Criticality {
    return this.#facts!.request.criticality;
  }

  get customer(): string {
    return this.#facts!.request.customer;
  }

  get attempts(): number {
    return this.#call?.attempt ?? 0;
  }

  get #now(): number {
    return this.#channel.settings.environment.monotonicMs();
  }

  start(metadata: Metadata, listener?: CallListener): void {
    const now = this.#now;
    this.startedMs = now;
    this.#given = metadata;
    this.#listener = completeListener(listener);
    this.#facts = factsOf(this.#options, this.#channel.settings, now);
    this.#channel.onStarted();
    this.#call = this.#channel.caller.start(this.#facts.request, now);
    if (this.#call.step === 'send') this.#send();
    else this.#refuse();
  }

  /** The throttle withholds it, or its deadline has passed. */
  #refuse(): void {
    this.#channel.refused++;
    const status = refusedStatus(this.#call!.error!, this.#given!);
    // Not before `start` has returned: whoever started it has not kept it yet.
    process.nextTick(() => this.#end(status));
  }

  #send(): void {
    const { settings } = this.#channel;
    const { environment } = settings;
    const now = this.#now;
    const { hop } = this.#facts!;
    const metadata = attemptMetadata(this.#given!, hop, this.#call!.attempt, now, environment.random);
    const progress = follow(metadata);
    const deadline = wallDeadline(hop.deadlineMs, now, environment);
    const call = this.#nextCall({ ...this.#options, deadline });
    const attempt = new GrpcAttempt(this, call, this.#listener, !this.#isStreamAnswered, progress, now);
    this.#attempt = attempt;
    this.#channel.tally.onAttempt(this, attempt, this.#call!.attempt, metadata);
    call.start(metadata, attempt);
    this.#sent.replay(call);
  }

  onBegun(attempt: GrpcAttempt): void {
    if (attempt === this.#attempt && this.#call!.step === 'send') this.#call!.onAnswerBegun(this.#now);
  }

  onStatus(attempt: GrpcAttempt, status: StatusObject): void {
    if (attempt !== this.#attempt || this.#isEnded) return;
    const call = this.#call!;
    if (call.step !== 'send') {
      // The caller gave up.
      this.#deliver(attempt, status);
      return;
    }
    const { isFollowed, isStarted, rejection } = attempt.progress;
    const isUnsent = isFollowed && !isStarted && !attempt.hasHeaders;
    if (isUnsent) this.#endUnsent(attempt, status, rejection);
    else this.#settle(attempt, status);
  }

  /** No connection ever had it: it says nothing of any backend, and the policy has waited for one as long as it may. */
  #endUnsent(
    attempt: GrpcAttempt,
    status: StatusObject,
    rejection: GrpcAttempt['progress']['rejection'],
  ): void {
    const error = status.code === DEADLINE_EXCEEDED ? lateError(false) : rejection;
    this.#abort(attempt);
    const isOurs = error !== undefined && (status.code === DEADLINE_EXCEEDED || status.code === UNAVAILABLE);
    if (isOurs) this.#channel.refused++;
    this.#deliver(attempt, isOurs ? refusedStatus(error, this.#given!) : status);
  }

  #settle(attempt: GrpcAttempt, status: StatusObject): void {
    const call = this.#call!;
    const outcome = outcomeOfStatus(status, isMadeHere(status, attempt.hasHeaders), attempt.hasHeaders);
    if (outcome === 'aborted') {
      this.#abort(attempt);
      this.#deliver(attempt, status);
      return;
    }
    const isHandedOn = this.#isStreamAnswered && attempt.hasHeaders;
    call.isBodyConsumed = isHandedOn || this.#sent.isSpent;
    call.pushbackMs = pushbackMsOf(status.metadata);
    const now = this.#now;
    const step = call.onOutcome(outcome, now);
    this.#outcome = outcome;
    this.#channel.tally.onOutcome(this, attempt, outcome, now);
    if (step === 'send') this.#sendAgain(call.pushbackMs);
    else this.#deliver(attempt, this.#statusFor(outcome, status));
  }

  /** Nobody waits for it, or nobody ever had it: it says nothing of any backend. */
  #abort(attempt: GrpcAttempt | undefined): void {
    const now = this.#now;
    this.#outcome = 'aborted';
    if (this.#call?.step === 'send' && attempt !== undefined)
      this.#channel.tally.onOutcome(this, attempt, 'aborted', now);
    this.#call?.abort(now);
  }

  /**
   * After all that the end of the last attempt brings about: a process that dies takes all its calls along, and once all
   * those ends were seen, none is sent there again.
   */
  #sendAgain(afterMs: number): void {
    this.#attempt = undefined;
    const send = () => {
      this.#retryTimer = undefined;
      this.#send();
    };
    this.#retryTimer = afterMs > 0 ? setTimeout(send, afterMs) : setImmediate(send);
  }

  #statusFor(outcome: Outcome, status: StatusObject): StatusObject {
    if (!isRefusal(outcome)) return outcome === 'failed' ? finalFailure(status) : status;
    return finalRefusal(status, refusalError(outcome, undefined, this.#call!.attempt));
  }

  cancelWithStatus(code: number, details: string): void {
    if (this.#isEnded || this.#given === undefined) return;
    this.#abort(this.#attempt);
    clearTimeout(this.#retryTimer as NodeJS.Timeout);
    clearImmediate(this.#retryTimer as NodeJS.Immediate);
    const status = { code, details, metadata: emptyMetadata(this.#given) };
    if (this.#attempt !== undefined) this.#attempt.call.cancelWithStatus(code, details);
    else process.nextTick(() => this.#end(status));
  }

  sendMessageWithContext(context: MessageContext, message: unknown): void {
    // Nobody will write it, and nobody should wait for that.
    if (this.#isEnded || this.#call?.step === 'refuse') process.nextTick(() => context.callback?.());
    else this.#sent.send(this.#attempt?.call, context, message);
  }

  sendMessage(message: unknown): void {
    this.sendMessageWithContext({}, message);
  }

  halfClose(): void {
    this.#sent.halfClose(this.#attempt?.call);
  }

  startRead(): void {
    this.#sent.startRead(this.#attempt?.call);
  }

  getPeer(): string {
    return this.#attempt?.call.getPeer() ?? 'unknown';
  }

  getAuthContext(): ReturnType<GrpcAttempt['call']['getAuthContext']> {
    return this.#attempt?.call.getAuthContext() ?? null;
  }

  #deliver(attempt: GrpcAttempt, status: StatusObject): void {
    if (this.#finish(status)) attempt.deliver(status);
  }

  #end(status: StatusObject): void {
    if (!this.#finish(status)) return;
    // As grpc-js does where no message came.
    if (!this.#isStreamAnswered) this.#listener.onReceiveMessage(null);
    this.#listener.onReceiveStatus(status);
  }

  /** True once. */
  #finish(status: StatusObject & { readonly cause?: unknown }): boolean {
    if (this.#isEnded) return false;
    this.#isEnded = true;
    this.#channel.running--;
    const { cause } = status;
    const failure = this.#outcome === 'answered' ? undefined : status;
    this.#channel.tally.onEnd(this, cause instanceof RejectedError ? cause : failure, this.#now);
    return true;
  }
}
