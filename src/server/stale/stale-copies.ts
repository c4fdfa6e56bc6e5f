import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { Environment } from '../../core/index.js';
import { type AnswerListener, tapAnswer, untapAnswer } from './answer-tap.js';
import { Capture } from './capture.js';
import { CopyKeeper } from './copy-keeper.js';
import { copyWishOf, hasCredentials, keyOf } from './copy-key.js';
import { CopyStore } from './copy-store.js';
import type { StaleCopy } from './stale-copy.js';
import { type StaleOptions, staleOptions } from './stale-options.js';

export interface StaleSnapshot {
  readonly entries: number;
  readonly bytes: number;
  /** Copies made, and answers that were to be copied and were not: too large, broken off, no room. */
  readonly stored: number;
  readonly givenUp: number;
  /** Answers given from copies, and requests for which there was none. */
  readonly served: number;
  readonly missed: number;
  /** Copies dropped because something was written, or is gone. */
  readonly forgotten: number;
}

const REAL_TIME: Pick<Environment, 'monotonicMs' | 'wallMs'> = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
};

/** Of methods that change nothing, answers leave the copies as they are (RFC 9110 9.2.1). */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/**
 * Copies of answers, made as they pass, for requests that are not to be answered in full (SRE ch. 21: "a local copy of
 * results that may not be fully up to date"). Kept by the rules of a shared HTTP cache (RFC 9111), and more carefully:
 * many servers were never behind one, and say nothing of what is private.
 *
 * Only answers in full quality are to be captured. What cannot be seen here is the handler: if its answer depends on a
 * header that is neither in `Vary` nor among the key headers, on the client's address, or on an identity that is none
 * of the credentials, then it must say `private` or `no-store`, or the options must name it.
 */
export class StaleCopies {
  readonly options: StaleOptions;
  readonly #store: CopyStore;
  readonly #keeper: CopyKeeper;
  #served = 0;
  #missed = 0;

  constructor(given?: Partial<StaleOptions>, clock: Pick<Environment, 'monotonicMs' | 'wallMs'> = REAL_TIME) {
    this.options = staleOptions(given);
    this.#store = new CopyStore(this.options.maxEntries, this.options.maxBytes);
    this.#keeper = new CopyKeeper(this.options, this.#store, clock);
  }

  get hasCopies(): boolean {
    return this.#store.size > 0;
  }

  /** Listens to an answer; to be called before the handler is. Nothing is held of it until it proves storable. */
  capture(req: IncomingMessage, res: ServerResponse): void {
    const { method } = req;
    if (method === 'GET') tapAnswer(res, new Capture(req, this.#keeper));
    else if (this.#store.size > 0 && !SAFE.has(method!)) tapAnswer(res, new Write(req, this.#keeper));
  }

  /** Answers from a copy. False when there is none that may be used: then nothing was sent. `nowMs` is monotonic. */
  serve(req: IncomingMessage, res: ServerResponse, nowMs: number): boolean {
    const { method } = req;
    if ((method !== 'GET' && method !== 'HEAD') || res.headersSent) return false;
    const copy = this.#copyFor(req, nowMs);
    if (copy === undefined) {
      this.#missed++;
      return false;
    }
    this.#served++;
    // Where nobody else could answer, its answer was to be copied.
    untapAnswer(res);
    const status = copy.isKnownTo(req.headers) ? 304 : 200;
    res.writeHead(status, copy.headAt(nowMs, status));
    if (status === 200 && method === 'GET') res.end(copy.body);
    else res.end();
    return true;
  }

  snapshot(): StaleSnapshot {
    const { stored, givenUp, forgotten } = this.#keeper;
    const { size, bytes } = this.#store;
    return { entries: size, bytes, stored, givenUp, forgotten, served: this.#served, missed: this.#missed };
  }

  #copyFor(req: IncomingMessage, nowMs: number): StaleCopy | undefined {
    if (this.#store.size === 0 || copyWishOf(req) !== 'any') return undefined;
    const key = keyOf(req, this.options);
    const copy = key === undefined ? undefined : this.#store.find(key, req.headers, nowMs);
    // Made for somebody unknown: whoever is known would get another.
    return copy?.isPublic || !hasCredentials(req, this.options) ? copy : undefined;
  }
}

/** Waits for a request that may have changed something to succeed. */
class Write implements AnswerListener {
  readonly #req: IncomingMessage;
  readonly #keeper: CopyKeeper;

  constructor(req: IncomingMessage, keeper: CopyKeeper) {
    this.#req = req;
    this.#keeper = keeper;
  }

  onHead(res: ServerResponse): void {
    if (res.statusCode < 400) this.#keeper.forget(this.#req);
  }

  onChunk(): void {}

  onEnd(): void {}
}
