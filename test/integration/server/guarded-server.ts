import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { customSignal } from '../../../src/core/index.js';
import { createGuard, type Guard, type GuardOptions, type Handler } from '../../../src/server/index.js';
import { RawClient } from './raw-client.js';

/** A guarded server whose load is set by hand, and clients that are closed with it. */
export class GuardedServer {
  readonly guard: Guard;
  server!: Server;
  /** 0: serves all; 2: refuses everything, whoever comes. */
  level = 0;
  readonly errors: unknown[] = [];
  readonly sockets = new Set<Socket>();
  readonly #clients: RawClient[] = [];

  private constructor(options: Partial<GuardOptions>) {
    this.guard = createGuard({
      ...options,
      signals: { custom: [customSignal('test', () => this.level)], ...options.signals },
      onError: (error) => this.errors.push(error),
    });
  }

  static start(
    handler: Handler,
    options: Partial<GuardOptions> = {},
    degraded?: Handler,
  ): Promise<GuardedServer> {
    return GuardedServer.startServer((guard) => {
      const server = createServer(guard.protect(handler, degraded === undefined ? {} : { degraded }));
      guard.attach(server);
      return server;
    }, options);
  }

  /** The same around a server that somebody else makes, such as a framework. */
  static async startServer(
    make: (guard: Guard) => Server | Promise<Server>,
    options: Partial<GuardOptions> = {},
  ): Promise<GuardedServer> {
    const made = new GuardedServer(options);
    made.server = await make(made.guard);
    made.server.on('connection', (socket) => made.sockets.add(socket));
    await new Promise<void>((resolve) => made.server.listen(0, '127.0.0.1', resolve));
    return made;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  client(): RawClient {
    const client = new RawClient(this.port);
    this.#clients.push(client);
    return client;
  }

  /** Waits for something to become true; the test's own time limit ends a wait that is in vain. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  async stop(): Promise<void> {
    for (const client of this.#clients) client.close();
    await this.guard.drain({ timeoutMs: 0 });
  }
}
