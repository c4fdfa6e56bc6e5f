import { EventEmitter } from 'node:events';
import type { PeerCertificate } from 'node:tls';
import type { Metadata } from '@grpc/grpc-js';
import { elapsedMs } from '../../core/index.js';
import type { CpuMeter } from '../../server/cpu/index.js';
import type { Exchange } from '../../server/exchange.js';
import type { GuardedRequest } from '../../server/guarded-request.js';
import { STREAM_MS } from '../../server/running/waits-for-client.js';
import {
  type AnswerName,
  GRPC_REFUSALS,
  GRPC_STATUS,
  isGrpcFailure,
  LAME_DUCK_HEADER,
} from '../../wire/index.js';
import type { GrpcAnswers } from './grpc-answers.js';
import type { Calling } from './handler-runner.js';
import { metadataLike } from './metadata.js';
import { type AnyCall, type Callback, hasCallback } from './method.js';

/** The other end of a call, where no more is known of it than grpc-js tells. It closes with the call. */
export class Peer extends EventEmitter {
  /** For the guard, which counts connections. */
  readonly isStream = true;
  readonly remoteAddress: string | undefined;
  readonly #certificate: PeerCertificate | undefined;
  destroyed = false;

  /** `127.0.0.1:5000`, `[::1]:5000` or `unknown`; and what it has shown, if that was accepted. */
  constructor(peer: string, certificate: PeerCertificate | undefined) {
    super();
    this.#certificate = certificate;
    const address = peer.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
    this.remoteAddress = address === 'unknown' ? undefined : address;
  }

  /** As a `TLSSocket` has it, for functions of the user's that tell whose a call is. */
  get authorized(): boolean {
    return this.#certificate !== undefined;
  }

  getPeerCertificate(): PeerCertificate | Record<string, never> {
    return this.#certificate ?? {};
  }

  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.emit('close');
  }
}

interface Ending extends AnyCall {
  end(metadata?: Metadata): void;
}

/** A call as its handler sees it, by documented means alone. */
export class HandlerExchange implements Exchange {
  /** What its handler is called with, in place of grpc-js's own. */
  readonly calling: Calling;
  readonly #request: GuardedRequest;
  readonly #peer: Peer;
  readonly #answers: GrpcAnswers;
  readonly #callback: Callback;
  #status: number | undefined = undefined;

  constructor(
    request: GuardedRequest,
    peer: Peer,
    answers: GrpcAnswers,
    { method, call, callback }: Calling,
  ) {
    this.#request = request;
    this.#peer = peer;
    this.#answers = answers;
    this.#callback = callback;
    this.calling = { method, call, callback: this.#answer };
    // Said after each status, too.
    call.on('cancelled', () => peer.destroy());
    if (!hasCallback(method.type)) this.#followStream(call as Ending);
  }

  refuse(_request: GuardedRequest, name: AnswerName): void {
    this.#refuse(name);
    this.#peer.destroy();
  }

  bind(request: GuardedRequest, meter: CpuMeter): void {
    meter.bindEvents(this.calling.call, request);
  }

  isError(): boolean {
    return isGrpcFailure(this.#status ?? GRPC_STATUS.unknown);
  }

  isWaitingForClient({ ticket }: GuardedRequest, now: number): boolean {
    return this.calling.method.type !== 'unary' && elapsedMs(ticket!.startedMs, now) > STREAM_MS;
  }

  cutOff(): void {
    this.#refuse('not-ready');
    this.#end(GRPC_STATUS.unavailable);
  }

  #refuse(name: AnswerName): void {
    const { call, method } = this.calling;
    const { code, message } = GRPC_REFUSALS[name];
    const fields = this.#answers.refusal(name, this.#request.connection.isTrusted);
    const { 'grpc-status': _, 'grpc-message': __, ...metadata } = fields;
    const status = { code, details: message, metadata: metadataLike(call.metadata, metadata) };
    if (hasCallback(method.type)) this.#callback(status);
    else call.emit('error', status);
  }

  readonly #answer: Callback = (error, value, trailer, flags) => {
    const code = (error as { code?: number } | null)?.code ?? GRPC_STATUS.unknown;
    // As grpc-js chooses. Not added to the error's own: an error may be a constant that many calls are answered with.
    const given = trailer ?? (error as { metadata?: Metadata } | null)?.metadata;
    this.#callback(error, value, this.#trailers(given), flags);
    this.#end(error ? code : GRPC_STATUS.ok);
  };

  #trailers(given?: Metadata | null): Metadata {
    const { connection } = this.#request;
    connection.door.answers.refresh(performance.now());
    const trailers = metadataLike(this.calling.call.metadata, {});
    if (given) trailers.merge(given);
    // Only the guard says it; a handler may have handed on what a backend of its own said.
    trailers.remove(LAME_DUCK_HEADER);
    trailers.merge(metadataLike(trailers, this.#answers.trailers(connection.isTrusted)));
    return trailers;
  }

  #followStream(call: Ending): void {
    const end = call.end.bind(call);
    call.end = (metadata) => end(this.#trailers(metadata));
    call.on('error', (error: { code?: number }) => {
      this.#status ??= error.code ?? GRPC_STATUS.unknown;
    });
    call.on('finish', () => this.#end(this.#status ?? GRPC_STATUS.ok));
  }

  #end(status: number): void {
    this.#status = status;
    this.#request.connection.onEnd(this.#request);
  }
}
