import { constants, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { elapsedMs } from '../../core/index.js';
import { decodeGrpcTimeout } from '../../wire/index.js';
import { CANCEL, closeStream, isClosedHere, PROTOCOL_ERROR } from './close-stream.js';
import type { Http2Limits } from './http2-limits.js';
import { Nuisance } from './nuisance.js';
import { readRequestFields } from './request-fields.js';
import { StreamRequest } from './stream-request.js';
import { StreamResponse } from './stream-response.js';
import { SharedConnection, StreamSocket } from './stream-socket.js';

/** The largest there is: with it a GOAWAY says that something else will follow (RFC 9113, 6.8). */
const LAST_STREAM = 2 ** 31 - 1;
/**
 * For those on their way when it is said, if the other end does not answer pings: Node's clients do not once they have
 * heard it and have nothing open, and wait for us to close. Longer than any way around the world.
 */
const NOTICE_MS = 500;
/** An end that was said is done after this, unless streams go on. */
const END_MS = 2_000;

export type OnStream = (req: StreamRequest, res: StreamResponse) => void;

export interface SessionParts {
  readonly limits: Http2Limits;
  readonly onStream: OnStream;
  /** Nobody new is wanted. */
  readonly isLeaving: () => boolean;
  readonly now: () => number;
}

/** One connection that speaks HTTP/2: its streams become requests, and what is too much of anything is its end. */
export class Http2Session {
  readonly session: ServerHttp2Session;
  readonly #parts: SessionParts;
  readonly #connection: SharedConnection;
  readonly #resets: Nuisance;
  readonly #pings: Nuisance;
  #streams = 0;
  #quietSinceMs: number;
  #askedMs: number;
  #isAsked = false;
  /** It was told that nobody new is wanted. */
  #isNoticed = false;

  constructor(session: ServerHttp2Session, socket: Socket, parts: SessionParts) {
    const { limits } = parts;
    const now = parts.now();
    this.session = session;
    this.#parts = parts;
    this.#connection = new SharedConnection(socket);
    this.#resets = new Nuisance(limits.resets, limits.resetsPerSecond, now);
    this.#pings = new Nuisance(limits.pings, limits.pingsPerSecond, now);
    this.#quietSinceMs = now;
    this.#askedMs = now;
    session.setLocalWindowSize(limits.sharedWindowBytes);
    session.on('error', () => {});
    session.on('stream', (stream, headers, _flags, raw?: string[]) =>
      this.#onStream(stream, headers[':method'], raw ?? []),
    );
    session.on('ping', () => this.#annoy(this.#pings));
    session.on('remoteSettings', () => this.#annoy(this.#pings));
  }

  /**
   * Tells the client to ask elsewhere from now on. First without refusing anything: what it has sent before it hears of it
   * is served. Then, once a ping has been there and back, for good; it closes with its last stream.
   */
  leave(): void {
    const { session } = this;
    if (this.#isNoticed || session.destroyed || session.closed) return;
    this.#isNoticed = true;
    session.goaway(constants.NGHTTP2_NO_ERROR, LAST_STREAM);
    // An error is the end of the session, and then there is nothing to close.
    session.ping(() => this.#close());
    setTimeout(() => this.#close(), NOTICE_MS).unref();
  }

  /** Now and then. */
  look(now: number): void {
    const { session } = this;
    const { idleMs } = this.#parts.limits;
    if (this.#streams > 0) {
      this.#askWhetherThere(now);
      return;
    }
    const quietMs = elapsedMs(this.#quietSinceMs, now);
    if (quietMs >= idleMs) this.leave();
    // Said, and the other end does not do its part.
    if ((session.closed || session.destroyed) && quietMs >= END_MS) this.destroy();
  }

  /**
   * Also how a session shows that is dead: after some errors of the protocol Node reads no more of it, not even that its
   * client has gone, and ends none of its streams.
   */
  #askWhetherThere(now: number): void {
    const { session } = this;
    const { askMs, answerMs } = this.#parts.limits;
    const waitedMs = elapsedMs(this.#askedMs, now);
    if (this.#isAsked && waitedMs >= answerMs) this.destroy();
    if (this.#isAsked || waitedMs < askMs || session.destroyed) return;
    this.#askedMs = now;
    this.#isAsked = session.ping((error) => {
      if (error === null) this.#isAsked = false;
    });
  }

  destroy(): void {
    this.session.destroy();
    this.#connection.socket.destroy();
  }

  #close(): void {
    if (!this.session.destroyed && !this.session.closed) this.session.close();
  }

  #onStream(stream: ServerHttp2Stream, method: string | undefined, raw: readonly string[]): void {
    const { limits, onStream, isLeaving } = this.#parts;
    stream.on('error', () => {});
    // Reset in the same breath.
    if (stream.destroyed) {
      this.#annoy(this.#resets);
      return;
    }
    this.#streams++;
    stream.once('close', () => this.#onStreamClosed(stream));
    if (isLeaving()) this.leave();
    if (method === 'CONNECT') {
      stream.respond({ ':status': 405, 'content-length': '0' }, { endStream: true });
      return;
    }
    const hasBody = !stream.endAfterHeaders;
    const fields = readRequestFields(raw, hasBody);
    if (fields === undefined) {
      closeStream(stream, PROTOCOL_ERROR);
      this.#annoy(this.#resets);
      return;
    }
    stream.setTimeout(limits.quietMs, () => closeStream(stream, CANCEL));
    const socket = new StreamSocket(stream, this.#connection);
    const req = new StreamRequest(stream, socket, fields, hasBody);
    const res = new StreamResponse(stream, socket, req);
    if (fields.grpcTimeout !== undefined) endInTime(stream, res, fields.grpcTimeout);
    onStream(req, res);
  }

  #onStreamClosed(stream: ServerHttp2Stream): void {
    this.#streams--;
    this.#quietSinceMs = this.#parts.now();
    if (stream.rstCode !== constants.NGHTTP2_NO_ERROR && !isClosedHere(stream)) this.#annoy(this.#resets);
  }

  /** Beyond what it may do of something it loses everything: whoever does that asks for nothing. */
  #annoy(nuisance: Nuisance): void {
    if (this.session.destroyed || !nuisance.add(this.#parts.now())) return;
    this.session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM);
  }
}

/** Timers longer than this end at once (Node). */
const LONGEST_TIMER_MS = 2_147_483_647;

/**
 * A gRPC client says how long it waits. It ends the call itself then, unless it has vanished: nobody goes on for that. To
 * backends it is as if it had ended it, so a stranger's impatience is not held against them.
 */
function endInTime(stream: ServerHttp2Stream, res: StreamResponse, said: string): void {
  const timeoutMs = decodeGrpcTimeout(said);
  if (timeoutMs === undefined || timeoutMs > LONGEST_TIMER_MS) return;
  const timer = setTimeout(() => res.endLate(), timeoutMs).unref();
  stream.once('close', () => clearTimeout(timer));
}
