import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { elapsedMs } from '../../core/index.js';
import type { Connection } from './connection.js';
import { parserOf } from './parser-slot.js';

/** What Node calls the property of a server in which its list of connections is. */
const LIST = 'http.server.connections';

const TOO_LATE = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n';

const UNLISTED = Symbol('plimsoll.unlisted');

type UnlistedServer = Server & {
  connectionsCheckingInterval?: number;
  [UNLISTED]?: UnlistedConnections;
};

interface Message {
  readonly finished: boolean;
  readonly _headerSent: boolean;
}

/**
 * Connections that Node does not list. For `headersTimeout` and `requestTimeout` Node keeps the parsers of a server in two
 * ordered sets, and each message takes its own out of both and puts it in again, twice. With thousands of connections that
 * is most of what a refusal costs (docs/decisions/0021). Parsers that are made while there is no list are in none; what the
 * list is for is done here instead: late messages, `closeIdleConnections`, `closeAllConnections`.
 */
export class UnlistedConnections {
  readonly #server: UnlistedServer;
  readonly #all: ReadonlySet<Connection>;
  /** A connection is on its way to Node's listener. */
  #isHiding = false;
  /** Node has looked for its list since then. */
  #isHidden = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(server: Server, connections: ReadonlySet<Connection>) {
    this.#server = server;
    this.#all = connections;
    this.#server[UNLISTED] = this;
    // Node makes its list in a listener of its own to this, which comes before ours.
    server.on('listening', this.#onListening);
    server.on('close', () => clearInterval(this.#timer));
    if (server.listening) this.#onListening();
    const { closeAllConnections, closeIdleConnections } = server;
    server.closeAllConnections = () => {
      closeAllConnections.call(server);
      for (const { socket } of this.#own()) socket.destroy();
    };
    server.closeIdleConnections = () => {
      closeIdleConnections.call(server);
      for (const { messageSinceMs, socket } of this.#own())
        if (messageSinceMs === 0 && messageOf(socket)?.finished !== false) socket.destroy();
    };
  }

  readonly #onListening = () => {
    this.#hideList();
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.#look(), this.#server.connectionsCheckingInterval ?? 30_000).unref();
  };

  /** Only while a connection is handed on: whoever else asks for the list finds it. */
  #hideList(): void {
    const server = this.#server as unknown as Record<symbol, unknown>;
    const key = Object.getOwnPropertySymbols(server).find(({ description }) => description === LIST);
    if (key === undefined || !Object.getOwnPropertyDescriptor(server, key)?.writable) return;
    let list = server[key];
    Object.defineProperty(server, key, {
      configurable: true,
      enumerable: true,
      get: () => {
        if (!this.#isHiding) return list;
        this.#isHidden = true;
        return undefined;
      },
      set: (other) => {
        list = other;
      },
    });
  }

  /** A parser that is made in `emit` is in no list. */
  accept(emit: () => boolean): boolean {
    const wasHiding = this.#isHiding;
    const wasHidden = this.#isHidden;
    this.#isHiding = true;
    this.#isHidden = false;
    try {
      return emit();
    } finally {
      this.#isHiding = wasHiding;
      this.#isHidden = wasHidden;
    }
  }

  /** Whether the parser of the connection that is being accepted is in no list. */
  get isUnlisted(): boolean {
    return this.#isHidden;
  }

  /** Those of this server that still speak HTTP. */
  *#own(): Iterable<Connection> {
    for (const connection of this.#all) {
      const { socket, isUnlisted } = connection;
      if (!isUnlisted || (socket as { server?: unknown }).server !== this.#server) continue;
      if (parserOf(socket) !== undefined) yield connection;
    }
  }

  #look(): void {
    const { headersTimeout, requestTimeout } = this.#server;
    const now = performance.now();
    for (const connection of this.#own()) {
      const { messageSinceMs, isHeadThere, socket } = connection;
      if (messageSinceMs === 0) continue;
      const tookMs = elapsedMs(messageSinceMs, now);
      const isLate =
        (requestTimeout > 0 && tookMs > requestTimeout) ||
        (headersTimeout > 0 && tookMs > headersTimeout && !isHeadThere);
      if (!isLate) continue;
      // Told once; if somebody listens, it is theirs to close.
      connection.messageSinceMs = Number.POSITIVE_INFINITY;
      this.#cutOff(socket);
    }
  }

  /** As Node does it. */
  #cutOff(socket: Socket): void {
    const error = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    if (this.#server.emit('clientError', error, socket)) return;
    // In the midst of an answer it would be taken for a part of it.
    if (socket.writable && messageOf(socket)?._headerSent !== true) socket.write(TOO_LATE);
    socket.destroy();
  }
}

/** The answer that has the socket. */
function messageOf(socket: Socket): Message | undefined {
  return (socket as { _httpMessage?: Message | null })._httpMessage ?? undefined;
}

/** Hands a connection to a server's listeners, for whoever does not do so by its `emit`. */
export function acceptConnection(server: Server, emit: () => boolean): boolean {
  const unlisted = (server as UnlistedServer)[UNLISTED];
  return unlisted === undefined ? emit() : unlisted.accept(emit);
}
