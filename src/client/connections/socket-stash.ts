import type { Socket } from 'node:net';
import { buildConnector } from 'undici';
import type { ConnectionOptions } from './connection-options.js';
import { isGracefulGoAway } from './go-away.js';
import { type Greeting, greet, speaksHttp2 } from './greeting.js';
import { requireHttp2 } from './require-http2.js';

/** As undici asks for a connection, and is given it. */
export type Connector = ReturnType<typeof buildConnector>;
export type ConnectOptions = Parameters<Connector>[0];
type ConnectCallback = Parameters<Connector>[1];

export function createConnector({ tls, connectTimeoutMs, http2 }: ConnectionOptions): Connector {
  const options = { ...tls, timeout: connectTimeoutMs, allowH2: http2 !== false };
  const connector = buildConnector(options as buildConnector.BuildOptions);
  return http2 === 'required' ? requireHttp2(connector) : connector;
}

/** Node's servers end connections on which no request comes for a minute; nothing kept here is nearly as old. */
const LONGEST_KEPT_MS = 20_000;

export interface StashListener {
  onConnected(): void;
  onConnectFailed(error: Error): void;
  /** A connection is gone; `isExpected`: because of something that we did, or was told before. */
  onClosed(open: number, isExpected: boolean): void;
  /** The server ends a connection gracefully. */
  onGoAway(): void;
  /** What became of a greeting, if there was a connection for it. */
  onGreeted(greeting: Greeting): void;
}

/**
 * Makes the connections to one backend, and keeps one that was opened before it was needed until it is. Undici opens
 * them only when there is a request.
 */
export class SocketStash {
  readonly #connector: Connector;
  readonly #other: Connector;
  readonly #target: ConnectOptions;
  readonly #listener: StashListener;
  #kept: Socket | undefined = undefined;
  #keptTimer: NodeJS.Timeout | undefined = undefined;
  #cancelGreeting: (() => void) | undefined = undefined;
  #isOpening = false;
  #isClosed = false;
  /** Connections there are, in use or not. */
  open = 0;

  /** `other` makes connections of another kind, of which none is kept. */
  constructor(connector: Connector, target: ConnectOptions, listener: StashListener, other = connector) {
    this.#connector = connector;
    this.#other = other;
    this.#target = target;
    this.#listener = listener;
  }

  /** For a pool. */
  readonly connect = (options: ConnectOptions, callback: ConnectCallback): void => {
    const kept = this.#take();
    // Not at once: undici is in the middle of deciding what to do without one.
    if (kept !== undefined && isFor(kept, options)) queueMicrotask(() => callback(null, kept));
    else {
      kept?.destroy(expected());
      this.#open(this.#connector, options, callback);
    }
  };

  /** One of the other kind. */
  readonly connectOther = (options: ConnectOptions, callback: ConnectCallback): void => {
    this.#open(this.#other, options, callback);
  };

  /** Opens one to keep, unless there is one or it is being opened. */
  warm(): void {
    if (this.#isOpening || this.#kept !== undefined || this.#isClosed) return;
    this.#isOpening = true;
    this.#open(this.#connector, this.#target, (error, socket) => {
      this.#isOpening = false;
      if (error === null && socket) this.#keep(socket as Socket);
    });
  }

  /** Opens one to see whether the server says GOAWAY on it too, and closes it. */
  greet(): void {
    if (this.#isOpening || this.#isClosed) return;
    this.#isOpening = true;
    this.#connector(this.#target, (...[error, socket]: Parameters<ConnectCallback>) => {
      if (error === null && socket !== null && !this.#isClosed)
        this.#cancelGreeting = greet(socket as Socket, (greeting) => this.#onGreeted(greeting));
      else {
        this.#isOpening = false;
        socket?.destroy();
        if (!this.#isClosed) this.#listener.onConnectFailed(error ?? new Error('no connection'));
      }
    });
  }

  /** Closes the one that is kept. */
  drop(): void {
    this.#take()?.destroy(expected());
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelGreeting?.();
    this.drop();
  }

  #onGreeted(greeting: Greeting): void {
    this.#isOpening = false;
    this.#cancelGreeting = undefined;
    if (!this.#isClosed) this.#listener.onGreeted(greeting);
  }

  #open(connector: Connector, options: ConnectOptions, callback: ConnectCallback): void {
    connector(options, (...args: Parameters<ConnectCallback>) => {
      const [error, socket] = args;
      if (error !== null || socket === null) {
        // Told first: a request that was to go there looks for another backend at once. That it has no certificate for a
        // name which one request made up is no fault of the backend.
        if (this.#isItsName(options)) this.#listener.onConnectFailed(error ?? new Error('no connection'));
        callback(...args);
        return;
      }
      this.#watch(socket as Socket);
      callback(...args);
      // Told last: whoever has waited for a connection finds this one.
      this.#listener.onConnected();
    });
  }

  #isItsName({ protocol, servername, hostname }: ConnectOptions): boolean {
    return (
      protocol !== 'https:' || (servername || hostname) === (this.#target.servername || this.#target.hostname)
    );
  }

  #watch(socket: Socket): void {
    this.open++;
    // Before requests that it breaks look for another backend: the end itself is seen only after that.
    socket.once('error', (error) => {
      if (!this.#isClosed && isGracefulGoAway(error)) this.#listener.onGoAway();
    });
    socket.once('close', () => {
      this.open--;
      if (this.#kept === socket) this.#take();
      // Undici's own reasons are none of the backend's: an idle connection, an answer that said `close`, an abort.
      const { errored } = socket;
      const { code } = (errored ?? {}) as { code?: string };
      const isOurs = this.#isClosed || code === 'UND_ERR_INFO' || code === 'UND_ERR_DESTROYED';
      // Ended by us, too: one slow answer is no closed port. A new connection shows whether the machine is there.
      const isLate = code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT';
      const isExpected = isOurs || isLate || isGracefulGoAway(errored);
      this.#listener.onClosed(this.open, isExpected);
      if (isLate && this.open === 0) this.warm();
    });
  }

  #keep(socket: Socket): void {
    if (this.#isClosed) {
      socket.destroy();
      return;
    }
    socket.on('error', ignore);
    // The server speaks first then, and what it says is for a session to read: the end behind it would not be seen here.
    if (speaksHttp2(socket)) {
      socket.destroy(expected());
      return;
    }
    this.#kept = socket;
    socket.unref();
    // To see the other end close it. Nothing else can come: nothing was asked.
    socket.on('readable', onReadable);
    socket.read(0);
    this.#keptTimer = setTimeout(() => this.drop(), LONGEST_KEPT_MS);
    this.#keptTimer.unref();
  }

  #take(): Socket | undefined {
    const kept = this.#kept;
    if (kept === undefined) return undefined;
    this.#kept = undefined;
    clearTimeout(this.#keptTimer);
    kept.off('readable', onReadable);
    kept.ref();
    if (!kept.destroyed && kept.readable) return kept;
    kept.destroy();
    return undefined;
  }
}

/** One that is closed because nobody needed it. */
function expected(): Error {
  return Object.assign(new Error('nobody needed it'), { code: 'UND_ERR_INFO' });
}

function ignore(): void {}

function onReadable(this: Socket): void {
  // Bytes that nobody asked for, or the end.
  this.read();
  if (this.readableEnded || this.bytesRead > 0) this.destroy();
}

/** A connection made for one name must not be used for another: the certificate was checked for the first. */
function isFor(socket: Socket, { protocol, servername }: ConnectOptions): boolean {
  if (protocol !== 'https:') return true;
  const { servername: checked } = socket as { servername?: string | false };
  return !servername || checked === servername;
}
