import { Readable } from 'node:stream';

/** What undici takes for a body. */
export type Body = unknown;

type Chunk = string | Uint8Array;

/** Bodies that can be sent again as they are, because nothing is taken out of them by sending. */
function isRepeatable(body: Body): boolean {
  return (
    body === null ||
    body === undefined ||
    typeof body === 'string' ||
    ArrayBuffer.isView(body) ||
    body instanceof ArrayBuffer ||
    body instanceof Blob ||
    isForm(body)
  );
}

/** Node's, or undici's own, which is another class. */
function isForm(body: Body): boolean {
  return (body as Partial<FormData>)[Symbol.toStringTag] === 'FormData';
}

/** A stream becomes one that begins anew with each attempt, as far as it is short enough; anything else stays. */
export function toRequestBody(body: Body, mostBytes: number): Body | ReplayableBody {
  return isRepeatable(body) || !isStreamed(body) ? body : new ReplayableBody(body, mostBytes);
}

function isStreamed(body: Body): body is AsyncIterable<Chunk> | Iterable<Chunk> {
  const { [Symbol.asyncIterator]: asyncIterator, [Symbol.iterator]: iterator } = body as Partial<
    AsyncIterable<Chunk> & Iterable<Chunk>
  >;
  return typeof asyncIterator === 'function' || typeof iterator === 'function';
}

/**
 * A body that comes as a stream, with its beginning kept: a backend that refuses a request has read it by then, and
 * another one must be sent the same. What is longer than that can be sent once.
 */
export class ReplayableBody implements AsyncIterable<Chunk> {
  /** Set when the source itself failed: that is no fault of a backend. */
  error: Error | undefined = undefined;
  readonly #source: AsyncIterable<Chunk> | Iterable<Chunk>;
  readonly #mostBytes: number;
  #iterator: AsyncIterator<Chunk> | Iterator<Chunk> | undefined = undefined;
  /** Empty once there was too much of it. */
  #kept: Chunk[] = [];
  #keptBytes = 0;
  /** How many came in all. */
  #count = 0;
  #isAllKept = true;
  #isDone = false;
  #pulling: Promise<void> | undefined = undefined;

  constructor(source: AsyncIterable<Chunk> | Iterable<Chunk>, mostBytes: number) {
    this.#source = source;
    this.#mostBytes = mostBytes;
    // A stream that fails before it is read would end the process.
    if (source instanceof Readable) source.on('error', (error) => this.#fail(error));
  }

  /** What was sent of it cannot be sent again. */
  get isSpent(): boolean {
    return !this.#isAllKept || this.error !== undefined;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Chunk> {
    for (let at = 0; ; at++) {
      // Whoever reads it first may still be waiting when the next one begins: both wait for the same chunk.
      while (at >= this.#count && !this.#isDone) {
        this.#pulling ??= this.#pull();
        await this.#pulling;
      }
      if (this.error !== undefined) throw this.error;
      if (at >= this.#count) return;
      const chunk = this.#isAllKept ? this.#kept[at] : at === this.#count - 1 ? this.#last : undefined;
      if (chunk === undefined) throw new Error('the body was too long to be sent again');
      yield chunk;
    }
  }

  /** Nobody will read it any more. */
  async cancel(): Promise<void> {
    this.#kept = [];
    this.#isAllKept = false;
    if (this.#isDone) return;
    this.#isDone = true;
    if (this.#source instanceof Readable) this.#source.destroy();
    try {
      // Also of one that nobody has begun to read: a web stream is told that nobody will.
      this.#iterator ??= iteratorOf(this.#source);
      await this.#iterator.return?.();
    } catch {
      // It was asked to stop, and how it does that is its own affair.
    }
  }

  #last: Chunk | undefined = undefined;

  async #pull(): Promise<void> {
    try {
      this.#iterator ??= iteratorOf(this.#source);
      const { value, done } = await this.#iterator.next();
      if (done === true) this.#isDone = true;
      else this.#keep(value);
    } catch (error) {
      this.#fail(error as Error);
    } finally {
      this.#pulling = undefined;
    }
  }

  #keep(chunk: Chunk): void {
    this.#count++;
    this.#last = chunk;
    if (!this.#isAllKept) return;
    this.#keptBytes += typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk.byteLength;
    this.#kept.push(chunk);
    if (this.#keptBytes <= this.#mostBytes) return;
    this.#isAllKept = false;
    this.#kept = [];
  }

  #fail(error: Error): void {
    this.error ??= error;
    this.#isDone = true;
  }
}

function iteratorOf(source: AsyncIterable<Chunk> | Iterable<Chunk>): AsyncIterator<Chunk> | Iterator<Chunk> {
  return Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
}
