import type { Socket } from 'node:net';
import { errors } from 'undici';
import type { Attempt } from '../dispatch/attempt.js';
import { ChunkReader } from './chunk-reader.js';
import { HeadReader } from './head-reader.js';
import { type BytesReader, copyOf, readBy } from './own-connector.js';
import type { RequestText } from './request-text.js';
import type { ResponseHead } from './response-head.js';

/** What comes next: a head, a body of a known length, one in chunks, or one that ends with the connection. */
type Reading = 'head' | 'length' | 'chunks' | 'all';

/** Whose connection it is, and what it is told of it. */
export interface ConnectionOwner {
  readonly headersTimeoutMs: number;
  readonly bodyTimeoutMs: number;
  nowMs(): number;
  /** `dueMs` of a connection is earlier than it was. */
  onDue(dueMs: number): void;
  /** Its answer is complete, and another request may follow. `keptMs`: for how long the server keeps it, if it said so. */
  onFree(connection: Connection, keptMs: number | undefined): void;
  onClosed(connection: Connection): void;
}

const NONE: readonly string[] = Object.freeze([]);

/** One connection to a backend, which carries one request at a time. It tells attempts of it in undici's words. */
export class Connection implements BytesReader {
  readonly #socket: Socket;
  readonly #owner: ConnectionOwner;
  #attempt: Attempt | undefined = undefined;
  #isWritten = false;
  #isHead = false;
  #reading: Reading = 'head';
  readonly #head = new HeadReader();
  /** Bytes of the body that are still to come. */
  #left = 0;
  #chunks: ChunkReader | undefined = undefined;
  #isKept = false;
  #keptMs: number | undefined = undefined;
  #isPaused = false;
  /** What had been read when it was paused. */
  #held: Buffer | undefined = undefined;
  /** When it has taken too long. */
  dueMs = Number.POSITIVE_INFINITY;

