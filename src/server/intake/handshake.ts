import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { elapsedMs, NO_DEADLINE } from '../../core/index.js';
import { type AnswerName, renderRefusal } from '../../wire/index.js';
import type { Exchange } from '../exchange.js';
import type { GuardedRequest } from '../guarded-request.js';
import { CLIENT_MS, STREAM_MS } from '../running/waits-for-client.js';
import { REQUEST, requestOf, tie } from './guarded-response.js';

type Write = (this: Duplex, ...args: unknown[]) => boolean;

/** As much of an answer as says what it is. */
const STATUS_LINE = /^HTTP\/1\.\d (\d{3})/;
const STATUS_BYTES = 12;

/**
 * A request for another protocol (`upgrade`, `CONNECT`), which is a request until the head of its answer is there. Node hands
 * its connection over and makes no response, so what is written on that tells: the word that the protocol begins is its
 * end, and any other answer is over with the connection. What happens on a connection that was joined is nobody's request.
 */
export class Handshake implements Exchange {
  readonly #request: GuardedRequest;
  readonly #socket: Duplex;
  #restore: () => void = ignore;
  /** Of its answer, once the head of that is there. */
  #status: number | undefined = undefined;

  constructor(request: GuardedRequest, socket: Duplex) {
    this.#request = request;
    this.#socket = socket;
    // Node listens to it no longer, and it may break before its turn comes.
    socket.on('error', ignore);
    // Nobody waits for the answer: with other requests Node ends their connections then.
    socket.on('end', this.#onLeft);
  }

  /** Hands it to those who listen, who answer when they like. */
  deliver(emit: () => unknown): void {
    const socket = this.#socket;
    // Its close is on its way to us.
    if (socket.destroyed) return;
    (socket as { [REQUEST]?: GuardedRequest })[REQUEST] = this.#request;
    this.#watch();
    try {
      emit();
    } catch (error) {
      // Whether the process ends by it is not for us to say; nobody will answer.
      socket.destroy();
      throw error;
    }
  }

  #watch(): void {
    const socket = this.#socket;
    const handshake = this;
    const { write } = socket;
    const watched = function (this: Duplex, ...args: unknown[]) {
      const result = (write as Write).apply(this, args);
      handshake.#onWritten(args[0]);
      return result;
    } as Duplex['write'];
    socket.write = watched;
    this.#restore = () => {
      // Unless somebody else stands there by now, who calls ours.
      if (socket.write === watched) socket.write = write;
    };
    socket.on('finish', this.#onOver);
  }

  #onWritten(piece: unknown): void {
    if (this.#status !== undefined) return;
    const status = statusOf(piece);
    // A hint on the way to an answer.
    if (status < 200 && status !== 101) return;
    this.#status = status;
    this.#letGo();
    const { connection, method } = this.#request;
    if (status === 101 || (method === 'CONNECT' && status < 300)) {
      // Whoever has it now says how long it lasts, and what is done on it is not late.
      connection.keepFor(0);
      this.#request.deadlineMs = NO_DEADLINE;
      this.#onOver();
    }
  }

  /** There is nothing to wait for on it any more but its end. */
  #letGo(): void {
    this.#socket.off('end', this.#onLeft);
    this.#restore();
  }

  readonly #onLeft = () => {
    this.#socket.destroy();
  };

  readonly #onOver = () => {
    this.#socket.off('finish', this.#onOver);
    this.#request.connection.onEnd(this.#request);
  };

  refuse({ connection }: GuardedRequest, name: AnswerName): void {
    const socket = this.#socket;
    this.#letGo();
    if (socket.destroyed) return;
    // No parser reads it any more, and nobody would notice that the other end has closed.
    socket.resume();
    socket.write(renderRefusal(name, { close: true }));
    connection.linger();
  }

  /** What follows its head belongs to no request. */
  bind(): void {}

  isError(): boolean {
    return this.#status !== undefined && this.#status >= 500;
  }

  isWaitingForClient({ ticket }: GuardedRequest, now: number): boolean {
    const ranMs = elapsedMs(ticket!.startedMs, now);
    if (this.#status === undefined || ranMs < CLIENT_MS) return false;
    return this.#socket.writableNeedDrain || ranMs > STREAM_MS;
  }

  cutOff(request: GuardedRequest): void {
    const socket = this.#socket;
    if (this.#status !== undefined) {
      socket.destroy();
      return;
    }
    this.refuse(request, 'not-ready');
    // What its handler still says is not heard.
    socket.write = () => false;
    this.#status = 503;
    request.connection.onEnd(request);
  }
}

/**
 * The handshake that a handler of ordinary requests is to answer, by a response that was made for it: some applications
 * are asked so whether they agree. Undefined when it is none.
 */
export function handshakeOf(req: IncomingMessage, res: ServerResponse): GuardedRequest | undefined {
  const request = requestOf(req.socket);
  if (request?.state !== 'running' || request.res !== undefined) return undefined;
  request.res = res;
  tie(res, request);
  return request;
}

/** What does not begin as an answer is the other protocol already. */
function statusOf(piece: unknown): number {
  const begin =
    typeof piece === 'string'
      ? piece.slice(0, STATUS_BYTES)
      : Buffer.from((piece as Uint8Array).subarray(0, STATUS_BYTES)).toString('latin1');
  return Number(STATUS_LINE.exec(begin)?.[1] ?? 101);
}

function ignore(): void {}
