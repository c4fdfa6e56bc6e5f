import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Refusal } from '../../core/index.js';
import type { Door } from '../door.js';
import type { GuardedRequest } from '../guarded-request.js';
import { flat } from '../refusing/answers.js';
import { endAndReadOn } from './end-and-read-on.js';
import { asksForHttp2 } from './http-upgrade.js';
import { leaveMessages, type MessageTimes, timeMessages } from './message-times.js';
import { EARLY_METHODS, HEAD_METHOD, type HttpParser, type ParserSlot, parserOf } from './parser-slot.js';
import { Stall } from './stall.js';
import { peerOf } from './trust.js';

const METHOD_NAMES: readonly (string | undefined)[] = Array.from({ length: 64 }, (_, at) =>
  EARLY_METHODS.get(at),
);

const CONNECTION = Symbol('plimsoll.connection');

/** The connection of a socket to this door; made when it is first asked for. */
export function connectionOf(socket: Socket, door: Door): Connection {
  const holder = socket as Socket & { [CONNECTION]?: Connection };
  const known = holder[CONNECTION];
  if (known !== undefined && known.door === door) return known;
  const connection = new Connection(socket, door);
  holder[CONNECTION] = connection;
  return connection;
}

/** One client's connection: what it is believed, what it waits for, and what happens to that when it closes. */
export class Connection implements MessageTimes {
  readonly socket: Socket;
  readonly door: Door;
  readonly isTrusted: boolean;
  readonly remoteAddress: string | undefined;
  /** One of several on a connection that counts for itself. */
  readonly isStream: boolean;
  /** Let in when its headers were complete; the request itself comes in the same breath. */
  pending: GuardedRequest | undefined = undefined;
  /** Let in and not over: one, unless the client sends several without waiting. */
  readonly open: GuardedRequest[] = [];
  /** How many came so far; not the last itself, or all that belongs to it would live until the next. */
  #came = 0;
  /** Its last answer has been said: whatever else comes is not looked at. */
  isLingering = false;
  /** When something was last seen to happen on it. */
  quietSinceMs: number = performance.now();
  messageSinceMs: number = this.quietSinceMs;
  isHeadThere = false;
  /** In no list of Node's: see `UnlistedConnections`. */
  isUnlisted = false;
  /** For how long it is kept without requests; 0: that is not our business. */
  idleMs = 0;
  /** What clients are told of that. */
  idleLine = '';
  #leaveParser: (() => void) | undefined;
  readonly #stall = new Stall();
  /** Nothing was served on it so far, so nothing of Node's says when it has been idle for too long. */
  #isIdleTimed = false;

  constructor(socket: Socket, door: Door) {
    this.socket = socket;
    this.door = door;
    this.remoteAddress = socket.remoteAddress;
    this.isStream = (socket as { isStream?: boolean }).isStream === true;
    this.isTrusted = door.isTrusted(peerOf(socket));
    if (socket.destroyed) return;
    socket.on('close', () => this.#onClose());
    door.connections.add(this);
  }

  /** The client is asked to let go of this connection with the next answer. */
  get isLeaving(): boolean {
    return this.door.answers.isLameDuck;
  }

  /** Header lines that go with each answer. */
  get answerLines(): string {
    return this.door.answers.linesFor(this.isTrusted);
  }

  get answerHeaders(): [string, string][] {
    return this.door.answers.headersFor(this.isTrusted);
  }

  /** Whether it is for us to say how long it is kept: not when somebody has told Node. */
  get isOursToKeep(): boolean {
    return this.idleMs > 0 && !serverOf(this.socket)?.keepAliveTimeout;
  }

  keepFor(idleMs: number): void {
    this.idleMs = idleMs;
    this.idleLine = idleMs === 0 ? '' : flat(`Keep-Alive: timeout=${Math.floor(idleMs / 1_000)}\r\n`);
  }

  /** Something was asked for, and its answer is not out. */
  get isAnswering(): boolean {
    return this.open.length > 0 || Boolean((this.socket as { _httpMessage?: object | null })._httpMessage);
  }

  /** How long its client has taken nothing of what it was sent. To be asked again and again. */
  stalledMs(now: number): number {
    return this.#stall.lastsMs(this.socket, now);
  }

  /** Decides on requests as soon as their headers are there, where this Node lets us (see `findParserSlot`). */
  listenEarly(slot: ParserSlot): void {
    const parser = parserOf(this.socket);
    if (parser === undefined) return;
    const connection = this;
    const { original, index, message } = slot;
    if (this.isUnlisted) timeMessages(parser, message, this);
    const onHeaders = function (
      this: HttpParser,
      major: number,
      minor: number,
      headers: string[] | undefined,
      method: number,
      url: string | undefined,
      statusCode: number | undefined,
      statusMessage: string | undefined,
      isUpgrade: boolean,
      isKept: boolean,
    ): number {
      connection.isHeadThere = true;
      const upgrade = isUpgrade && !(headers !== undefined && asksForHttp2(headers));
      // Node loses what comes in one piece with a request whose upgrade is ignored: nothing may follow it.
      const keepAlive = isKept && upgrade === isUpgrade;
      // What follows an answer that says `close` must not be processed (RFC 9112, 9.6): its client believes that it was not.
      if (this.socket === connection.socket && connection.isLingering) {
        // Its body belongs to no request, least of all to the one before.
        this.incoming = null;
        return 0;
      }
      // Parsers go from socket to socket, also to those of clients; and Node gives long lists of headers in parts.
      if (
        this.socket === connection.socket &&
        headers !== undefined &&
        url !== undefined &&
        !upgrade &&
        keepAlive &&
        connection.#isRefused(this, method, url, headers)
      ) {
        return 0;
      }
      connection.door.arriving = connection;
      const result = original.call(
        this,
        major,
        minor,
        headers,
        method,
        url,
        statusCode,
        statusMessage,
        upgrade,
        keepAlive,
      );
      // Node has answered by itself (no Host header, say), and there was no request.
      if (connection.pending !== undefined) connection.#dropPending();
      return result;
    };
    parser[index] = onHeaders;
    this.#leaveParser = () => {
      if (parser[index] === onHeaders) parser[index] = original;
      leaveMessages(parser, message, connection);
    };
    this.socket.once('close', () => this.leaveParser());
  }