  constructor(socket: Socket, owner: ConnectionOwner) {
    this.#socket = socket;
    this.#owner = owner;
    readBy(socket, this);
    socket.on('error', (error) => this.#fail(error, error));
    socket.on('end', () => this.#onEnd());
    socket.on('close', () => {
      const error = new errors.SocketError('closed');
      this.#fail(error, error);
      owner.onClosed(this);
    });
  }

  /** It can carry a request. */
  get isUsable(): boolean {
    const { destroyed, writable, readable } = this.#socket;
    return !destroyed && writable && readable;
  }

  /** Sends a request. False: it was given up, and nothing was written. */
  send(attempt: Attempt, { head, body, isHead }: RequestText): boolean {
    const socket = this.#socket;
    this.#attempt = attempt;
    this.#isHead = isHead;
    this.#isWritten = false;
    attempt.onConnect((reason) => this.#abort(attempt, reason));
    if (this.#attempt !== attempt) return false;
    this.#isWritten = true;
    this.#waitFor(this.#owner.headersTimeoutMs);
    socket.ref();
    if (body !== undefined) socket.cork();
    socket.write(head, 'latin1');
    if (body !== undefined) {
      socket.write(body);
      socket.uncork();
    }
    try {
      if (body !== undefined) attempt.onBodySent(body);
      attempt.onRequestSent();
    } catch (error) {
      this.#onFault(error as Error);
    }
    return true;
  }

  /** Nobody needs it now. */
  rest(dueMs: number): void {
    this.dueMs = dueMs;
    this.#socket.unref();
  }

  /** `dueMs` has passed. */
  onDue(): void {
    if (this.#attempt === undefined) this.close('socket idle timeout');
    // Whoever waits for its client is not slow.
    else if (this.#isPaused) this.dueMs = Number.POSITIVE_INFINITY;
    else {
      const error =
        this.#reading === 'head' ? new errors.HeadersTimeoutError() : new errors.BodyTimeoutError();
      this.#fail(error, error);
    }
  }

  /** For a reason that is none of the backend's. */
  close(reason: string): void {
    this.#socket.destroy(new errors.InformationalError(reason));
  }

  /** With whatever is being done on it. */
  destroy(error: Error): void {
    this.#fail(error, error);
    this.#socket.destroy(error);
  }

  onBytes(bytes: Buffer, length: number): boolean {
    this.#read(bytes, 0, length);
    return !this.#isPaused;
  }

  #read(bytes: Buffer, start: number, end: number): void {
    let at = start;
    try {
      while (this.#attempt !== undefined && !this.#isPaused) {
        const next = this.#readNext(this.#attempt, bytes, at, end);
        if (next === undefined) return;
        at = next;
      }
    } catch (error) {
      this.#onFault(error as Error);
      return;
    }
    if (at >= end) return;
    if (this.#attempt !== undefined) this.#held = copyOf(bytes, at, end);
    // Behind an answer there is nothing that anybody asked for: it would be taken for the answer to the next request.
    else this.#socket.destroy(new errors.SocketError('bad response'));
  }

  /** Where to go on; undefined: when there is more. */
  #readNext(attempt: Attempt, bytes: Buffer, at: number, end: number): number | undefined {
    switch (this.#reading) {
      case 'head':
        return at === end ? undefined : this.#readHead(attempt, bytes, at, end);
      case 'length':
        if (this.#left === 0) {
          this.#finish(attempt, NONE, at === end);
          return at;
        }
        return at === end ? this.#waitForBody() : this.#readLength(attempt, bytes, at, end);
      case 'chunks':
        if (this.#chunks!.isDone) {
          this.#finish(attempt, this.#chunks!.trailers, at === end);
          return at;
        }
        return at === end ? this.#waitForBody() : this.#readChunks(attempt, bytes, at, end);
      case 'all':
        if (at === end) return this.#waitForBody();
        this.#tell(attempt, bytes, at, end);
        return end;
    }
  }

  #readHead(attempt: Attempt, bytes: Buffer, at: number, end: number): number {
    const reader = this.#head;
    if (!reader.isBegun) attempt.onResponseStarted();
    if (this.#attempt !== attempt) return end;
    const next = reader.read(bytes, at, end);
    if (reader.head !== undefined) this.#onHead(attempt, reader.head);
    return next;
  }

  #onHead(attempt: Attempt, head: ResponseHead): void {
    const { status, headers, reason } = head;
    // A protocol that nobody asked for, and word to send what has been sent.
    if (status === 101 || status === 100) throw new errors.SocketError('bad response');
    // A hint that the answer comes (RFC 9110, 15.2).
    if (status < 200) {
      attempt.onHeaders(status, headers, ignore, reason);
      return;
    }
    const body = head.bodyAfter(this.#isHead);
    this.#reading = typeof body === 'number' ? 'length' : body;
    this.#left = typeof body === 'number' ? body : 0;
    if (body === 'chunks') this.#chunks = new ChunkReader();
    this.#isKept = head.isKept && body !== 'all' && !this.#isHead;
    this.#keptMs = head.keptMs;
    if (attempt.onHeaders(status, headers, () => this.#resume(attempt), reason) === false)
      this.#pause(attempt);
  }

  #readLength(attempt: Attempt, bytes: Buffer, at: number, end: number): number {
    const stop = Math.min(end, at + this.#left);
    this.#left -= stop - at;
    this.#tell(attempt, bytes, at, stop);
    return stop;
  }

  #readChunks(attempt: Attempt, bytes: Buffer, at: number, end: number): number {
    const chunks = this.#chunks!;
    const next = chunks.read(bytes, at, end);
    if (chunks.dataEnd > chunks.dataStart) this.#tell(attempt, bytes, chunks.dataStart, chunks.dataEnd);
    return next;
  }

  /** A copy: the bytes are overwritten by the next read, and whoever gets them may keep them. */
  #tell(attempt: Attempt, bytes: Buffer, at: number, end: number): void {
    if (attempt.onData(copyOf(bytes, at, end)) === false) this.#pause(attempt);
  }

  #waitForBody(): undefined {
    this.#waitFor(this.#owner.bodyTimeoutMs);
    return undefined;
  }

  #waitFor(timeoutMs: number): void {
    this.dueMs = timeoutMs === 0 ? Number.POSITIVE_INFINITY : this.#owner.nowMs() + timeoutMs;
    this.#owner.onDue(this.dueMs);
  }

  #pause(attempt: Attempt): void {
    if (this.#attempt === attempt) this.#isPaused = true;
  }

  #resume(attempt: Attempt): void {
    if (this.#attempt !== attempt || !this.#isPaused) return;
    this.#isPaused = false;
    const held = this.#held ?? EMPTY;
    this.#held = undefined;
    this.#read(held, 0, held.length);
    if (!this.#isPaused) this.#socket.resume();
  }

  #finish(attempt: Attempt, trailers: readonly string[], isAllRead: boolean): void {
    const isWritten = this.#socket.writableLength === 0;
    this.#leave();
    if (!isAllRead) this.#socket.destroy(new errors.SocketError('bad response'));
    // What is answered before all of it was sent is not sent on; and nothing else can follow.
    else if (this.#isKept && isWritten) this.#owner.onFree(this, this.#keptMs);
    else this.close('reset');
    try {
      attempt.onComplete(trailers);
    } catch (error) {
      attempt.onError(error as Error);
    }
  }

  #leave(): void {
    this.#attempt = undefined;
    this.#reading = 'head';
    this.#head.forget();
    this.#chunks = undefined;
    this.#isPaused = false;
    this.#held = undefined;
    this.dueMs = Number.POSITIVE_INFINITY;
  }

  #onEnd(): void {
    const attempt = this.#attempt;
    if (attempt !== undefined && this.#reading === 'all') this.#finish(attempt, NONE, true);
    else {
      const error = new errors.SocketError('other side closed');
      this.#fail(error, error);
    }
  }

  #abort(attempt: Attempt, reason: Error | undefined): void {
    if (this.#attempt !== attempt) return;
    const error = reason ?? new errors.RequestAbortedError();
    if (this.#isWritten) this.#fail(error, new errors.InformationalError('aborted'));
    else {
      this.#leave();
      attempt.onError(error);
    }
  }

  /** What was thrown by whoever listens is nothing that its backend did. */
  #onFault(error: Error): void {
    const isTheirs = error instanceof errors.UndiciError || error instanceof errors.HTTPParserError;
    this.#fail(error, isTheirs ? error : new errors.InformationalError('aborted'));
  }

  /** `cause`: why the connection ends. */
  #fail(error: Error, cause: Error): void {
    const attempt = this.#attempt;
    if (attempt === undefined) return;
    this.#leave();
    this.#socket.destroy(cause);
    attempt.onError(error);
  }
}

const EMPTY = Buffer.alloc(0);

function ignore(): void {}
