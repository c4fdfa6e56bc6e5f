import { type ClientHttp2Stream, constants } from 'node:http2';
import type { Attempt } from '../dispatch/attempt.js';
import type { RawHeaders } from '../dispatch/raw-headers.js';

export interface ReaderEvents {
  /** The head of the answer has come. */
  readonly onBegun: () => void;
  readonly onMoved: () => void;
  readonly onComplete: () => void;
  readonly onError: (error: Error) => void;
}

const STATUS = ':status';

/** The answer on a stream, told to an attempt in the form that undici has for it. */
export class AnswerReader {
  trailers: Buffer[] = [];
  readonly #stream: ClientHttp2Stream;
  readonly #attempt: Attempt;
  readonly #events: ReaderEvents;
  #isStopped = false;
  /** Its last word has come: a reset after it is about the request. */
  #isWhole = false;

  constructor(stream: ClientHttp2Stream, attempt: Attempt, events: ReaderEvents) {
    this.#stream = stream;
    this.#attempt = attempt;
    this.#events = events;
    stream.on('headers', (fields, _flags, raw?: string[]) => this.#onHead(Number(fields[STATUS]), raw ?? []));
    stream.on('response', (fields, flags, raw?: string[]) => {
      this.#isWhole = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
      events.onBegun();
      this.#onHead(Number(fields[STATUS]), raw ?? []);
    });
    stream.on('trailers', (_fields, _flags, raw?: string[]) => {
      this.#isWhole = true;
      this.trailers = toRaw(raw ?? []);
    });
    stream.on('data', (chunk: Buffer) => this.#onData(chunk));
    stream.on('end', () => this.#onEnd());
  }

  /** Nobody listens any more: what comes is thrown away. */
  stop(): void {
    this.#isStopped = true;
    this.#stream.resume();
  }

  #onHead(status: number, raw: readonly string[]): void {
    if (this.#isStopped) return;
    this.#try(() => this.#attempt.onHeaders(status, toRaw(raw) as RawHeaders, this.#resume, ''));
  }

  #onData(chunk: Buffer): void {
    this.#events.onMoved();
    if (!this.#isStopped) this.#try(() => this.#attempt.onData(chunk));
  }

  /** What cannot be taken now waits, and the backend with it. */
  #try(tell: () => boolean | undefined): void {
    try {
      if (tell() === false && !this.#isStopped) this.#stream.pause();
    } catch (error) {
      this.#events.onError(error as Error);
    }
  }

  readonly #resume = (): void => {
    this.#events.onMoved();
    this.#stream.resume();
  };

  /** A reset ends it, too. */
  #onEnd(): void {
    const { rstCode = 0 } = this.#stream;
    const isComplete = this.#isWhole || rstCode === constants.NGHTTP2_NO_ERROR;
    if (isComplete && !this.#isStopped) this.#events.onComplete();
  }
}

/** As undici gives them; what begins with a colon is none of them. */
function toRaw(raw: readonly string[]): Buffer[] {
  const flat: Buffer[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2)
    if (!raw[i]!.startsWith(':'))
      flat.push(Buffer.from(raw[i]!, 'latin1'), Buffer.from(raw[i + 1]!, 'latin1'));
  return flat;
}
