import type { ServerHttp2Stream } from 'node:http2';
import { Writable } from 'node:stream';
import { requestOf } from '../../server/intake/guarded-response.js';
import {
  addField,
  endFields,
  GRPC_STATUS,
  type Http2Fields,
  toTrailersOnly,
  withoutRepeats,
} from '../../wire/index.js';
import { closeStream, INTERNAL_ERROR, NO_ERROR } from './close-stream.js';
import { addGiven } from './given-headers.js';
import type { StreamRequest } from './stream-request.js';
import type { StreamSocket } from './stream-socket.js';

type Callback = (error?: Error | null) => void;

/**
 * The answer to a request that came by HTTP/2, with the methods that answers of HTTP/1.1 have: whoever writes it need not
 * know. What has no place in HTTP/2 (reasons, headers of connections, chunks) is left out here. An answer to a gRPC call
 * that is none of gRPC's, such as a refusal, is turned into one.
 */
export class StreamResponse extends Writable {
  readonly req: StreamRequest;
  statusCode = 200;
  statusMessage = '';
  sendDate = true;
  shouldKeepAlive = true;
  /** To whoever writes it: there is a place for trailers. */
  readonly chunkedEncoding = true;
  headersSent = false;
  /** Too late for whoever asked: said by those who then destroy it. */
  isLate = false;
  readonly #stream: ServerHttp2Stream;
  readonly #socket: StreamSocket;
  readonly #headers = new Map<string, { name: string; value: number | string | readonly string[] }>();
  /** Known, and not sent. */
  #head: Http2Fields | undefined = undefined;
  #trailers: Http2Fields | undefined = undefined;
  #isBodiless = false;
  #isEnding = false;

  constructor(stream: ServerHttp2Stream, socket: StreamSocket, req: StreamRequest) {
    super({ emitClose: true });
    this.#stream = stream;
    this.#socket = socket;
    this.req = req;
    stream.once('close', () => this.destroy());
  }

  get socket(): StreamSocket {
    return this.#socket;
  }

  get connection(): StreamSocket {
    return this.#socket;
  }

  get finished(): boolean {
    return this.writableEnded;
  }

  setHeader(name: string, value: number | string | readonly string[]): this {
    this.#headers.set(name.toLowerCase(), { name, value });
    return this;
  }

  appendHeader(name: string, value: string | readonly string[]): this {
    const before = this.getHeader(name);
    return this.setHeader(name, before === undefined ? value : [before, value].flat().map(String));
  }

  setHeaders(headers: Iterable<[string, string]>): this {
    for (const [name, value] of headers) this.setHeader(name, value);
    return this;
  }

  getHeader(name: string): number | string | readonly string[] | undefined {
    return this.#headers.get(name.toLowerCase())?.value;
  }

