import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { elapsedMs } from '../../core/index.js';
import type { Connection } from './connection.js';
import { cutOff } from './late-message.js';
import { parserOf } from './parser-slot.js';

/** What Node calls the property of a server in which its list of connections is. */
const LIST = 'http.server.connections';

const UNLISTED = Symbol('plimsoll.unlisted');

type UnlistedServer = Server & {
  connectionsCheckingInterval?: number;
  [UNLISTED]?: UnlistedConnections;
};

/**
 * Connections that Node does not list. For `headersTimeout` and `requestTimeout` Node keeps the parsers of a server in two
 * ordered sets, and each message takes its own out of both and puts it in again, twice. With thousands of connections that
 * costs each refusal some microseconds (docs/decisions/0021). Parsers that are made while there is no list are in none; what the
 * list is for is done here instead: late messages, `closeIdleConnections`, `closeAllConnections`.
 */
export class UnlistedConnections {
  readonly #server: UnlistedServer;
  readonly #all: ReadonlySet<Connection>;
  /** Takes a connection in; to be called before its first bytes are read. */
  readonly #take: (socket: Socket) => void;
  /** A connection is on its way to Node's listener. */
  #isHiding = false;
  /** Node has looked for its list since then, and nobody has taken the connection in. */
  #isHidden = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(server: Server, connections: ReadonlySet<Connection>, take: (socket: Socket) => void) {
    this.#server = server;
    this.#all = connections;
    this.#take = take;
    this.#server[UNLISTED] = this;
    // Node makes its list in a listener of its own to this, which comes before ours.
    server.on('listening', this.#onListening);
    server.on('close', () => clearInterval(this.#timer));
    if (server.listening) this.#onListening();
    this.#closeOwn('closeAllConnections', () => true);
    this.#closeOwn('closeIdleConnections', ({ messageSinceMs, socket }) => {
      const { _httpMessage: answer } = socket as { _httpMessage?: { readonly finished: boolean } | null };
      return messageSinceMs === 0 && answer?.finished !== false;
    });
  }

  #closeOwn(
    name: 'closeAllConnections' | 'closeIdleConnections',
    isMeant: (own: Connection) => boolean,
  ): void {
    const close = this.#server[name];
    if (typeof close !== 'function') return;
    this.#server[name] = () => {
      close.call(this.#server);
      for (const connection of this.#own()) if (isMeant(connection)) connection.socket.destroy();
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

  /** A parser that is made in `emit` is in no list, and its connection is taken in, whatever other listeners do. */
  accept(socket: Socket, emit: () => boolean): boolean {
    const wasHiding = this.#isHiding;
    const wasHidden = this.#isHidden;
    this.#isHiding = true;
    this.#isHidden = false;
    try {
      return emit();
    } finally {
      if (this.#isHidden) this.#take(socket);
      this.#isHiding = wasHiding;
      this.#isHidden = wasHidden;
    }
  }

  /** Whether the parser of the connection that is being accepted is in no list. Who asks takes it in. */
  claim(): boolean {
    const wasHidden = this.#isHidden;
    this.#isHidden = false;
    return wasHidden;
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
    let { headersTimeout: headersMs, requestTimeout: requestMs } = this.#server;
    if (headersMs === 0 && requestMs === 0) return;
    // As Node has it.
    if (requestMs > 0 && headersMs > requestMs) [headersMs, requestMs] = [requestMs, headersMs];
    const now = performance.now();
    for (const connection of this.#own()) {
      const { messageSinceMs, isHeadThere, socket } = connection;
      if (messageSinceMs === 0) continue;
      const tookMs = elapsedMs(messageSinceMs, now);
      const isLate =
        (requestMs > 0 && tookMs > requestMs) || (headersMs > 0 && tookMs > headersMs && !isHeadThere);
      if (!isLate) continue;
      // Told once; if somebody listens, it is theirs to close.
      connection.messageSinceMs = Number.POSITIVE_INFINITY;
      cutOff(socket);
    }
  }
}

/** Hands a connection to a server's listeners, for whoever does not do so by its `emit`. */
export function acceptConnection(server: Server, socket: Socket, emit: () => boolean): boolean {
  const unlisted = (server as UnlistedServer)[UNLISTED];
  return unlisted === undefined ? emit() : unlisted.accept(socket, emit);
}
