import { type Agent, request } from 'node:http';
import { afterEach } from 'vitest';
import {
  type CapacityClient,
  type CapacityClientOptions,
  type CapacityServer,
  type CapacityServerSettings,
  createCapacityClient,
  createCapacityServer,
} from '../../../src/quota/index.js';

/** Short, so that what takes a lease takes seconds; a machine that pauses for 100 ms still asks in time. */
export const TIMES = { leaseMs: 2_000, refreshMs: 250, hurryMs: 100 };

/** The first of its name has nothing to learn. */
export const FIRST = { ...TIMES, learningMs: 0 };

/** Clients as impatient. */
const CLIENT_TIMES = { refreshMs: 250, hurryMs: 100 };

type ServerOptions = Partial<CapacityServerSettings> & Pick<CapacityServerSettings, 'resources'>;

export interface Served {
  readonly server: CapacityServer;
  readonly url: string;
  readonly port: number;
  /** It is gone, for those who ask. */
  stop(): Promise<void>;
}

/** How messages travel. */
export interface Way {
  /** Options of those who ask. */
  readonly calling: Pick<Partial<CapacityClientOptions>, 'transport'>;
  serve(server: CapacityServer, port: number): Promise<Served>;
}

export const BY_HTTP: Way = {
  calling: {},
  serve: async (server, port) => ({
    server,
    ...(await server.listen({ port })),
    stop: () => server.close(),
  }),
};

/** Servers and clients, closed after each test, the last one first. */
export class CapacityBed {
  readonly #open: { close(): Promise<void> }[] = [];
  readonly #way: Way;

  constructor(way = BY_HTTP) {
    this.#way = way;
    afterEach(() => this.close());
  }

  get calling(): Way['calling'] {
    return this.#way.calling;
  }

  async close(): Promise<void> {
    for (const each of this.#open.splice(0).reverse()) await each.close();
  }

  add<T extends { close(): Promise<void> }>(each: T): T {
    this.#open.push(each);
    return each;
  }

  async server(options: ServerOptions, port = 0): Promise<Served> {
    const served = await this.#way.serve(this.add(createCapacityServer(options)), port);
    this.add({ close: () => served.stop() });
    return served;
  }

  client(url: string | readonly string[], options: Partial<CapacityClientOptions> = {}): CapacityClient {
    return this.add(
      createCapacityClient({ url, resource: 'gpu', ...CLIENT_TIMES, ...this.calling, ...options }),
    );
  }
}

export function sumOf(clients: readonly CapacityClient[]): number {
  return clients.reduce((sum, { capacity }) => sum + capacity, 0);
}

/** Looks every few milliseconds; the most that was ever seen. */
export class Highest {
  most = 0;
  readonly #timer: NodeJS.Timeout;

  constructor(value: () => number) {
    this.#timer = setInterval(() => {
      this.most = Math.max(this.most, value());
    }, 5);
  }

  stop(): number {
    clearInterval(this.#timer);
    return this.most;
  }
}

export interface Posted {
  readonly status: number;
  readonly master: string | undefined;
  readonly text: string;
}

/** A body as it is. */
export function post(
  url: string,
  body: string | Buffer,
  method = 'POST',
  agent: Agent | false = false,
): Promise<Posted> {
  return new Promise((resolve, reject) => {
    const req = request(url, { method, agent }, (res) => {
      let text = '';
      res.on('data', (bytes) => {
        text += bytes;
      });
      res.on('error', reject);
      res.on('end', () =>
        resolve({
          status: res.statusCode!,
          master: res.headers['x-plimsoll-master'] as string | undefined,
          text,
        }),
      );
    });
    req.on('error', reject);
    req.end(body);
  });
}

export function askOf(client: string, turn: number, wants: number, has = 0): string {
  return JSON.stringify({ client, life: 'a', turn, has, bands: [{ priority: 0, wants, subclients: 1 }] });
}
