import type { Duplex } from 'node:stream';
import type { Backend, Roster } from '../../core/index.js';
import type { BackendLink } from '../connections/backend-link.js';
import type { Exchange } from './exchange.js';
import { isBreak } from './failure.js';
import type { ResponseHandler } from './handler.js';
import type { RawHeaders } from './raw-headers.js';

/** Of an answer that nobody wants this much is read, so that the connection can be used again. */
const MOST_DISCARDED_BYTES = 65_536;
/** And for so long. */
const LONGEST_DISCARD_MS = 1_000;

/** One sending of a request to one backend, as undici tells of it. */
export class Attempt implements ResponseHandler {
  readonly link: BackendLink;
  readonly sentMs: number;
  /** Undici writes it: from now on a backend may have processed it. */
  isStarted = false;
  /** Of its answer, once there is one. */
  status: number | undefined = undefined;
  /** What the answer's headers said of the backend's load, as text. */
  report: string | undefined = undefined;
  readonly #exchange: Exchange;
  #abort: ((reason?: Error) => void) | undefined = undefined;
  /** Nobody wants to hear of it any more, and why. */
  #isDropped = false;
  #dropReason: Error | undefined = undefined;
  #discardedBytes = 0;
  #place: (() => void) | undefined = undefined;
  #discardTimer: NodeJS.Timeout | undefined = undefined;

  constructor(exchange: Exchange, link: BackendLink, now: number) {
    this.#exchange = exchange;
    this.link = link;
    this.sentMs = now;
  }

  get backend(): string {
    return this.link.key;
  }

  /**
   * It has been judged, but is not over: until undici lets go of it, it holds a connection or waits for one, and counts as
   * active at its backend.
   */
  keepPlace(roster: Roster, backend: Backend): void {
    roster.acquire(backend);
    this.#place = () => roster.release(backend);
  }

  /** The rest of its answer is not wanted: read, if it is short and comes soon, and thrown away. */
  discard(): void {
    this.#isDropped = true;
    this.#discardTimer = setTimeout(() => this.#abort?.(), LONGEST_DISCARD_MS).unref();
  }

  /** It is not wanted at all. What undici holds back until there is a connection cannot be taken back, only not sent. */
  abort(reason: Error | undefined): void {
    this.#isDropped = true;
    this.#dropReason = reason;
    this.#abort?.(reason);
  }

  onConnect(abort: (reason?: Error) => void): void {
    if (this.#isDropped) {
      abort(this.#dropReason);
      this.#letGo();
      return;
    }
    this.isStarted = true;
    this.#abort = abort;
  }

  onBodySent(chunk: unknown): void {
    if (!this.#isDropped) this.#exchange.handler.onBodySent?.(chunk);
  }

  onRequestSent(): void {
    if (!this.#isDropped) this.#exchange.handler.onRequestSent?.();
  }

  onResponseStarted(): void {
    if (!this.#isDropped) this.#exchange.handler.onResponseStarted?.();
  }

  onHeaders(
    status: number,
    headers: RawHeaders,
    resume: () => void,
    statusText: string,
  ): boolean | undefined {
    if (this.#isDropped) return true;
    // Hints on the way to an answer (RFC 9110, 15.2).
    if (status < 200) return this.#exchange.handler.onHeaders(status, headers, resume, statusText);
    this.status = status;
    return this.#exchange.onHeaders(this, status, headers, resume, statusText);
  }

  onData(chunk: Buffer): boolean | undefined {
    if (!this.#isDropped) return this.#exchange.handler.onData(chunk);
    this.#discardedBytes += chunk.length;
    if (this.#discardedBytes > MOST_DISCARDED_BYTES) this.#abort?.();
    return true;
  }

  onComplete(trailers: RawHeaders): void {
    this.#letGo();
    if (!this.#isDropped) this.#exchange.onComplete(this, trailers);
  }

  onUpgrade(status: number, headers: RawHeaders | null, socket: Duplex): void {
    if (this.#isDropped) socket.destroy();
    else this.#exchange.onUpgrade(this, status, headers, socket);
  }

  onError(error: Error): void {
    this.#letGo();
    if (this.#isDropped) return;
    if (!this.isStarted) {
      this.#exchange.onFailure(this, error);
      return;
    }
    // Before another backend is looked for: of one that ends in good order some connections go on.
    if (isBreak(error)) this.link.onBroken();
    // A process that dies takes all its connections along. Once the ends of all have been seen, none is sent there again.
    setImmediate(() => !this.#isDropped && this.#exchange.onFailure(this, error));
  }

  /** Undici has nothing more to do with it. */
  #letGo(): void {
    clearTimeout(this.#discardTimer);
    const place = this.#place;
    this.#place = undefined;
    place?.();
  }
}
