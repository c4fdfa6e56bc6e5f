import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { customSignal } from '../../../src/core/index.js';
import { createGuard, type Guard, type GuardOptions, type Handler } from '../../../src/server/index.js';
import { RawClient } from './raw-client.js';

/** Longer than anything here takes, on a machine that stands still for some seconds. */
const PATIENCE_MS = 20_000;

/**
 * One at a time, and who is in the queue stays there. Whoever comes to a queue in which nothing has moved for some
 * milliseconds may still be refused: those that are to wait have to be sent together.
 */
export const PATIENT: Partial<GuardOptions> = {
  concurrency: 1,
  queue: {
    maxWaitMs: 60_000,
    tightWaitMs: 60_000,
    standingWaitMs: 60_000,
    maxAgeMs: Number.POSITIVE_INFINITY,
  },
};

export async function until(holds: () => boolean): Promise<void> {
  const startedMs = performance.now();
  while (!holds()) {
    if (performance.now() - startedMs > PATIENCE_MS) throw new Error(`waited in vain for ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

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

  /** Some that are connected. */
  async clients(count: number): Promise<RawClient[]> {
    const clients = Array.from({ length: count }, () => this.client());
    await Promise.all(clients.map(({ socket }) => once(socket, 'connect')));
    return clients;
  }

  /** Waits for something to become true; says what it waited for when it does not. */
  async until(holds: () => boolean): Promise<void> {
    await until(holds);
  }

  async stop(): Promise<void> {
    for (const client of this.#clients) client.close();
    await this.guard.drain({ timeoutMs: 0 });
  }
}