  getHeaders(): Record<string, number | string | readonly string[]> {
    return Object.fromEntries([...this.#headers].map(([name, { value }]) => [name, value]));
  }

  getHeaderNames(): string[] {
    return [...this.#headers.keys()];
  }

  hasHeader(name: string): boolean {
    return this.#headers.has(name.toLowerCase());
  }

  removeHeader(name: string): void {
    this.#headers.delete(name.toLowerCase());
  }

  writeHead(status: number, reason?: unknown, headers?: unknown): this {
    if (this.headersSent)
      throw Object.assign(new Error('headers are sent'), { code: 'ERR_HTTP_HEADERS_SENT' });
    this.statusCode = status;
    this.headersSent = true;
    const fields: Http2Fields = {};
    for (const { name, value } of this.#headers.values())
      for (const each of [value].flat()) addField(fields, name, String(each));
    addGiven(fields, typeof reason === 'string' ? headers : (headers ?? reason));
    // Not before it is known what follows: an answer without a body ends with its head.
    this.#head = fields;
    return this;
  }

  #sendHead(isLast: boolean): void {
    const fields = this.#head;
    const stream = this.#stream;
    if (fields === undefined) return;
    this.#head = undefined;
    if (stream.destroyed || stream.closed) return;
    const { statusCode: status, req } = this;
    const isRefusal = req.isGrpc && status !== 200;
    const head = isRefusal ? toTrailersOnly(status, fields) : fields;
    // What gRPC says at the end is there already: its clients take it for the end only if it is.
    const isComplete = isLast || (req.isGrpc && head['grpc-status'] !== undefined);
    this.#isBodiless = isComplete || req.method === 'HEAD' || status === 204 || status === 304;
    const all: Http2Fields = { ':status': String(isRefusal ? 200 : status), ...head };
    const options = { endStream: this.#isBodiless, waitForTrailers: !this.#isBodiless };
    try {
      stream.respond(all, options);
    } catch {
      this.#respondAgain(withoutRepeats(all), options);
    }
    if (!this.#isBodiless) stream.once('wantTrailers', () => this.#sendTrailers());
  }

  /** Node does not send some names twice, which backends do. Nothing that is still wrong may end the process. */
  #respondAgain(fields: Http2Fields, options: object): void {
    try {
      this.#stream.respond(fields, options);
    } catch {
      closeStream(this.#stream, INTERNAL_ERROR);
    }
  }

  #sendTrailers(): void {
    try {
      this.#stream.sendTrailers(this.#trailers ?? {});
    } catch {
      closeStream(this.#stream, INTERNAL_ERROR);
    }
  }

  addTrailers(trailers: unknown): void {
    this.#trailers ??= {};
    addGiven(this.#trailers, trailers);
  }

  flushHeaders(): void {
    this.#begin(false);
  }

  #begin(isLast: boolean): void {
    if (!this.headersSent) this.writeHead(this.statusCode);
    this.#sendHead(isLast);
  }

  writeContinue(): void {
    const stream = this.#stream;
    if (!this.headersSent && !stream.destroyed && !stream.closed)
      stream.additionalHeaders({ ':status': 100 });
  }

  override write(chunk: unknown, ...rest: unknown[]): boolean {
    this.#begin(false);
    return super.write(chunk as Buffer, ...(rest as [BufferEncoding]));
  }

  override end(...args: unknown[]): this {
    const [chunk] = args;
    const isEmpty = chunk === undefined || chunk === null || chunk === '' || typeof chunk === 'function';
    this.#begin(isEmpty && this.#trailers === undefined);
    this.#isEnding = true;
    return super.end(...(args as [Buffer]));
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: Callback): void {
    const stream = this.#stream;
    if (this.#isBodiless) callback();
    else if (stream.destroyed || stream.closed) callback(gone());
    else stream.write(chunk, (error) => callback(error));
  }

  override _final(callback: Callback): void {
    const stream = this.#stream;
    if (stream.destroyed || this.#isBodiless) this.#leave(callback);
    else stream.end((error?: Error | null) => (error ? callback(error) : this.#leave(callback)));
  }

  /** RFC 9113, 8.1: what is left of the request is not wanted, and nothing was wrong with it. */
  #leave(callback: Callback): void {
    callback();
    const { req } = this;
    const stream = this.#stream;
    if (req.complete || stream.destroyed) return;
    setImmediate(closeStream, stream, NO_ERROR);
  }

  override _destroy(error: Error | null, callback: Callback): void {
    const stream = this.#stream;
    if (!stream.destroyed && !stream.closed && !this.writableFinished) this.#cut(stream);
    process.nextTick(callback, this.listenerCount('error') === 0 ? null : error);
  }

  /** An answer that was cut must not look complete. A gRPC client is told why, where a reset would leave it guessing. */
  #cut(stream: ServerHttp2Stream): void {
    if (!this.req.isGrpc || this.#isEnding || this.#isBodiless || !stream.headersSent) {
      closeStream(stream, INTERNAL_ERROR);
      return;
    }
    const isLate = this.isLate || (requestOf(this)?.remainingMs() ?? 1) <= 0;
    this.#trailers = endFields(isLate ? GRPC_STATUS.deadlineExceeded : GRPC_STATUS.unavailable);
    stream.end();
  }

  /** Nobody waits for it any more. */
  endLate(): void {
    this.isLate = true;
    if (this.headersSent) this.destroy();
    else this.writeHead(504).end();
  }

  setTimeout(): this {
    return this;
  }

  detachSocket(): void {}

  assignSocket(): void {}
}

function gone(): Error {
  return Object.assign(new Error('the stream is closed'), { code: 'ERR_STREAM_DESTROYED' });
}
