import { constants, type Http2Session, type ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { Door } from '../../server/door.js';
import { type Connection, connectionOf } from '../../server/intake/connection.js';

/** The largest there is: with it a GOAWAY says that something else will follow (RFC 9113, 6.8). */
const LAST_STREAM = 2 ** 31 - 1;

/** Longer than any way around the world: for those on their way, if the other end does not answer a ping. */
const NOTICE_MS = 500;

/** Connections that speak HTTP/2, each as one of the guard's. */
export class Sessions {
  readonly #door: Door;
  readonly #connections = new Map<Http2Session, Connection>();
  #isLeaving = false;

  constructor(door: Door) {
    this.#door = door;
  }

  /** `socket`: what it speaks on, where that is known; Node shows the session itself less. */
  add(session: ServerHttp2Session, socket: Socket = session.socket as Socket): Connection {
    const connection = connectionOf(socket, this.#door);
    this.#connections.set(session, connection);
    this.#door.loop.onConnection();
    session.once('close', () => this.#connections.delete(session));
    if (this.#isLeaving) leave(session);
    return connection;
  }

  connectionOf(session: Http2Session): Connection {
    return this.#connections.get(session) ?? this.add(session as ServerHttp2Session);
  }

  /** Nobody new is wanted on any of them, nor on those that come. */
  leave(): void {
    this.#isLeaving = true;
    for (const session of this.#connections.keys()) leave(session as ServerHttp2Session);
  }
}

/**
 * Tells the client to ask elsewhere from now on. First without refusing anything: what it has sent before it hears of it
 * is served. Then, once a ping has been there and back, for good; it closes with its last stream.
 */
function leave(session: ServerHttp2Session): void {
  if (session.destroyed || session.closed) return;
  const close = () => {
    if (!session.destroyed && !session.closed) session.close();
  };
  session.goaway(constants.NGHTTP2_NO_ERROR, LAST_STREAM);
  session.ping(close);
  setTimeout(close, NOTICE_MS).unref();
}
