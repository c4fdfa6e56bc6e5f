import type { Socket } from 'node:net';
import { type Dispatcher, errors, type Pool } from 'undici';
import type { ConnectionOptions } from '../connections/connection-options.js';
import type { ConnectOptions, SocketStash } from '../connections/socket-stash.js';
import type { Attempt } from '../dispatch/attempt.js';
import { Connection, type ConnectionOwner } from './connection.js';
import { DueTimer } from './due-timer.js';
import { type RequestOptions, type RequestText, requestText } from './request-text.js';
import { atTurnEnd, type TurnEndJob } from './turn-end.js';

export interface ConnectionPoolParts {
  readonly url: URL;
  readonly target: ConnectOptions;
  readonly options: ConnectionOptions;
  /** For how long a connection is kept when its server does not say. */
  readonly quietMs: number;
  readonly nowMs: () => number;
  /** Opens those of `createOwnConnector`. */
  readonly connect: SocketStash['connect'];
  /** For requests that are not simple. */
  readonly createOther: () => Pool;
}

/** We let go of a connection so long before the server would, or a request might meet a closing door. As undici has it. */
const BEFORE_SERVER_MS = 2_000;

/** A request that has not been sent yet: it waits for a connection, or on one for the end of the turn. */
class Waiting implements TurnEndJob {
  readonly #pool: ConnectionPool;
  readonly attempt: Attempt;
  readonly request: RequestText;
  #connection: Connection | undefined = undefined;

  constructor(pool: ConnectionPool, attempt: Attempt, request: RequestText) {
    this.#pool = pool;
    this.attempt = attempt;
    this.request = request;
  }

  reserve(connection: Connection): void {
    this.#connection = connection;
    atTurnEnd(this);
  }

  onTurnEnd(): void {
    this.#pool.sendReserved(this, this.#connection!);
  }
}

/**
 * Connections to one backend by HTTP/1.1, without TLS, one request at a time on each, as many as there are requests. Whatever
 * is not simple (bodies that come by and by, upgrades, what may be no request at all) goes to undici: docs/decisions/0022.
 */
export class ConnectionPool implements ConnectionOwner {
  readonly headersTimeoutMs: number;
  readonly bodyTimeoutMs: number;
  readonly #parts: ConnectionPoolParts;
  readonly #connections = new Set<Connection>();
  /** Used last, first: the others may then become old. Some may be closed. */
  readonly #idle: Connection[] = [];
  /** Requests for which there is no connection yet. */
  readonly #waiting: Waiting[] = [];
  #opening = 0;
  /** Connections that are to carry a request when the turn ends. */
  #reserved = 0;
  readonly #due: DueTimer;
  #other: Pool | undefined = undefined;
  #isClosed = false;
  #destroyError: Error | undefined = undefined;
  #closed: Promise<void> | undefined = undefined;
  #onEmpty: (() => void) | undefined = undefined;

  constructor(parts: ConnectionPoolParts) {
    const { headersTimeoutMs, bodyTimeoutMs, idleMs } = parts.options;
    this.#parts = parts;
    this.headersTimeoutMs = headersTimeoutMs;
    this.bodyTimeoutMs = bodyTimeoutMs;
    const shortestMs = Math.min(headersTimeoutMs || idleMs, bodyTimeoutMs || idleMs, idleMs);
    this.#due = new DueTimer(parts.nowMs, shortestMs, (now) => this.#look(now));
  }

