import {
  constants,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
  type ServerStreamResponseOptions,
} from 'node:http2';
import { elapsedMs } from '../../core/index.js';
import type { CpuMeter } from '../../server/cpu/index.js';
import type { Exchange } from '../../server/exchange.js';
import type { GuardedRequest } from '../../server/guarded-request.js';
import { CLIENT_MS, STREAM_MS } from '../../server/running/waits-for-client.js';
import { type AnswerName, GRPC_STATUS, type Http2Fields, isGrpcFailure } from '../../wire/index.js';
import { type GrpcAnswers, withTrailers } from './grpc-answers.js';

const EXCHANGE = Symbol('plimsoll.exchange');

type Respond = ServerHttp2Stream['respond'];
type SendTrailers = ServerHttp2Stream['sendTrailers'];

interface GuardedStream extends ServerHttp2Stream {
  [EXCHANGE]: StreamExchange;
}

/** Its date is of no use to a caller of gRPC, and takes as long to write as two other fields. */
const TRAILERS_ONLY = Object.freeze({ endStream: true, sendDate: false });

/** How long the rest of a refused message may be on its way: several round trips, also around the world. */
const REQUEST_END_MS = 1_000;

/** Answers a stream that grpc-js has not seen. */
export function refuseStream(stream: ServerHttp2Stream, fields: Http2Fields, isMoreToCome: boolean): void {
  stream.respond(fields, TRAILERS_ONLY);
  // What was sent of the request is not wanted: read and forgotten, or it would wait in our memory.
  stream.resume();
  // RFC 9113, 8.1: the rest is not wanted either, and nothing was wrong with it. A single message is on its way already.
  if (isMoreToCome) setImmediate(closeQuietly, stream);
  else closeUnlessEnded(stream);
}

/**
 * Whoever never ends its message would keep the stream, and its place among those of the connection, for good. A timer for each
 * takes 0.3 to 0.8 µs by itself, of a refusal's 25 (docs/decisions/0018). One sweep for all was no faster where both refused in
 * turn, and keeps each stream until it looks.
 */
function closeUnlessEnded(stream: ServerHttp2Stream): void {
  const timer = setTimeout(closeQuietly, REQUEST_END_MS, stream).unref();
  stream.once('close', () => clearTimeout(timer));
}

function closeQuietly(stream: ServerHttp2Stream): void {
  if (!stream.destroyed && !stream.closed) stream.close(constants.NGHTTP2_NO_ERROR);
}

/**
 * A call as the HTTP/2 stream that it is: stands between grpc-js and the stream, hears of the status, and adds trailers to
 * it. It uses what is documented of streams, and knows nothing of what grpc-js does with them.
 */
export class StreamExchange implements Exchange {
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  readonly flags: number;
  readonly rawHeaders: readonly string[];
  readonly isMoreToCome: boolean;
  /** What it was delivered under. */
  tag: string | undefined = undefined;
  readonly #request: GuardedRequest;
  readonly #answers: GrpcAnswers;
  /** Undefined until the status was sent. */
  #status: number | undefined = undefined;
  #isCutOff = false;

  constructor(
    request: GuardedRequest,
    answers: GrpcAnswers,
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    flags: number,
    rawHeaders: readonly string[],
    isMoreToCome: boolean,
  ) {
    this.#request = request;
    this.#answers = answers;
    this.stream = stream;
    this.headers = headers;
    this.flags = flags;
    this.rawHeaders = rawHeaders;
    this.isMoreToCome = isMoreToCome;
    (stream as GuardedStream)[EXCHANGE] = this;
    stream.once('close', this.#onClose);
  }

  refuse(request: GuardedRequest, name: AnswerName): void {
    if (this.stream.destroyed || this.stream.closed) return;
    const fields = this.#answers.refusal(name, request.connection.isTrusted);
    refuseStream(this.stream, fields, this.isMoreToCome);
  }

  bind(request: GuardedRequest, meter: CpuMeter): void {
    const { stream } = this;
    // Messages come from the connection, which belongs to nobody.
    meter.bindEvents(stream, request);
    stream.respond = guardedRespond;
    stream.sendTrailers = guardedSendTrailers;
  }

  isError(): boolean {
    return isGrpcFailure(this.#status ?? GRPC_STATUS.unknown);
  }

  isWaitingForClient({ ticket }: GuardedRequest, now: number): boolean {
    const ranMs = elapsedMs(ticket!.startedMs, now);
    if (ranMs < CLIENT_MS) return false;
    const { stream } = this;
    if (!stream.readableEnded) return true;
    return stream.headersSent && (stream.writableNeedDrain || ranMs > STREAM_MS);
  }

  cutOff(request: GuardedRequest): void {
    const { stream } = this;
    if (this.#status !== undefined || stream.destroyed || stream.closed) return;
    const fields = this.#answers.refusal('not-ready', request.connection.isTrusted);
    if (stream.headersSent) {
      const { ':status': _, 'content-type': __, ...trailers } = fields;
      // A message may be on its way. What it is followed by is ours to say, once.
      stream.once('wantTrailers', () => sendTrailers.call(stream, trailers));
      stream.end();
    } else respond.call(stream, fields, TRAILERS_ONLY);
    this.#isCutOff = true;
    // From now on nobody hears what the handler says.
    Object.assign(stream, { write: unheard, end: unheard });
    this.#end(GRPC_STATUS.unavailable);
  }

  /** From grpc-js. */
  respond(fields: object | undefined, options: ServerStreamResponseOptions | undefined): void {
    if (this.#isCutOff) return;
    if (options?.endStream !== true) {
      respond.call(this.stream, fields as Http2Fields, options);
      return;
    }
    respond.call(this.stream, this.#withTrailers(fields), options);
    this.#end(statusOf(fields));
  }

  sendTrailers(fields: object): void {
    if (this.#isCutOff) return;
    sendTrailers.call(this.stream, this.#withTrailers(fields));
    this.#end(statusOf(fields));
  }

  #withTrailers(fields: object | undefined): Http2Fields {
    const { connection } = this.#request;
    connection.door.answers.refresh(performance.now());
    return withTrailers(fields, this.#answers.trailers(connection.isTrusted));
  }

  #end(status: number): void {
    this.#status = status;
    this.#request.connection.onEnd(this.#request);
  }

  readonly #onClose = () => {
    const { connection } = this.#request;
    connection.remove(this.#request);
    connection.door.leave(this.#request);
  };
}

const unheard = () => false;

function statusOf(fields: object | undefined): number {
  return Number((fields as Http2Fields | undefined)?.['grpc-status'] ?? GRPC_STATUS.unknown);
}

/** The prototype's at the time of the call: whoever traces streams may have replaced them. */
const respond: Respond = function (this: ServerHttp2Stream, ...args) {
  return (Object.getPrototypeOf(this) as { respond: Respond }).respond.apply(this, args);
};
const sendTrailers: SendTrailers = function (this: ServerHttp2Stream, ...args) {
  return (Object.getPrototypeOf(this) as { sendTrailers: SendTrailers }).sendTrailers.apply(this, args);
};

const guardedRespond: Respond = function (this: ServerHttp2Stream, fields, options) {
  (this as GuardedStream)[EXCHANGE].respond(fields, options);
};
const guardedSendTrailers: SendTrailers = function (this: ServerHttp2Stream, fields) {
  (this as GuardedStream)[EXCHANGE].sendTrailers(fields);
};
