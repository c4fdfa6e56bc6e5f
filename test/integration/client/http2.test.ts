import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { ClientOptions } from '../../../src/client/index.js';
import { until } from '../server/guarded-server.js';
import { expectNoMishaps } from '../server/mishaps.js';
import { CERTIFICATE, KEY } from './certificate.js';
import { Fleet, statesOf } from './fleet.js';
import { HandResolver } from './hand-resolver.js';
import { Http2Server } from './http2-server.js';

expectNoMishaps();

const fleet = new Fleet();
afterEach(() => fleet.stop());

const HTTP2 = {
  host: 'orders.test',
  health: false,
  throttle: false,
  policy: 'round-robin',
  retry: { budget: { ratio: 10 } },
  connections: { http2: true, tls: { ca: CERTIFICATE } },
} as const;

async function aServer(): Promise<Http2Server> {
  const server = await Http2Server.start();
  fleet.owns(() => server.stop());
  return server;
}

async function aClient(options: ClientOptions, ready = 1) {
  const client = fleet.client({ ...HTTP2, ...options });
  await until(() => client.snapshot().states.ready === ready);
  return client;
}

describe('HTTP/2', () => {
  it('carries requests, one after the other on one connection', async () => {
    const server = await aServer();
    const client = await aClient({ backends: [server.url] });
    const answers = new Set<string>();
    for (let i = 0; i < 10; i++) answers.add(await (await client.fetch(`/${i}`)).text());
    expect(answers.size).toBe(1);
    expect(server.arrived).toHaveLength(10);
    expect(server.arrived[0]!.headers).toMatchObject({
      ':authority': 'orders.test',
      'x-request-criticality': 'CRITICAL',
      'x-envoy-attempt-count': '1',
    });
    // The one with which it was seen that the backend is there, and the one of the first request.
    expect(server.connections).toBe(2);
    expect(statesOf(client)).toEqual({ [server.url]: 'ready' });
  });

  it('opens one connection to see that a backend is there, and leaves it at that', async () => {
    const server = await aServer();
    const other = await aServer();
    const client = await aClient({ backends: [server.url, other.url] }, 2);
    await until(() => server.open + other.open === 0);
    expect([server.connections, other.connections]).toEqual([1, 1]);
    expect(client.snapshot()).toMatchObject({ states: { ready: 2 }, backends: [{}, {}] });
  });

  it('carries one request at a time on a connection: as many connections as requests are active', async () => {
    const server = await aServer();
    const client = await aClient({ backends: [server.url] });
    const running = Array.from({ length: 5 }, () => client.fetch('/slow'));
    await until(() => server.count('GET', '/slow') === 5);
    expect(new Set(server.arrived.map(({ session }) => session)).size).toBe(5);
    // None waits for another, whatever its method.
    expect((await client.fetch('/', { method: 'POST', body: 'x' })).status).toBe(200);
    server.answerSlow();
    for (const answer of await Promise.all(running)) expect(await answer.text()).toContain('by connection');
    const { connections } = server;
    for (let i = 0; i < 10; i++) await (await client.fetch('/')).text();
    expect(server.connections).toBe(connections);
  });

  it('says with answers that a backend is a lame duck', async () => {
    const server = await aServer();
    const client = await aClient({ backends: [server.url] });
    server.answerHeaders = { 'x-envoy-immediate-health-check-fail': 'true' };
    await (await client.fetch('/')).text();
    expect(statesOf(client)).toEqual({ [server.url]: 'lame-duck' });
    await until(() => server.open === 0);
  });

  it('is not needed: a server without it is spoken to as before', async () => {
    const versions: string[] = [];
    const server = createTlsServer({ key: KEY, cert: CERTIFICATE }, (req, res) => {
      versions.push(req.httpVersion);
      res.end('ok');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    fleet.owns(async () => {
      server.closeAllConnections();
      server.close();
    });
    const client = await aClient({
      backends: [`https://127.0.0.1:${(server.address() as AddressInfo).port}`],
    });
    expect(await (await client.fetch('/')).text()).toBe('ok');
    expect(versions).toEqual(['1.1']);
  });
});

describe('a graceful GOAWAY', () => {
  /** A request that runs on each of two connections, and another backend. */
  async function running() {
    const server = await aServer();
    const other = await aServer();
    const resolver = new HandResolver([server.url]);
    const client = await aClient({ backends: resolver });
    const get = client.fetch('/slow').then((answer) => answer.text());
    const post = client.fetch('/slow', { method: 'POST', body: 'x' });
    // Looked at later.
    post.catch(() => {});
    await until(() => server.count('GET', '/slow') === 1 && server.count('POST', '/slow') === 1);
    resolver.set(server.url, other.url);
    await until(() => statesOf(client)[other.url] === 'ready');
    return { server, other, client, get, post };
  }

  it('ends what runs, though it may go on: it is sent again only when that does no harm', async () => {
    const { server, other, client, get, post } = await running();
    server.goAway();
    await expect(post).rejects.toMatchObject({ cause: { code: 'UND_ERR_SOCKET' } });
    await expect(post).rejects.toMatchObject({ cause: { message: expect.stringContaining('GOAWAY') } });
    await until(() => server.count('GET', '/slow') + other.count('GET', '/slow') === 2);
    server.answerSlow();
    other.answerSlow();
    expect(await get).toContain('by connection');
    // Nobody has sent it a second time behind our back.
    expect(server.count('POST', '/slow') + other.count('POST', '/slow')).toBe(1);
    expect(client.snapshot().counts).toMatchObject({
      attempts: [2, 1],
      outcomes: { broken: 2, answered: 1 },
    });
  });

  it('on a connection without requests does no harm: the next request has another', async () => {
    const server = await aServer();
    const client = await aClient({ backends: [server.url] });
    await (await client.fetch('/')).text();
    server.goAway();
    // Seen, closed, and tried again: a backend that closes connections may be about to go.
    await until(() => client.snapshot().backends[0]!.connections === 0 && server.connections === 3);
    await until(() => statesOf(client)[server.url] === 'ready');
    for (let i = 0; i < 3; i++) {
      const answer = await client.fetch('/', { method: 'POST', body: 'x' });
      expect(await answer.text()).toContain('by connection');
    }
    expect(client.snapshot().counts.outcomes).toMatchObject({ broken: 0, 'connect-failed': 0, answered: 4 });
  });

  it('is read too late by a request that is on its way: it breaks, processed or not', async () => {
    const server = await aServer();
    const client = await aClient({ backends: [server.url], retry: false });
    await (await client.fetch('/')).text();
    server.goAway();
    // In the same turn: the frame cannot have been read.
    await expect(client.fetch('/', { method: 'POST', body: 'x' })).rejects.toMatchObject({
      cause: { message: expect.stringContaining('GOAWAY') },
    });
    expect(client.snapshot().counts.outcomes).toMatchObject({ broken: 1 });
  });
});
