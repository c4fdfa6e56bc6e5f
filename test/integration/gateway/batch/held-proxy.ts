import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { currentRequest, type RequestContext } from '../../../../src/context/index.js';
import type { Outcome } from '../../../../src/core/index.js';
import { BatchProxy, type BatchProxyOptions } from '../../../../src/gateway/batch/index.js';
import { until } from '../../client/until.js';
import { RawClient } from '../../server/raw-client.js';

export interface Turn {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly context: RequestContext | undefined;
  readonly criticality: string | undefined;
  readonly done: (outcome: Outcome) => void;
}

/** A proxy that sends one on at a time, and keeps it until the test says what comes of it. */
export class HeldProxy {
  readonly proxy: BatchProxy;
  readonly turns: Turn[] = [];
  readonly errors: unknown[] = [];
  /** Thrown by the next that is sent on. */
  failing: Error | undefined = undefined;
  server!: Server;
  readonly #clients: RawClient[] = [];

  constructor(options: Partial<BatchProxyOptions> = {}) {
    const { pace, ...rest } = options;
    this.proxy = new BatchProxy(
      (req, res, done) => {
        if (this.failing !== undefined) throw this.failing;
        const context = currentRequest();
        this.turns.push({ req, res, done, context, criticality: context?.criticality });
      },
      {
        pace: { maxUnderWay: 1, initialPerSecond: 1_000, ...pace },
        onError: (error) => this.errors.push(error),
        ...rest,
      },
    );
  }

  async listen(server: Server = createServer(this.proxy.handle)): Promise<this> {
    this.server = server;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return this;
  }

  client(): RawClient {
    const client = new RawClient((this.server.address() as AddressInfo).port);
    this.#clients.push(client);
    return client;
  }

  /** A client whose request waits behind what is under way, or is under way. */
  async asking(path = '/', ...headers: string[]): Promise<RawClient> {
    const client = this.client();
    const { waiting, underWay } = this.proxy.snapshot();
    client.get(path, ...headers);
    await until('it has come', () => {
      const now = this.proxy.snapshot();
      return now.waiting + now.underWay > waiting + underWay;
    });
    return client;
  }

  async turn(): Promise<Turn> {
    await until('somebody has a turn', () => this.turns.length > 0);
    return this.turns.shift()!;
  }

  async waiting(count: number): Promise<void> {
    await until(`${count} wait`, () => this.proxy.snapshot().waiting === count);
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.close();
    this.server.close();
    this.server.closeAllConnections();
    await this.proxy.close();
  }
}
