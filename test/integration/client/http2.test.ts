import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { constants } from 'node:http2';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Client, ClientOptions } from '../../../src/client/index.js';
import { serve } from '../../../src/server/index.js';
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
    // Not where it came from.
    await until(() => other.count('GET', '/slow') === 1);
    expect(server.count('GET', '/slow')).toBe(1);
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
    await until(() => client.snapshot().backends[0]!.connections === 0);
    // There is no other: it is as good as ready.
    expect(statesOf(client)[server.url]).toBe('ready');
    // Greeted: a backend that says so may be about to go.
    await until(() => server.connections === 3);
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

describe('a backend that has said GOAWAY', () => {
  const SELDOM = { firstMs: 60_000, mostMs: 60_000 };

  /** Two of them that have been sent requests, with a connection each. */
  async function two(options: Partial<ClientOptions> = {}) {
    const server = await aServer();
    const other = await aServer();
    const client = await aClient({ backends: [server.url, other.url], ...options }, 2);
    for (let i = 0; i < 4; i++) await (await client.fetch('/')).text();
    expect([server.arrived.length, other.arrived.length]).toEqual([2, 2]);
    return { server, other, client };
  }

  async function send(client: Client, count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      const method = i % 2 === 0 ? 'GET' : 'POST';
      const answer = await client.fetch('/', { method, ...(method === 'POST' ? { body: 'x' } : {}) });
      expect(await answer.text()).toContain('by connection');
    }
  }

  /** The states that it is said to be in from now on. */
  function statesTold({ url }: Http2Server): string[] {
    const states: string[] = [];
    const onState = (message: unknown) => {
      const { backend, state } = message as { backend: string; state: string };
      if (backend === url) states.push(state);
    };
    subscribe('plimsoll:client:backend-state', onState);
    fleet.owns(async () => unsubscribe('plimsoll:client:backend-state', onState));
    return states;
  }

  it('gets no requests while it says so on new connections, and is back when it does not', async () => {
    const { server, other, client } = await two();
    server.isLeaving = true;
    server.goAway();
    await until(() => statesOf(client)[server.url] === 'lame-duck');
    // Greeted, which it answers by the same.
    const { connections } = server;
    await until(() => server.connections >= connections + 2);
    await send(client, 10);
    expect([server.arrived.length, other.arrived.length]).toEqual([2, 12]);
    expect(statesOf(client)).toEqual({ [server.url]: 'lame-duck', [other.url]: 'ready' });
    server.isLeaving = false;
    await until(() => statesOf(client)[server.url] === 'ready');
    await send(client, 4);
    expect([server.arrived.length, other.arrived.length]).toEqual([4, 14]);
    expect(client.snapshot().counts).toMatchObject({ attempts: [18], outcomes: { broken: 0 } });
  });

  it('is gone if it takes no new connection, and if it ends those that it takes', async () => {
    const { server, client } = await two();
    server.isBroken = true;
    server.goAway();
    await until(() => statesOf(client)[server.url] === 'refusing');
    await send(client, 3);
    server.isBroken = false;
    await until(() => statesOf(client)[server.url] === 'ready');
    await send(client, 4);
    server.goAway();
    await server.stop();
    await until(() => statesOf(client)[server.url] === 'refusing');
    await send(client, 3);
  });

  it('is asked how it is where it says so, and back at once if it is ready', async () => {
    const health = await serve((_req, res) => void res.end(), { port: 0, host: '127.0.0.1', signals: {} });
    fleet.owns(() => health.close({ spreadMs: 0, timeoutMs: 100 }));
    // By nothing else would it be back within a minute.
    const rarely = { activeMs: 60_000, downMs: 60_000, mostDownMs: 60_000 };
    const { server, other, client } = await two({
      health: { mode: 'udp', udpPort: health.port, ...rarely },
      connections: { ...HTTP2.connections, backoff: SELDOM },
    });
    await until(() =>
      client.snapshot().backends.every((each) => (each.health as { via: string }).via === 'udp'),
    );
    const states = statesTold(server);
    const { connections } = server;
    server.goAway();
    await until(() => states.length === 2);
    expect(states).toEqual(['lame-duck', 'ready']);
    expect(server.connections).toBe(connections);
    await send(client, 4);
    expect([server.arrived.length, other.arrived.length]).toEqual([4, 4]);
  });

  it('still gets requests while there is no other', async () => {
    const { server, other, client } = await two();
    await other.stop();
    await until(() => statesOf(client)[other.url] === 'refusing');
    server.goAway();
    await until(() => client.snapshot().backends.every(({ connections }) => connections === 0));
    expect(statesOf(client)[server.url]).toBe('ready');
    await send(client, 4);
    expect(server.arrived).toHaveLength(6);
  });

  it('is let go when it says in an answer that it meant it', async () => {
    const server = await aServer();
    const client = await aClient({
      backends: [server.url],
      connections: { ...HTTP2.connections, backoff: SELDOM },
    });
    await send(client, 1);
    server.goAway();
    await until(() => client.snapshot().backends[0]!.connections === 0);
    // Node's server does not notice the end of a connection on which it has said GOAWAY.
    const { open } = server;
    server.answerHeaders = { 'x-envoy-immediate-health-check-fail': 'true' };
    await send(client, 1);
    expect(statesOf(client)).toEqual({ [server.url]: 'lame-duck' });
    await until(() => server.open <= open);
  });

  it('keeps its place in a subset: no other is connected to', async () => {
    const servers = await Promise.all([1, 2, 3].map(() => aServer()));
    const backends = servers.map(({ url }) => url);
    const client = await aClient({ backends, clientId: 0, subset: { size: 2 } }, 2);
    await send(client, 4);
    const [spare] = servers.filter(({ connections }) => connections === 0);
    const member = servers.find((each) => each !== spare)!;
    const states = statesTold(member);
    member.goAway();
    await until(() => states.length === 2);
    expect(states).toEqual(['lame-duck', 'ready']);
    expect(spare!.connections).toBe(0);
  });

  it('costs no request when it only ends old connections', async () => {
    const server = await aServer();
    server.recycleAfter = 3;
    const client = await aClient({ backends: [server.url], retry: false });
    for (let round = 0; round < 10; round++) {
      await send(client, 3);
      // The frame is read: what is sent before that, breaks. No more is waited for.
      await until(() => client.snapshot().backends[0]!.connections === 0);
      expect(client.snapshot().states.ready).toBe(1);
    }
    expect(client.snapshot().counts).toMatchObject({
      attempts: [30],
      answered: 30,
      failed: 0,
      rejected: {},
      outcomes: { answered: 30, broken: 0, 'connect-failed': 0 },
    });
  });

  it('is no lame duck when it was for an error: a broken connection', async () => {
    const { server, client } = await two();
    const states = statesTold(server);
    const { connections } = server;
    server.goAway(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    await until(() => states.length === 2);
    expect(states).toEqual(['connecting', 'ready']);
    expect(server.connections).toBe(connections + 1);
    await send(client, 4);
    expect(server.arrived).toHaveLength(4);
  });
});
