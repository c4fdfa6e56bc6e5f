import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { type CallHandler, GrpcConnection } from './grpc-connection.js';

export interface GrpcListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly tls: TlsOptions | undefined;
}

/** A client that is there says what it speaks at once. */
const PREFACE_MS = 10_000;
/** How long a client may take to hear a farewell. */
const FAREWELL_MS = 1_000;

/** Connections that speak gRPC, from the first to the last. */
export class GrpcListener {
  readonly #server: Server;
  readonly #connections = new Set<GrpcConnection>();

  constructor(handle: CallHandler, { tls }: Pick<GrpcListenerOptions, 'tls'>) {
    const onSocket = (socket: Socket) => this.#accept(socket, handle);
    this.#server =
      tls === undefined
        ? createServer({ noDelay: true }, onSocket)
        : createTlsServer({ ...tls, ALPNProtocols: ['h2'] }, onSocket);
  }

  /** The port it listens on. */
  listen({ host, port }: GrpcListenerOptions): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => {
        this.#server.off('error', reject);
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
  }

  #accept(socket: Socket, handle: CallHandler): void {
    socket.setNoDelay(true);
    socket.setTimeout(PREFACE_MS, () => socket.destroy());
    socket.once('data', () => socket.setTimeout(0));
    const connection = new GrpcConnection(socket, handle);
    this.#connections.add(connection);
    socket.once('close', () => this.#connections.delete(connection));
  }
}
