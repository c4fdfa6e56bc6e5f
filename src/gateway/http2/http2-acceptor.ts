import { createServer, type Http2Server, type ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { Http2Limits } from './http2-limits.js';
import { Http2Session, type OnStream } from './http2-session.js';

/** How often connections are looked at. */
const LOOK_MS = 1_000;

export interface AcceptorParts {
  readonly limits: Http2Limits;
  readonly onStream: OnStream;
  readonly isLeaving: () => boolean;
}

/** Speaks HTTP/2 on connections that somebody else has accepted. */
export class Http2Acceptor {
  readonly #server: Http2Server;
  readonly #parts: AcceptorParts;
  readonly #sessions = new Map<ServerHttp2Session, Http2Session>();
  readonly #look: NodeJS.Timeout;

  constructor(parts: AcceptorParts) {
    const { limits } = parts;
    this.#parts = parts;
    // It never listens: connections are handed to it.
    this.#server = createServer({
      maxHeaderListPairs: limits.maxHeaders,
      maxSessionMemory: limits.maxMegabytes,
      maxSessionInvalidFrames: limits.maxNonsense,
      maxSessionRejectedStreams: limits.maxNonsense,
      settings: {
        maxConcurrentStreams: limits.maxStreams,
        maxHeaderListSize: limits.maxHeaderBytes,
        initialWindowSize: limits.windowBytes,
      },
    });
    this.#look = setInterval(() => {
      const now = performance.now();
      for (const session of this.#sessions.values()) session.look(now);
    }, LOOK_MS).unref();
  }

  get connections(): number {
    return this.#sessions.size;
  }

  /** Never throws: whoever calls is a server that goes on. */
  readonly accept = (socket: Socket): void => {
    // One that broke in the same breath says so later, when nobody else listens.
    socket.on('error', () => {});
    try {
      if (!socket.destroyed) this.#accept(socket);
    } catch {
      socket.destroy();
    }
  };

  #accept(socket: Socket): void {
    const { limits, onStream, isLeaving } = this.#parts;
    const onSession = (session: ServerHttp2Session) => {
      const parts = { limits, onStream, isLeaving, now: () => performance.now() };
      this.#sessions.set(session, new Http2Session(session, socket, parts));
      session.once('close', () => this.#sessions.delete(session));
    };
    // As servers of HTTP/1.1 have it: an end would be waited for that nobody sends.
    socket.allowHalfOpen = false;
    // Told before this returns.
    this.#server.once('session', onSession);
    this.#server.emit('connection', socket);
    this.#server.off('session', onSession);
  }

  /** Nobody new is wanted on any of them. */
  leave(): void {
    for (const session of this.#sessions.values()) session.leave();
  }

  close(): void {
    clearInterval(this.#look);
    for (const session of this.#sessions.values()) session.destroy();
  }
}
