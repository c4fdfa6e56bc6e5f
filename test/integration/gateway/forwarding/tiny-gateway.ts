import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type Client, type ClientOptions, createClient } from '../../../../src/client/index.js';
import { type ForwardTarget, forward, forwardUpgrade } from '../../../../src/gateway/forwarding/index.js';
import { createGuard, type Guard, type GuardOptions } from '../../../../src/server/index.js';

export interface TinyGatewayOptions {
  readonly target?: Partial<ForwardTarget>;
  readonly client?: Partial<ClientOptions>;
  readonly guard?: Partial<GuardOptions>;
  /** Of our own, for each answer. */
  readonly headers?: readonly string[];
}

/** A guard in front of one service, and nothing else. */
export class TinyGateway {
  readonly errors: unknown[] = [];
  readonly sockets = new Set<Socket>();
  readonly #stop: (() => Promise<void>)[] = [];

  private constructor(
    readonly server: Server,
    readonly guard: Guard,
    readonly client: Client,
  ) {}

  static async start(backends: readonly number[], options: TinyGatewayOptions = {}): Promise<TinyGateway> {
    const urls = backends.map((port) => `http://127.0.0.1:${port}`);
    const client = createClient({ backends: urls, health: false, throttle: false, ...options.client });
    const target: ForwardTarget = { client, host: 'backend', protocol: 'http', ...options.target };
    const errors: unknown[] = [];
    const guard = createGuard({ health: false, onError: (error) => errors.push(error), ...options.guard });
    const handler = guard.protect((req, res) => forward(req, res, target, options.headers));
    const server = createServer(handler);
    server.on('checkContinue', handler);
    server.on('upgrade', (req, socket, head) => forwardUpgrade(req, socket, head, target));
    guard.attach(server);
    const gateway = new TinyGateway(server, guard, client);
    server.on('connection', (socket: Socket) => {
      gateway.sockets.add(socket);
      socket.on('close', () => gateway.sockets.delete(socket));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return gateway;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  onStop(stop: () => Promise<void>): this {
    this.#stop.push(stop);
    return this;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await this.guard.drain({ timeoutMs: 100, spreadMs: 0 });
    await this.client.destroy();
    for (const stop of this.#stop) await stop();
  }
}