  /** Its parser reads for somebody else from now on: Node keeps it, and would keep this connection with it. */
  leaveParser(): void {
    this.#leaveParser?.();
    this.#leaveParser = undefined;
  }

  #onClose(): void {
    this.door.connections.delete(this);
    for (const request of this.open.splice(0)) this.door.leave(request);
  }

  /** A request is on its way to its handler. */
  add(request: GuardedRequest): void {
    // Ended in a way that does not pass by us, such as the method of a prototype.
    if (this.open.length > 0 && this.open[0]!.res?.writableFinished) this.onEnd(this.open[0]!);
    this.open.push(request);
    request.place = ++this.#came;
    if (this.#isIdleTimed) {
      this.#isIdleTimed = false;
      this.socket.setTimeout(serverOf(this.socket)?.timeout ?? 0);
    }
  }

  /** Nobody waits for an answer behind its. */
  isLast({ place }: GuardedRequest): boolean {
    return place === this.#came;
  }

  /** Its response has been ended. */
  onEnd(request: GuardedRequest): void {
    this.remove(request);
    this.door.end(request);
  }

  remove(request: GuardedRequest): void {
    const { open } = this;
    if (open.length === 1 && open[0] === request) {
      open.pop();
      return;
    }
    const at = open.indexOf(request);
    if (at >= 0) open.splice(at, 1);
  }

  /** Nothing is being answered on it, and what was is on its way: bytes written now are the next answer. */
  #isQuiet(parser: HttpParser): boolean {
    const { socket } = this;
    return (
      parser.incoming === null &&
      !(socket as { _httpMessage?: object | null })._httpMessage &&
      !socket.writableNeedDrain &&
      socket.writable
    );
  }

  #isRefused(parser: HttpParser, method: number, url: string, headers: readonly string[]): boolean {
    const name = METHOD_NAMES[method];
    if (name === undefined) return false;
    const request = this.door.arriveEarly(this, name, url, headers);
    if (request?.refusal === undefined || this.door.mayServeCopy(request) || !this.#isQuiet(parser)) {
      this.pending = request;
      return false;
    }
    this.quietSinceMs = request.arrivedMs;
    this.#refuse(request.refusal, request.isCloseNeeded, method === HEAD_METHOD);
    return true;
  }

  #refuse(refusal: Refusal, isCloseNeeded: boolean, isHead: boolean): void {
    const { socket, door } = this;
    door.tally.early++;
    const isClosing = isCloseNeeded || door.answers.isLameDuck;
    socket.write(door.answers.refusal(refusal, isClosing, isHead, this.isTrusted));
    if (isClosing) this.linger();
    else if (this.idleMs === 0 && !this.#isIdleTimed && !socket.timeout) {
      this.#isIdleTimed = true;
      socket.setTimeout(serverOf(socket)?.keepAliveTimeout ?? 0);
    }
  }

  /** Says that no more will come, and looks at nothing more that does. */
  linger(): void {
    this.isLingering = true;
    endAndReadOn(this.socket);
  }

  /** The same once all that was asked for has been answered. */
  closeWhenAnswered(): void {
    this.isLingering = true;
    const { _httpMessage: current } = this.socket as { _httpMessage?: ServerResponse | null };
    if (current) current.once('finish', () => this.closeWhenAnswered());
    else this.linger();
  }

  /** The same for an answer of Node's own, which destroys the socket as soon as that is written. */
  lingerAtEnd(): void {
    this.isLingering = true;
    this.socket.destroySoon = () => this.linger();
  }

  #dropPending(): void {
    const request = this.pending!;
    this.pending = undefined;
    this.door.leave(request);
  }
}

/** Streams that share one are none. */
export function countConnections(connections: Iterable<Connection>): number {
  let count = 0;
  for (const { isStream } of connections) if (!isStream) count++;
  return count;
}

/** What Node itself would have set when it does not know that the connection is in use. */
function serverOf(socket: Socket): { timeout?: number; keepAliveTimeout?: number } | undefined {
  return (socket as { server?: { timeout?: number; keepAliveTimeout?: number } }).server;
}
