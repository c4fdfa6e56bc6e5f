import { EventEmitter } from 'node:events';
import type { ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import { closeStream, INTERNAL_ERROR, NO_ERROR } from './close-stream.js';

/** What all streams of a connection have in common. */
export class SharedConnection {
  readonly socket: Socket;
  readonly remoteAddress: string | undefined;
  readonly remotePort: number | undefined;
  readonly localPort: number | undefined;
  readonly encrypted: boolean;
  readonly authorized: boolean;
  #certificate: PeerCertificate | undefined = undefined;

  constructor(socket: Socket) {
    const { encrypted, authorized } = socket as Partial<TLSSocket>;
    this.socket = socket;
    this.remoteAddress = socket.remoteAddress;
    this.remotePort = socket.remotePort;
    this.localPort = socket.localPort;
    this.encrypted = encrypted === true;
    this.authorized = authorized === true;
  }

  /** Read once: it takes longer than most requests. */
  get certificate(): PeerCertificate {
    this.#certificate ??= (this.socket as TLSSocket).getPeerCertificate();
    return this.#certificate;
  }
}

/**
 * A stream as if it were a connection of its own, which carries one request. What guard and forwarding do to a connection
 * (end it, cut it off, read on until a body is over) they do to this stream, and to no other one beside it.
 */
export class StreamSocket extends EventEmitter {
  /** For the guard, which counts connections. */
  readonly isStream = true;
  readonly remoteAddress: string | undefined;
  readonly remotePort: number | undefined;
  readonly localPort: number | undefined;
  readonly encrypted: boolean;
  readonly authorized: boolean;
  readonly #stream: ServerHttp2Stream;
  readonly #connection: SharedConnection;
  destroyed = false;
  errored: Error | null = null;
  bytesRead = 0;
  timeout = 0;

  constructor(stream: ServerHttp2Stream, connection: SharedConnection) {
    super();
    this.#stream = stream;
    this.#connection = connection;
    this.remoteAddress = connection.remoteAddress;
    this.remotePort = connection.remotePort;
    this.localPort = connection.localPort;
    this.encrypted = connection.encrypted;
    this.authorized = connection.authorized;
    stream.once('close', () => {
      this.destroyed = true;
      this.emit('close');
    });
  }

  get writable(): boolean {
    return !this.destroyed;
  }

  get readable(): boolean {
    return !this.destroyed;
  }

  get writableNeedDrain(): boolean {
    return this.#stream.writableNeedDrain;
  }

  getPeerCertificate(): PeerCertificate | Record<string, never> {
    return this.encrypted ? this.#connection.certificate : {};
  }

  /** The answer says where it ends by itself. */
  end(): this {
    return this;
  }

  destroySoon(): void {}

  /** RFC 9113, 8.1: after a whole answer nothing was wrong, only the rest of the request is not wanted. */
  destroy(error?: Error): this {
    if (this.destroyed) return this;
    this.errored = error ?? null;
    const stream = this.#stream;
    closeStream(stream, stream.writableFinished ? NO_ERROR : INTERNAL_ERROR);
    return this;
  }

  resetAndDestroy(): this {
    return this.destroy();
  }

  /** Reading is the request's affair: each stream has a window of its own. */
  pause(): this {
    return this;
  }

  resume(): this {
    return this;
  }

  setTimeout(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}