  dispatch(options: object, attempt: Attempt): void {
    const { url } = this.#parts;
    const request = requestText(options as RequestOptions, url.host);
    if (request === undefined) {
      this.#other ??= this.#parts.createOther();
      this.#other.dispatch(
        options as Dispatcher.DispatchOptions,
        attempt as Attempt & Dispatcher.DispatchHandler,
      );
    } else this.#send(new Waiting(this, attempt, request));
  }

  #send(waiting: Waiting): void {
    const connection = this.#takeIdle();
    if (connection !== undefined) this.#reserve(connection, waiting);
    else {
      this.#waiting.push(waiting);
      this.#open();
    }
  }

  #takeIdle(): Connection | undefined {
    for (;;) {
      const connection = this.#idle.pop();
      if (connection === undefined || connection.isUsable) return connection;
    }
  }

  #reserve(connection: Connection, waiting: Waiting): void {
    connection.dueMs = Number.POSITIVE_INFINITY;
    this.#reserved++;
    waiting.reserve(connection);
  }

  /** All that had come has been read. */
  sendReserved(waiting: Waiting, connection: Connection): void {
    this.#reserved--;
    if (connection.isUsable) this.#sendOn(connection, waiting);
    else if (this.#destroyError === undefined) this.#send(waiting);
    else waiting.attempt.onError(this.#destroyError);
    this.#lookForEnd();
  }

  #sendOn(connection: Connection, { attempt, request }: Waiting): void {
    if (!connection.send(attempt, request)) this.onFree(connection, undefined);
  }

  #open(): void {
    this.#opening++;
    this.#parts.connect(this.#parts.target, (...[error, socket]) => {
      this.#opening--;
      if (error === null && socket !== null) this.#onOpened(socket as Socket);
      // One of those that were opened meanwhile, or became free, may have taken its request.
      else if (this.#waiting.length > this.#opening)
        this.#waiting.shift()!.attempt.onError(error ?? new errors.SocketError('no connection'));
      this.#lookForEnd();
    });
  }

  #onOpened(socket: Socket): void {
    const connection = new Connection(socket, this);
    this.#connections.add(connection);
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.onFree(connection, undefined);
    else this.#sendOn(connection, waiting);
  }

  nowMs(): number {
    return this.#parts.nowMs();
  }

  onDue(dueMs: number): void {
    this.#due.onDue(dueMs);
  }

  onFree(connection: Connection, keptMs: number | undefined): void {
    const { options, quietMs } = this.#parts;
    const waiting = this.#waiting.shift();
    const idleMs = keptMs === undefined ? quietMs : Math.min(keptMs - BEFORE_SERVER_MS, options.idleMs);
    if (waiting !== undefined && idleMs > 0) this.#reserve(connection, waiting);
    else {
      if (waiting !== undefined) this.#waiting.unshift(waiting);
      if (idleMs <= 0 || this.#isClosed) connection.close('reset');
      else this.#rest(connection, idleMs);
    }
  }

  #rest(connection: Connection, idleMs: number): void {
    const dueMs = this.nowMs() + idleMs;
    this.#idle.push(connection);
    connection.rest(dueMs);
    this.#due.onDue(dueMs);
  }

  onClosed(connection: Connection): void {
    this.#connections.delete(connection);
    this.#lookForEnd();
  }

  /** The earliest time at which one of them will have taken too long. */
  #look(now: number): number {
    let nextMs = Number.POSITIVE_INFINITY;
    for (const connection of this.#connections) {
      if (connection.dueMs <= now) connection.onDue();
      if (connection.dueMs > now) nextMs = Math.min(nextMs, connection.dueMs);
    }
    this.#forgetClosed();
    return nextMs;
  }

  #forgetClosed(): void {
    const usable = this.#idle.filter(({ isUsable }) => isUsable);
    this.#idle.length = 0;
    for (const connection of usable) this.#idle.push(connection);
  }

  /** What runs goes on to its end; connections are closed as they become free. */
  async close(): Promise<void> {
    const other = this.#other?.close();
    await Promise.all([this.#closeOwn(), other]);
  }

  #closeOwn(): Promise<void> {
    this.#isClosed = true;
    for (const connection of this.#idle.splice(0)) connection.close('nobody needs it');
    this.#closed ??= new Promise((resolve) => {
      this.#onEmpty = resolve;
    });
    this.#lookForEnd();
    return this.#closed;
  }

  #lookForEnd(): void {
    // Of a pool that was destroyed nobody waits for connections that are only being opened: they are closed when they are.
    const opening = this.#destroyError === undefined ? this.#opening : 0;
    if (!this.#isClosed || this.#connections.size + opening + this.#reserved > 0) return;
    this.#due.stop();
    this.#onEmpty?.();
  }

  /** Everything ends now. */
  async destroy(given: Error | null): Promise<void> {
    const error = given ?? new errors.ClientDestroyedError();
    this.#destroyError = error;
    const other = this.#other?.destroy(given);
    const closed = this.#closeOwn();
    for (const { attempt } of this.#waiting.splice(0)) attempt.onError(error);
    for (const connection of this.#connections) connection.destroy(error);
    await Promise.all([closed, other]);
  }
}
