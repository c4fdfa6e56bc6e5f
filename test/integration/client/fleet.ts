import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type Client, type ClientOptions, createClient } from '../../../src/client/index.js';
import type { GuardOptions, Handler } from '../../../src/server/index.js';
import { GuardedServer } from '../server/guarded-server.js';

/** A server that knows nothing of us. */
export class PlainServer {
  readonly sockets = new Set<Socket>();
  connections = 0;
  requests = 0;
  readonly #server: Server;
  #port = 0;

  private constructor(handler: RequestListener) {
    this.#server = createServer((req, res) => {
      this.requests++;
      handler(req, res);
    });
    this.#server.on('connection', (socket) => {
      this.connections++;
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
    });
  }

  static async start(handler: RequestListener, port = 0): Promise<PlainServer> {
    const made = new PlainServer(handler);
    await made.listen(port);
    return made;
  }

  async listen(port = this.#port): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get port(): number {
    return this.#port;
  }

  /** As if its process had been killed. */
  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Backends and clients of one test, all of which end with it. */
export class Fleet {
  readonly #stops: (() => Promise<unknown>)[] = [];

  async plain(handler: RequestListener): Promise<PlainServer> {
    const server = await PlainServer.start(handler);
    this.#stops.push(() => server.stop());
    return server;
  }

  async guarded(
    handler: Handler,
    options: Partial<GuardOptions> = {},
  ): Promise<GuardedServer & { url: string }> {
    const server = await GuardedServer.start(handler, options);
    this.#stops.push(() => server.stop());
    return Object.assign(server, { url: `http://127.0.0.1:${server.port}` });
  }

  client(options: ClientOptions): Client {
    const client = createClient(options);
    this.#stops.unshift(() => client.destroy());
    return client;
  }

  /** Something else that is to be stopped. */
  owns(stop: () => Promise<unknown>): void {
    this.#stops.push(stop);
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops.splice(0)) await stop();
  }
}

/** The state of each backend of a client, by URL. */
export function statesOf(client: Client): Record<string, string> {
  return Object.fromEntries(client.snapshot().backends.map(({ url, state }) => [url, state]));
}
