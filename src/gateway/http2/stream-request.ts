import { IncomingMessage } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { RequestFields } from './request-fields.js';
import type { StreamSocket } from './stream-socket.js';

/** Node's own, as far as it is not in the types. */
interface NodeMessage {
  _addHeaderLines(headers: string[], count: number): void;
}

/** A request that came by HTTP/2, as if it had come by HTTP/1.1. Its body is read no faster than it is asked for. */
export class StreamRequest extends IncomingMessage {
  readonly isGrpc: boolean;
  readonly #stream: ServerHttp2Stream;
  readonly #socket: StreamSocket;
  #isReading = false;

  constructor(stream: ServerHttp2Stream, socket: StreamSocket, fields: RequestFields, hasBody: boolean) {
    super(socket as unknown as Socket);
    this.#stream = stream;
    this.#socket = socket;
    this.isGrpc = fields.isGrpc;
    this.httpVersion = '2.0';
    this.httpVersionMajor = 2;
    this.httpVersionMinor = 0;
    this.method = fields.method;
    this.url = fields.url;
    (this as unknown as NodeMessage)._addHeaderLines(fields.rawHeaders, fields.rawHeaders.length);
    if (!hasBody) this.#end();
    stream.once('close', () => this.#onClose());
  }

  override _read(): void {
    if (this.complete) return;
    if (this.#isReading) this.#stream.resume();
    else this.#start();
  }

  #start(): void {
    const stream = this.#stream;
    this.#isReading = true;
    stream.on('data', (chunk: Buffer) => {
      this.#socket.bytesRead += chunk.length;
      if (!this.push(chunk)) stream.pause();
    });
    stream.once('end', () => {
      // Cut off, it ends too, and then closes.
      if (!stream.aborted && !stream.destroyed) this.#end();
    });
  }

  #end(): void {
    if (this.complete) return;
    this.complete = true;
    this.push(null);
  }

  #onClose(): void {
    if (this.complete || this.destroyed) return;
    this.aborted = true;
    this.emit('aborted');
    this.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }));
  }

  /** Node's would end the connection. Nobody who listens is nobody to tell. */
  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    const told = this.listenerCount('error') === 0 ? null : error;
    process.nextTick(callback, told);
  }
}
