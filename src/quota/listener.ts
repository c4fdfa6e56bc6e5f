import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkInteger } from '../core/check.js';

/** Where a server listens. */
export interface Bound {
  readonly port: number;
  /** '' if it listens on all addresses: nobody knows which of them others see. */
  readonly url: string;
}

/** Where a server is to listen. */
export interface ListenOptions {
  /** 0, the default: any that is free. */
  readonly port?: number | undefined;
  /** Who may ask can take all there is: only this machine, unless it is said otherwise. */
  readonly host?: string | undefined;
}

/** Two for each of a thousand clients, as one may come anew while the old connection is still there. */
const MOST_CONNECTIONS = 2_000;

/** Heads come at once or not at all. */
const HEADERS_MS = 2_000;

/** A whole request: a body has a second of its own. */
const REQUEST_MS = 5_000;

/** Of no use to those who ask from elsewhere. */
const ANYWHERE = ['0.0.0.0', '::'];

/** A server of its own for a few small messages. */
export class Listener {
  readonly #onRequest: RequestListener;
  #server: Server | undefined = undefined;

  constructor(onRequest: RequestListener) {
    this.#onRequest = onRequest;
  }

  async listen({ port = 0, host = '127.0.0.1' }: ListenOptions): Promise<Bound> {
    checkInteger('port', port, 0, 65_535);
    if (this.#server !== undefined) throw new Error('it listens already');
    const server = createServer(
      {
        headersTimeout: HEADERS_MS,
        requestTimeout: REQUEST_MS,
        connectionsCheckingInterval: HEADERS_MS / 4,
      },
      this.#onRequest,
    );
    server.maxConnections = MOST_CONNECTIONS;
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, () => {
        server.off('error', reject);
        // A connection that could not be accepted: its client asks again.
        server.on('error', () => {});
        resolve();
      });
    });
    const bound = (server.address() as AddressInfo).port;
    const url = `http://${host.includes(':') ? `[${host}]` : host}:${bound}`;
    return { port: bound, url: ANYWHERE.includes(host) ? '' : url };
  }

  /** Whoever is being answered asks elsewhere, or again. */
  async close(): Promise<void> {
    const server = this.#server;
    if (server === undefined || !server.listening) return;
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  }
}
