import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import type { Client } from '../../../src/client/index.js';
import { until } from '../server/guarded-server.js';
import { CERTIFICATE, KEY } from './certificate.js';
import { Fleet, statesOf } from './fleet.js';

/** Backends that know nothing of us, and a page whose status says how they are. */

const fleet = new Fleet();
afterEach(() => fleet.stop());

/** A server with a page; what it counts are requests for anything else. */
class PagedServer {
  url = '';
  status = 200;
  body = 'OK';
  requests = 0;
  isStill = false;
  readonly hosts = new Set<string | undefined>();

  static async start(): Promise<PagedServer> {
    const made = new PagedServer();
    made.url = (await fleet.plain((req, res) => made.#answer(req, res))).url;
    return made;
  }

  static async startTls(): Promise<PagedServer> {
    const made = new PagedServer();
    const server = createServer({ cert: CERTIFICATE, key: KEY }, (req, res) => made.#answer(req, res));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    made.url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    fleet.owns(async () => {
      server.closeAllConnections();
      server.close();
    });
    return made;
  }

  readonly #answer: NonNullable<Parameters<typeof createServer>[1]> = (req, res) => {
    if (req.url !== '/healthz') {
      this.requests++;
      res.end('hello');
      return;
    }
    this.hosts.add(req.headers.host);
    if (!this.isStill) res.writeHead(this.status).end(this.body);
  };
}

const HEALTH = { path: '/healthz', activeMs: 100 };

async function ask(client: Client, times: number): Promise<void> {
  for (let i = 0; i < times; i++) await (await client.fetch('/')).text();
}

for (const kind of ['plain', 'TLS'] as const) {
  it(`one that says 503 gets no requests until it says 200 again: ${kind}`, async () => {
    const start = () => (kind === 'plain' ? PagedServer.start() : PagedServer.startTls());
    const [ill, well] = await Promise.all([start(), start()]);
    const client = fleet.client({
      backends: [ill.url, well.url],
      policy: 'round-robin',
      health: HEALTH,
      host: 'orders.test',
      connections: { tls: { ca: CERTIFICATE } },
    });
    await until(() => client.snapshot().states.ready === 2);
    await ask(client, 10);
    expect([ill.requests, well.requests]).toEqual([5, 5]);
    // Not asked of an address, which a server of several names would not answer for.
    expect([...ill.hosts]).toEqual(['orders.test']);
    ill.status = 503;
    await until(() => statesOf(client)[ill.url] === 'unhealthy');
    expect(client.snapshot().backends.find(({ url }) => url === ill.url)).toMatchObject({
      health: { via: 'http', status: 503 },
    });
    await ask(client, 10);
    expect([ill.requests, well.requests]).toEqual([5, 15]);
    ill.status = 200;
    await until(() => client.snapshot().states.ready === 2);
    await ask(client, 10);
    expect(ill.requests).toBeGreaterThan(5);
  });
}

it('its own word holds where there is nobody else; a page that is not there does not cost a service', async () => {
  const server = await PagedServer.start();
  const client = fleet.client({ backends: [server.url], health: HEALTH });
  await until(() => client.snapshot().states.ready === 1);
  server.status = 503;
  await until(() => client.snapshot().states.unhealthy === 1);
  await expect(client.fetch('/')).rejects.toMatchObject({
    code: 'PLIMSOLL_NO_BACKEND',
    message: expect.stringContaining('1 unhealthy'),
  });
  expect(server.requests).toBe(0);
  server.status = 200;
  await until(() => client.snapshot().states.ready === 1);
  const other = await PagedServer.start();
  other.status = 404;
  const mistaken = fleet.client({ backends: [other.url], health: HEALTH });
  await until(() => other.hosts.size > 0);
  await ask(mistaken, 20);
  expect(other.requests).toBe(20);
});

it('one that answers nobody is left alone, and used when it is back', async () => {
  const [still, well] = await Promise.all([PagedServer.start(), PagedServer.start()]);
  const client = fleet.client({ backends: [still.url, well.url], health: { ...HEALTH, httpTimeoutMs: 200 } });
  await until(() => client.snapshot().states.ready === 2);
  still.isStill = true;
  await until(() => statesOf(client)[still.url] === 'unhealthy');
  await ask(client, 10);
  expect(still.requests).toBe(0);
  still.isStill = false;
  await until(() => client.snapshot().states.ready === 2);
});

it('a line of ours in the page tells more', async () => {
  const [lame, well] = await Promise.all([PagedServer.start(), PagedServer.start()]);
  lame.body = '{"state":"lame-duck"}';
  const client = fleet.client({ backends: [lame.url, well.url], health: HEALTH });
  await until(() => statesOf(client)[lame.url] === 'lame-duck');
  lame.body = '{"state":"ready","load":"TEXT named_metrics.rif=3"}';
  await until(() => statesOf(client)[lame.url] === 'ready');
  const { backends } = client.snapshot();
  expect(backends.find(({ url }) => url === lame.url)?.report).toMatchObject({ inFlight: 3 });
});
