import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import type { CallHandler } from './call-stream.js';
import { SWEEP_MS } from './connection-watch.js';
import { GrpcConnection } from './grpc-connection.js';
import { endGreediest } from './kept-bytes.js';

export interface GrpcListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly tls: TlsOptions | undefined;
  readonly maxConnections: number;
}

/** As long as a client has to say what it speaks. */
const HANDSHAKE_MS = 10_000;
/** How long a client may take to hear a farewell. */
const FAREWELL_MS = 1_000;

/** Connections that speak gRPC, from the first to the last. */
export class GrpcListener {
  readonly #server: Server;
  readonly #connections = new Set<GrpcConnection>();

  #sweeps: NodeJS.Timeout | undefined = undefined;

  constructor(
    handle: CallHandler,
    { tls, maxConnections }: Pick<GrpcListenerOptions, 'tls' | 'maxConnections'>,
  ) {
    const onSocket = (socket: Socket) => this.#accept(socket, handle);
    this.#server =
      tls === undefined
        ? createServer({ noDelay: true }, onSocket)
        : createTlsServer({ handshakeTimeout: HANDSHAKE_MS, ...tls, ALPNProtocols: ['h2'] }, onSocket);
    this.#server.maxConnections = maxConnections;
  }

  /** The port it listens on. */
  listen({ host, port }: Pick<GrpcListenerOptions, 'host' | 'port'>): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => {
        this.#server.off('error', reject);
        this.#sweeps = setInterval(() => this.#sweep(), SWEEP_MS).unref();
        const address = this.#server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : port);
      });
    });
  }

  /** Answers what was asked, and is done after `timeoutMs` at the latest. */
  async close(timeoutMs: number): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const connection of this.#connections) connection.drain();
    const farewell = setTimeout(
      () => {
        for (const connection of this.#connections) connection.finishDrain();
      },
      Math.min(FAREWELL_MS, timeoutMs / 2),
    );
    const end = setTimeout(() => {
      for (const connection of this.#connections) connection.destroy();
    }, timeoutMs);
    await closed;
    clearTimeout(farewell);
    clearTimeout(end);
    clearInterval(this.#sweeps);
  }

  #sweep(): void {
    for (const connection of this.#connections) connection.sweep();
    endGreediest(this.#connections);
  }

  #accept(socket: Socket, handle: CallHandler): void {
    socket.setNoDelay(true);
    const connection = new GrpcConnection(socket, handle);
    this.#connections.add(connection);
    socket.once('close', () => this.#connections.delete(connection));
  }
}
