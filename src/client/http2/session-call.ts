import { type ClientHttp2Session, type ClientHttp2Stream, constants, type Http2Session } from 'node:http2';
import { errors } from 'undici';
import { elapsedMs } from '../../core/index.js';
import { withoutRepeats } from '../../wire/index.js';
import type { Attempt } from '../dispatch/attempt.js';
import { AnswerReader } from './answer-reader.js';
import { chunksOf } from './body-chunks.js';
import { type RequestLine, requestFields } from './request-fields.js';

/** What `dispatch` is given of an attempt. */
export interface CallOptions extends RequestLine {
  readonly body?: unknown;
  readonly upgrade?: unknown;
  readonly headersTimeout?: number | null | undefined;
  readonly bodyTimeout?: number | null | undefined;
}

export interface CallTimeouts {
  readonly headersTimeoutMs: number;
  readonly bodyTimeoutMs: number;
}

const { NGHTTP2_CANCEL, NGHTTP2_NO_ERROR, NGHTTP2_REFUSED_STREAM } = constants;

/** Nothing at all has come on a connection for so long: too long for any way to a backend, and too short for nobody. */
const SILENT_MS = 1_000;

/** What goes wrong before anything has been sent (Node). */
const UNSENT: ReadonlySet<string> = new Set([
  'ERR_HTTP2_GOAWAY_SESSION',
  'ERR_HTTP2_INVALID_SESSION',
  'ERR_HTTP2_OUT_OF_STREAMS',
]);

/** Whoever has the connection hears of it. */
export interface CallEvents {
  /** It is over. `isSilent`: given up, and nothing at all has come on its connection since it began. */
  readonly onOver: (isSilent: boolean) => void;
  /** Nothing of it is left on its connection. */
  readonly onEnd: () => void;
}

/** One attempt on a stream of its own, told as undici would: sent and answered at the same time, trailers included. */
export class SessionCall {
  readonly #options: CallOptions;
  readonly #attempt: Attempt;
  readonly #timeouts: CallTimeouts;
  readonly #events: CallEvents;
  #beganMs = 0;
  #bytesBefore = 0;
  #stream: ClientHttp2Stream | undefined = undefined;
  #reader: AnswerReader | undefined = undefined;
  #timer: NodeJS.Timeout | undefined = undefined;
  #isOver = false;

  constructor(options: CallOptions, attempt: Attempt, timeouts: CallTimeouts, events: CallEvents) {
    const { headersTimeout, bodyTimeout } = options;
    this.#options = options;
    this.#attempt = attempt;
    this.#timeouts = {
      headersTimeoutMs: headersTimeout ?? timeouts.headersTimeoutMs,
      bodyTimeoutMs: bodyTimeout ?? timeouts.bodyTimeoutMs,
    };
    this.#events = events;
  }

  start(session: ClientHttp2Session, url: URL): void {
    try {
      this.#attempt.onConnect((reason) => this.#abort(reason));
      if (this.#isOver) return;
      const { body } = this.#options;
      const hasBody = body !== null && body !== undefined;
      this.#beganMs = performance.now();
      this.#bytesBefore = bytesReadOf(session);
      const stream = this.#open(session, url, hasBody);
      this.#stream = stream;
      this.#listen(stream);
      this.#watch(this.#timeouts.headersTimeoutMs, () => new errors.HeadersTimeoutError());
      if (hasBody) void this.#send(stream, body);
    } catch (error) {
      this.fail(error as Error);
    }
  }

  #open(session: ClientHttp2Session, url: URL, hasBody: boolean): ClientHttp2Stream {
    if (this.#options.upgrade) throw new errors.NotSupportedError('HTTP/2 has no upgrades');
    const fields = requestFields(this.#options, url);
    const options = { endStream: !hasBody };
    try {
      return session.request(fields, options);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_HTTP2_HEADER_SINGLE_VALUE') throw error;
      return session.request(withoutRepeats(fields), options);
    }
  }

  #listen(stream: ClientHttp2Stream): void {
    const reader = new AnswerReader(stream, this.#attempt, {
      onBegun: () => this.#watch(this.#timeouts.bodyTimeoutMs, () => new errors.BodyTimeoutError()),
      onMoved: () => this.#timer?.refresh(),
      onComplete: () => this.#complete(),
      onError: (error) => this.fail(error),
    });
    this.#reader = reader;
    stream.on('error', (error) => this.fail(error));
    stream.once('close', () => {
      if (!this.#isOver) this.fail(closedError(stream.rstCode));
      this.#events.onEnd();
    });
  }

  /** No faster than the backend reads. */
  async #send(stream: ClientHttp2Stream, body: unknown): Promise<void> {
    try {
      for await (const chunk of chunksOf(body)) {
        if (this.#isOver) return;
        this.#timer?.refresh();
        if (!stream.write(chunk)) await drained(stream);
      }
      if (!this.#isOver) stream.end();
    } catch (error) {
      this.fail(error as Error);
    }
  }

  #complete(): void {
    if (!this.#finish()) return;
    const stream = this.#stream!;
    // Answered before all of it was sent: nobody wants the rest.
    if (!stream.writableEnded) stream.close(NGHTTP2_CANCEL);
    this.#attempt.onComplete(this.#reader!.trailers);
  }

  /** It has ended otherwise; also before it was begun. */
  fail(error: Error): void {
    if (!this.#finish(this.#isSilent())) return;
    const stream = this.#stream;
    const isRefused = stream?.rstCode === NGHTTP2_REFUSED_STREAM;
    const { code = '' } = error as NodeJS.ErrnoException;
    // RFC 9113, 8.7: it has provably not been processed.
    if (isRefused || stream?.pending === true || UNSENT.has(code)) this.#attempt.isStarted = false;
    if (stream === undefined) this.#events.onEnd();
    else stream.close(NGHTTP2_CANCEL);
    this.#attempt.onError(error);
  }

  #abort(reason: Error | undefined): void {
    this.fail(reason ?? new errors.RequestAbortedError());
  }

  #isSilent(): boolean {
    const session = this.#stream?.session;
    if (session === undefined || elapsedMs(this.#beganMs, performance.now()) < SILENT_MS) return false;
    return bytesReadOf(session) === this.#bytesBefore;
  }

  /** True once. */
  #finish(isSilent = false): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#events.onOver(isSilent);
    clearTimeout(this.#timer);
    this.#reader?.stop();
    return true;
  }

  /** Nothing has moved, in either direction. 0: for ever. */
  #watch(ms: number, error: () => Error): void {
    clearTimeout(this.#timer);
    this.#timer = ms === 0 ? undefined : setTimeout(() => this.fail(error()), ms).unref();
  }
}

/** Also of one that has ended meanwhile: then something has come. */
function bytesReadOf(session: Http2Session): number {
  return session.destroyed ? Number.POSITIVE_INFINITY : (session.socket.bytesRead ?? 0);
}

function drained(stream: ClientHttp2Stream): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done);
      stream.off('close', done);
      resolve();
    };
    stream.on('drain', done);
    stream.on('close', done);
  });
}

function closedError(code: number | undefined): Error {
  const how = code === NGHTTP2_NO_ERROR ? 'before its answer was complete' : `with code ${code}`;
  return Object.assign(new Error(`the stream was closed ${how}`), { code: 'ERR_HTTP2_STREAM_ERROR' });
}
