import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { createGuard } from '../../../src/server/index.js';
import { until } from '../client/until.js';
import { expectNoMishaps } from '../server/mishaps.js';
import { EchoBackend } from './echo-backend.js';
import { RunningGateway } from './running-gateway.js';

expectNoMishaps();

let backend: EchoBackend;
let other: EchoBackend;
let running: RunningGateway | undefined;

beforeAll(async () => {
  backend = await EchoBackend.start('backend');
  other = await EchoBackend.start('other');
});
afterEach(async () => {
  await running?.stop();
  expect(running?.errors).toEqual([]);
});
afterAll(() => Promise.all([backend.stop(), other.stop()]));

async function start(settings: string): Promise<RunningGateway> {
  const { url } = backend;
  running = await RunningGateway.start(settings.replaceAll('BACKEND', url).replaceAll('OTHER', other.url));
  return running;
}

describe('a gateway', () => {
  it('sends each request along the first route that fits', async () => {
    const gateway = await start(`
routes:
  - { path: /users/:id, to: BACKEND, rewrite: /people/:id }
  - { path: /only-posts, methods: [POST], to: BACKEND }
  - { host: "*.other.test", to: OTHER }
  - { path: /static/*, to: OTHER, rewrite: /files/* , requestHeaders: { set: { x-edge: "1" }, remove: [x-debug] }, answerHeaders: { remove: [content-type] } }
  - { path: /small, maxBody: 10B, to: BACKEND }
`);
    expect((await gateway.ask('/Users/5/?q=1')).json()).toMatchObject({
      name: 'backend',
      url: '/people/5?q=1',
    });
    expect((await gateway.ask('/x', { headers: { host: 'a.other.test:80' } })).json().name).toBe('other');
    const edited = await gateway.ask('//static//a%20b/', { headers: { 'x-debug': '1' } });
    expect(edited.json()).toMatchObject({ name: 'other', url: '/files/a%20b/', headers: { 'x-edge': '1' } });
    expect(edited.json().headers).not.toHaveProperty('x-debug');
    expect(edited.headers).not.toHaveProperty('content-type');
    expect(await gateway.ask('/none')).toMatchObject({
      status: 404,
      text: '{"title":"No route","status":404}',
    });
    expect(await gateway.ask('/only-posts')).toMatchObject({ status: 405, headers: { allow: 'POST' } });
    expect((await gateway.ask('/users/..%2fadmin')).status).toBe(400);
    expect((await gateway.ask('/static/../users/5')).status).toBe(400);
    expect((await gateway.ask('/users;x/5')).status).toBe(400);
    expect((await gateway.ask('/small', { method: 'POST', body: '0123456789' })).status).toBe(200);
    expect((await gateway.ask('/small', { method: 'POST', body: '0123456789a' })).status).toBe(413);
    // A long body that nobody wants costs its connection, and the answer still comes.
    const long = await gateway.ask('/none', { method: 'POST', body: 'x'.repeat(1_000_000) });
    expect(long).toMatchObject({ status: 404, headers: { connection: 'close' } });
    expect((await gateway.ask('*', { method: 'OPTIONS' })).status).toBe(204);
    expect(gateway.gateway.snapshot()).toMatchObject({
      unrouted: 7,
      routes: { '/users/:id': { requests: 1 }, '/static/*': { requests: 1 } },
    });
  });

  it('believes nobody on criticality and customer but trusted callers, and those within bounds', async () => {
    const said = {
      'x-request-criticality': 'CRITICAL_PLUS',
      'x-plimsoll-customer': 'me',
      'x-forwarded-for': '1.2.3.4',
    };
    const routes = `
routes:
  - { path: /assigned, to: BACKEND, criticality: SHEDDABLE }
  - { path: /bounded, to: BACKEND, criticality: { default: SHEDDABLE_PLUS, max: CRITICAL } }
  - { to: BACKEND }
`;
    const levels = async (gateway: RunningGateway) => {
      const answers = ['/assigned', '/bounded', '/'].map((path) => gateway.ask(path, { headers: said }));
      return (await Promise.all(answers)).map((answer) => answer.json().headers['x-request-criticality']);
    };
    const edge = await start(routes);
    expect(await levels(edge)).toEqual(['SHEDDABLE', 'SHEDDABLE_PLUS', 'CRITICAL']);
    const { headers } = (await edge.ask('/', { headers: said })).json();
    expect(headers).toMatchObject({ 'x-plimsoll-customer': 'anonymous', 'x-forwarded-for': '127.0.0.1' });
    await edge.stop();
    const inner = await start(`trustedCallers: [127.0.0.0/8]\ntrustedProxies: [127.0.0.0/8]\n${routes}`);
    expect(await levels(inner)).toEqual(['SHEDDABLE', 'CRITICAL', 'CRITICAL_PLUS']);
    const believed = (await inner.ask('/', { headers: said })).json().headers;
    expect(believed).toMatchObject({ 'x-plimsoll-customer': 'me', 'x-forwarded-for': '1.2.3.4' });
  });

  it('counts by the address that trusted proxies say, and by route', async () => {
    const gateway = await start(`
trustedProxies: 1
limits:
  few: { rate: 2/h, key: [ip, route], algorithm: sliding-log }
routes:
  - { path: /a, to: BACKEND, limits: [few] }
  - { path: /b, to: BACKEND, limits: [few] }
`);
    const ask = async (path: string, from: string) =>
      (await gateway.ask(path, { headers: { 'x-forwarded-for': `6.6.6.6, ${from}` } })).status;
    expect([await ask('/a', '1.1.1.1'), await ask('/a', '1.1.1.1'), await ask('/A/', '1.1.1.1')]).toEqual([
      200, 200, 429,
    ]);
    expect([await ask('/a', '2.2.2.2'), await ask('/b', '1.1.1.1')]).toEqual([200, 200]);
    expect(gateway.gateway.snapshot().routes['/a']).toMatchObject({ requests: 4, limited: 1 });
  });

  it('keeps to itself what backends have for their clients, unless a route says otherwise', async () => {
    const guard = createGuard();
    const server = createServer(guard.protect((_, res) => res.end('app')));
    guard.attach(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      const gateway = await start(`
routes:
  - { path: /state, to: "${url}", rewrite: /plimsoll/ready }
  - { path: /api/*, to: "${url}", rewrite: /* }
  - { to: "${url}" }
`);
      const hidden = [
        '/plimsoll/ready',
        '//plimsoll//watch?x',
        '/%70limsoll/watch',
        '/api/plimsoll/watch',
        '/plimsoll',
      ];
      for (const path of hidden)
        expect([path, await gateway.ask(path)]).toMatchObject([
          path,
          { status: 404, text: expect.stringContaining('No route') },
        ]);
      const headers = { connection: 'upgrade', upgrade: 'websocket' };
      expect(await gateway.ask('/plimsoll/watch', { headers })).toMatchObject({ status: 404 });
      expect(await gateway.ask('/plimsolls')).toMatchObject({ status: 200, text: 'app' });
      expect(await gateway.ask('/state')).toMatchObject({
        status: 200,
        text: expect.stringContaining('"state":"ready"'),
      });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it('passes WebSockets on, and limits them too', async () => {
    const sockets = new WebSocketServer({ server: backend.server, path: '/inner/ws' });
    sockets.on('connection', (socket) => socket.on('message', (data) => socket.send(`echo ${data}`)));
    const gateway = await start(`
routes:
  - { path: /ws, to: BACKEND, rewrite: /inner/ws, limits: [{ name: few, rate: 1/h, algorithm: sliding-log }] }
`);
    const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}/ws`);
    await once(socket, 'open');
    socket.send('hello');
    expect(String((await once(socket, 'message'))[0])).toBe('echo hello');
    const [limited] = await once(new WebSocket(`ws://127.0.0.1:${gateway.port}/ws`), 'error');
    expect(String(limited)).toContain('429');
    const [unrouted] = await once(new WebSocket(`ws://127.0.0.1:${gateway.port}/none`), 'error');
    expect(String(unrouted)).toContain('404');
    socket.close();
    await once(socket, 'close');
    sockets.close();
  });

  it('keeps the connections of services that have not changed, and counts on', async () => {
    let connections = 0;
    backend.server.on('connection', () => connections++);
    const settings = (more: string) => `
services: { users: { backends: ["BACKEND"], health: false } }
limits: { few: { rate: 3/h, algorithm: sliding-log } }
routes:
${more}
  - { path: /users, to: users, limits: [few] }
`;
    const gateway = await start(settings(''));
    expect((await gateway.ask('/users')).status).toBe(200);
    const before = connections;
    await gateway.reload(
      settings('  - { path: /other, to: OTHER }')
        .replaceAll('BACKEND', backend.url)
        .replaceAll('OTHER', other.url),
    );
    expect((await gateway.ask('/users')).headers['ratelimit']).toContain('r=1');
    expect((await gateway.ask('/other')).json().name).toBe('other');
    expect((await gateway.ask('/users')).status).toBe(200);
    expect((await gateway.ask('/users')).status).toBe(429);
    expect(connections).toBe(before);
    expect(gateway.gateway.snapshot()).toMatchObject({
      reloads: 1,
      routes: { '/users': { requests: 4, limited: 1 } },
    });
    await expect(
      gateway.reload(`redis: redis://a\n${settings('').replaceAll('BACKEND', backend.url)}`),
    ).rejects.toThrow('redis: changed');
    await gateway.stop();
    await expect(gateway.reload(settings('').replaceAll('BACKEND', backend.url))).rejects.toThrow('closed');
  });
});

it('lets batches wait for their turn, through a change of settings', async () => {
  const settings = (more: string) => `
services: { jobs: { backends: ["BACKEND"], activeLimit: ${more} } }
routes:
  - { path: /batch/*, to: jobs, batch: { job: "header:x-job", maxUnderWay: 2 } }
`;
  const gateway = await start(settings('100'));
  const held: (() => void)[] = [];
  backend.handler = (req, res) => held.push(() => res.end(String(req.headers['x-request-criticality'])));
  try {
    const answers = Array.from({ length: 6 }, (_, i) =>
      gateway.ask('/batch/x', { headers: { 'x-job': `job ${i % 2}` } }),
    );
    const { batch } = gateway.gateway.snapshot().routes['/batch/*'] ?? {};
    expect(batch).toBeDefined();
    await until('two under way', () => held.length === 2);
    await until('four waiting', () => gateway.gateway.snapshot().routes['/batch/*']?.batch?.waiting === 4);
    // Another client for the service: those who wait have the old one, which stays until they are gone.
    await gateway.reload(settings('101').replaceAll('BACKEND', backend.url));
    const release = setInterval(() => {
      for (const end of held.splice(0)) end();
    }, 5);
    const got = await Promise.all(answers);
    clearInterval(release);
    expect(got.map(({ status, text }) => `${status} ${text}`)).toEqual(Array(6).fill('200 SHEDDABLE_PLUS'));
  } finally {
    backend.handler = undefined;
  }
});
