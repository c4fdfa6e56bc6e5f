import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import { Server as NetServer, type Server, type Socket } from 'node:net';
import { elapsedMs } from '../../core/index.js';
import type { Door } from '../../server/door.js';
import type { GuardedRequest } from '../../server/guarded-request.js';
import { answerName, decodeGrpcTimeout, encodeGrpcTimeout, GRPC_TIMEOUT_HEADER } from '../../wire/index.js';
import type { GrpcAnswers } from './grpc-answers.js';
import { isClientStreaming, type Method } from './method.js';
import { Sessions } from './sessions.js';
import { refuseStream, StreamExchange } from './stream-exchange.js';

type Emit = (this: Server, event: string | symbol, ...args: unknown[]) => boolean;

export interface StreamIntakeParts {
  readonly door: Door;
  readonly answers: GrpcAnswers;
  readonly methodAt: (path: string) => Method | undefined;
}

/** A name that nobody outside can know: what it says is believed. */
const TAG = `plimsoll-call-${randomBytes(8).toString('hex')}`;

/**
 * Stands between servers of HTTP/2 and grpc-js, which listens to them: a call is decided on when its headers are there, and
 * grpc-js hears of it when it is its turn, or not at all (docs/decisions/0018).
 */
export class StreamIntake {
  readonly sessions: Sessions;
  readonly #parts: StreamIntakeParts;
  readonly #servers = new Set<Server>();
  /** Delivered, and not yet with their handlers. */
  readonly #delivered = new Map<string, GuardedRequest>();
  #count = 0;
  /** What a session is being made for just now. */
  #arriving: Socket | undefined = undefined;

  constructor(parts: StreamIntakeParts) {
    this.#parts = parts;
    this.sessions = new Sessions(parts.door);
  }

  /** From now on its events come to us first. */
  attach(server: Server): void {
    const intake = this;
    this.#servers.add(server);
    server.once('close', () => this.#servers.delete(server));
    const ownEmit = Object.hasOwn(server, 'emit') ? (server.emit as Emit) : undefined;
    // The prototype's at the time of the event, which tracers may replace later.
    const emit: Emit = function (...args) {
      return (ownEmit ?? (Object.getPrototypeOf(this) as { emit: Emit }).emit).apply(this, args);
    };
    (server as { emit: Emit }).emit = function (event, ...args) {
      switch (event) {
        case 'stream':
          return intake.#onStream(this, emit, args as StreamArgs);
        case 'connection':
        case 'secureConnection':
          intake.#arriving = args[0] as Socket;
          break;
        case 'session':
          intake.#onSession(args[0] as ServerHttp2Session);
      }
      return emit.call(this, event, ...args);
    };
  }

  /** The request that a handler is called for; undefined when it did not come by way of us. */
  claim(metadata: { get(key: string): unknown[]; remove(key: string): void }): GuardedRequest | undefined {
    const [tag] = metadata.get(TAG);
    if (typeof tag !== 'string') return undefined;
    metadata.remove(TAG);
    const request = this.#delivered.get(tag);
    this.#delivered.delete(tag);
    return request;
  }

  /** Takes no new connections, and sends those there are away. */
  stop(): void {
    // Only that: later Nodes' own `close` ends sessions, too, and what is on its way on them.
    for (const server of this.#servers) if (server.listening) NetServer.prototype.close.call(server);
    this.sessions.leave();
  }

  #onSession(session: ServerHttp2Session): void {
    const socket = this.#arriving;
    this.#arriving = undefined;
    const { remotePort } = session.socket;
    this.sessions.add(session, socket?.remotePort === remotePort ? socket : undefined);
  }

  #onStream(server: Server, emit: Emit, args: StreamArgs): boolean {
    const [stream, headers, flags, raw] = args;
    const type = headers['content-type'];
    // No call: what grpc-js says to that costs next to nothing.
    if (type === undefined || !type.startsWith('application/grpc'))
      return emit.call(server, 'stream', ...args);
    stream.on('error', nothing);
    // Left in the same breath.
    if (stream.destroyed || stream.closed || stream.session === undefined) return true;
    const { door, answers, methodAt } = this.#parts;
    const path = headers[':path'] ?? '';
    const method = methodAt(path);
    const connection = this.sessions.connectionOf(stream.session);
    const rawHeaders = raw ?? flattened(headers);
    const isMoreToCome = isClientStreaming(method?.type) && !stream.endAfterHeaders;
    const request = door.arriveCall(connection, 'POST', path, rawHeaders, method?.route);
    if (request.refusal !== undefined) {
      door.tally.early++;
      const fields = answers.refusal(answerName(request.refusal), connection.isTrusted);
      refuseStream(stream, fields, isMoreToCome);
      return true;
    }
    const exchange = new StreamExchange(request, answers, stream, headers, flags, rawHeaders, isMoreToCome);
    door.enterCall(request, exchange, (delivered) => this.#deliver(delivered, server, emit));
    return true;
  }

  #deliver(request: GuardedRequest, server: Server, emit: Emit): void {
    const exchange = request.exchange as StreamExchange;
    const { stream, headers, flags, rawHeaders } = exchange;
    // Its close is on its way to us.
    if (stream.destroyed || stream.closed) return;
    const tag = String(++this.#count);
    this.#delivered.set(tag, request);
    stream.once('close', () => this.#delivered.delete(tag));
    headers[TAG] = tag;
    shortenTimeout(headers, request);
    emit.call(server, 'stream', stream, headers, flags, rawHeaders);
  }
}

type StreamArgs = [
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  flags: number,
  rawHeaders: readonly string[] | undefined,
];

/** grpc-js counts from when it hears of a call; its client, from when it was sent. */
function shortenTimeout(headers: IncomingHttpHeaders, { arrivedMs }: GuardedRequest): void {
  const said = headers[GRPC_TIMEOUT_HEADER];
  if (typeof said !== 'string') return;
  const waitedMs = elapsedMs(arrivedMs, performance.now());
  const timeoutMs = waitedMs < 1 ? undefined : decodeGrpcTimeout(said);
  if (timeoutMs !== undefined) headers[GRPC_TIMEOUT_HEADER] = encodeGrpcTimeout(timeoutMs - waitedMs);
}

function flattened(headers: IncomingHttpHeaders): string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().flatMap((each) => (each === undefined ? [] : [name, each])),
  );
}

function nothing(): void {}
