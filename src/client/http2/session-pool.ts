import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import type { Socket } from 'node:net';
import { errors } from 'undici';
import type { ConnectionOptions } from '../connections/connection-options.js';
import type { ConnectOptions, SocketStash } from '../connections/socket-stash.js';
import type { Attempt } from '../dispatch/attempt.js';
import { type CallEvents, type CallOptions, SessionCall } from './session-call.js';

export interface SessionPoolParts {
  readonly url: URL;
  readonly target: ConnectOptions;
  readonly options: ConnectionOptions;
  readonly connect: SocketStash['connect'];
  /** The backend has said, without an error, that it takes nothing new on a connection. */
  readonly onGoAway: () => void;
}

/** Until the other end has said how many it takes: what RFC 9113, 6.5.2 has for the least. */
const STREAMS_AT_FIRST = 100;
/** What all answers on a connection may bring before they are read: one that is not must not stop the others. */
const WINDOW_BYTES = 1_048_576;

/** Connections to one backend that carry many requests at once each. A new one is opened when those there are are full. */
export class SessionPool {
  readonly #parts: SessionPoolParts;
  readonly #sessions = new Set<BackendSession>();
  #isClosed = false;
  #onEmpty: (() => void) | undefined = undefined;

  constructor(parts: SessionPoolParts) {
    this.#parts = parts;
  }

  dispatch(options: object, attempt: Attempt): void {
    const { headersTimeoutMs, bodyTimeoutMs } = this.#parts.options;
    const session = this.#choose();
    const timeouts = { headersTimeoutMs, bodyTimeoutMs };
    session.take(new SessionCall(options as CallOptions, attempt, timeouts, session));
  }

  /** The fullest that has room: others may then become idle. */
  #choose(): BackendSession {
    let found: BackendSession | undefined;
    let emptiest: BackendSession | undefined;
    let count = 0;
    for (const session of this.#sessions) {
      if (!session.isOpen) continue;
      count++;
      if (session.hasRoom && (found === undefined || session.active > found.active)) found = session;
      if (emptiest === undefined || session.active < emptiest.active) emptiest = session;
    }
    if (found !== undefined) return found;
    // Where no more may be opened, requests wait for the end of others.
    if (emptiest !== undefined && count >= this.#parts.options.perBackend) return emptiest;
    const made = new BackendSession(this.#parts, () => this.#onSessionClosed(made));
    this.#sessions.add(made);
    made.open();
    return made;
  }

  #onSessionClosed(session: BackendSession): void {
    this.#sessions.delete(session);
    if (this.#isClosed && this.#sessions.size === 0) this.#onEmpty?.();
  }

  /** What runs goes on to its end. */
  close(): Promise<void> {
    this.#isClosed = true;
    for (const session of this.#sessions) session.close();
    if (this.#sessions.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onEmpty = resolve;
    });
  }

  destroy(error: Error | null): Promise<void> {
    const closed = this.close();
    for (const session of this.#sessions) session.destroy(error ?? new errors.ClientDestroyedError());
    return closed;
  }
}

/** One of its connections. */
class BackendSession implements CallEvents {
  /** Streams, those included that are being closed. */
  active = 0;
  readonly #parts: SessionPoolParts;
  readonly #onClosed: () => void;
  #session: ClientHttp2Session | undefined = undefined;
  /** What waits for the connection. */
  #waiting: SessionCall[] = [];
  #mostStreams = STREAMS_AT_FIRST;
  /** Calls that are not over. */
  #calls = 0;
  /** Somebody has waited in vain for anything to come on it. */
  #isSilent = false;
  #isClosing = false;
  #isGone = false;
  #idleTimer: NodeJS.Timeout | undefined = undefined;

  constructor(parts: SessionPoolParts, onClosed: () => void) {
    this.#parts = parts;
    this.#onClosed = onClosed;
  }

  get isOpen(): boolean {
    return !this.#isClosing && !this.#isGone;
  }

  get hasRoom(): boolean {
    return this.active < this.#mostStreams;
  }

  open(): void {
    const { connect, target } = this.#parts;
    connect(target, (...[error, socket]: Parameters<Parameters<SocketStash['connect']>[1]>) => {
      if (error !== null || socket === null) this.#fail(error ?? new Error('no connection'));
      else if (this.#isGone) socket.destroy();
      else this.#begin(socket as Socket);
    });
  }

  take(call: SessionCall): void {
    this.active++;
    this.#calls++;
    clearTimeout(this.#idleTimer);
    this.#session?.ref();
    if (this.#session === undefined) this.#waiting.push(call);
    else call.start(this.#session, this.#parts.url);
  }

  /**
   * A connection that has fallen silent (a firewall has forgotten it, a machine is gone, Node reads no more of it after an
   * error) looks as good as any until the system gives it up, after a quarter of an hour. As with HTTP/1.1, nobody is
   * sent there after one who has waited in vain; those who still wait may.
   */
  onOver(isSilent: boolean): void {
    this.#calls--;
    if (isSilent) {
      this.#isSilent = true;
      this.#isClosing = true;
    }
    if (this.#isSilent && this.#calls === 0) this.#session?.destroy();
  }

  onEnd(): void {
    this.active--;
    if (this.active > 0 || this.#isGone) return;
    this.#session?.unref();
    if (this.#isClosing) this.#session?.close();
    else this.#idleTimer = setTimeout(() => this.close(), this.#parts.options.idleMs).unref();
  }

  close(): void {
    this.#isClosing = true;
    clearTimeout(this.#idleTimer);
    // What still waits for the connection is to be sent on it.
    if (this.active === 0) this.#session?.close();
  }

  destroy(error: Error): void {
    if (this.#session === undefined) this.#fail(error);
    else this.#session.destroy(error);
  }

  #begin(socket: Socket): void {
    const { url, onGoAway } = this.#parts;
    const session = connectHttp2(url, {
      createConnection: () => socket,
      peerMaxConcurrentStreams: STREAMS_AT_FIRST,
      settings: { enablePush: false },
    });
    this.#session = session;
    session.on('error', () => {});
    session.on('remoteSettings', ({ maxConcurrentStreams = STREAMS_AT_FIRST }) => {
      this.#mostStreams = maxConcurrentStreams;
    });
    session.once('connect', () => session.setLocalWindowSize(WINDOW_BYTES));
    // What it has taken goes on to its end there; Node closes it then.
    session.on('goaway', (code) => {
      this.#isClosing = true;
      if (code === 0) onGoAway();
    });
    session.once('close', () => {
      socket.destroy();
      this.#fail(Object.assign(new Error('the connection was closed'), { code: 'UND_ERR_SOCKET' }));
    });
    for (const call of this.#waiting.splice(0)) call.start(session, url);
    if (this.active === 0 && this.#isClosing) session.close();
  }

  /** It is gone, or never was. */
  #fail(error: Error): void {
    if (this.#isGone) return;
    this.#isGone = true;
    clearTimeout(this.#idleTimer);
    for (const call of this.#waiting.splice(0)) call.fail(error);
    this.#onClosed();
  }
}
