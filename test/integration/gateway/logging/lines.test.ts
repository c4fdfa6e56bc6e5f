import { once } from 'node:events';
import { createConnection } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../client/until.js';
import { EchoBackend } from '../echo-backend.js';
import { LoggingGateway } from './logging-gateway.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = `00-${TRACE}-b7ad6b7169203331-01`;

let backend: EchoBackend;
const running: LoggingGateway[] = [];

beforeAll(async () => {
  backend = await EchoBackend.start();
});
afterEach(async () => {
  backend.handler = undefined;
  for (const gateway of running.splice(0)) await gateway.stop();
});
afterAll(() => backend.stop());

async function start(settings: string): Promise<LoggingGateway> {
  const gateway = await LoggingGateway.start(settings);
  running.push(gateway);
  return gateway;
}

function requestsOf({ lines }: LoggingGateway) {
  return lines.filter(({ method }) => method !== undefined);
}

/** Bytes as they are, and the connection left to be closed by the other end. */
async function sendRaw(port: number, text: string): Promise<void> {
  const socket = createConnection(port, '127.0.0.1');
  socket.resume().on('error', () => {});
  socket.end(text, 'latin1');
  await new Promise((resolve) => socket.once('close', resolve));
}

/** A token whose keys nobody has, and a body where none is expected. */
const FURTHER: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/unverified': {
    authorization: `Bearer ${['{"alg":"ES256"}', '{"sub":"a"}', 'x'].map(base64url).join('.')}`,
  },
  '/fine/body': { 'content-length': '1' },
};

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}

describe('the log of a gateway', () => {
  it('has a line for each request, found at its backend and by its client by the same id', async () => {
    const gateway = await start(`routes:\n  - name: api\n    to: ${backend.url}\n`);
    const { status, headers, text } = await gateway.ask('/users/7?token=x', {
      traceparent: PARENT,
      'x-request-id': 'forged',
    });
    expect(status).toBe(200);
    const seen = JSON.parse(text).headers;
    expect(seen['x-request-id']).toBe(headers['x-request-id']);
    expect(seen['x-request-id']).toMatch(/^[\da-f]{12}-\w+$/);
    expect(seen.traceparent).toBe(PARENT);
    expect(await gateway.end()).toBe(0);
    expect(gateway.lines.map(({ msg }) => msg)).toEqual([
      'starting',
      'listening',
      'request',
      'draining',
      'lame duck',
      'closed',
    ]);
    expect(requestsOf(gateway)).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/Z$/),
        pid: gateway.child.pid,
        msg: 'request',
        id: headers['x-request-id'],
        trace: TRACE,
        method: 'GET',
        path: '/users/7',
        status: 200,
        route: 'api',
        service: backend.url,
        backend: backend.url,
        attempts: 1,
        criticality: 'CRITICAL',
        customer: 'anonymous',
        ms: expect.any(Number),
        queueMs: expect.any(Number),
        backendMs: expect.any(Number),
        bytesIn: expect.any(Number),
        bytesOut: expect.any(Number),
        client: '127.0.0.1',
        protocol: 'HTTP/1.1',
      },
    ]);
    const [{ ms, queueMs, backendMs, bytesIn, bytesOut }] = requestsOf(gateway) as unknown as [
      Record<string, number>,
    ];
    // Each is rounded.
    expect(ms! + 0.01).toBeGreaterThan(queueMs! + backendMs!);
    expect(bytesIn!).toBeGreaterThan(100);
    expect(bytesOut!).toBeGreaterThan(text.length);
  });

  it('says why requests were not served, and tells the client the id then, too', async () => {
    const gateway = await start(
      [
        'identity: { apiKeys: { keys: {} } }',
        'limits: { one: { rate: 1/h, key: all, algorithm: sliding-log } }',
        'services: { gone: { backends: ["http://127.0.0.1:9"], health: false, retry: false } }',
        'routes:',
        `  - { name: limited, path: /limited, to: "${backend.url}", limits: [one] }`,
        `  - { name: known, path: /known, to: "${backend.url}", identity: required }`,
        '  - { name: gone, path: /gone, to: gone }',
      ].join('\n'),
    );
    const ids: unknown[] = [];
    for (const path of ['/limited', '/limited', '/known', '/gone', '/nowhere'])
      ids.push((await gateway.ask(path)).headers['x-request-id']);
    await gateway.end();
    const lines = requestsOf(gateway);
    expect(lines.map(({ id }) => id)).toEqual(ids);
    expect(
      lines.map(({ level, status, reason, limit, route }) => [level, status, reason, limit, route]),
    ).toEqual([
      ['info', 200, undefined, undefined, 'limited'],
      ['info', 429, 'rate-limit', 'one', 'limited'],
      ['info', 401, 'unauthorized', undefined, 'known'],
      [expect.stringMatching(/warn|error/), 503, 'no-backend', undefined, 'gone'],
      ['info', 404, 'no-route', undefined, undefined],
    ]);
  });

  it('says the same of requests for another protocol as their clients are told', async () => {
    const gateway = await start(
      [
        'identity: { apiKeys: { keys: {} }, jwt: { jwksUrl: "http://127.0.0.1:9/keys" } }',
        'limits: { none: { rate: 1/h, key: all, cost: 1, algorithm: sliding-log } }',
        'services: { gone: { backends: ["http://127.0.0.1:9"], health: false, retry: false } }',
        'routes:',
        `  - { path: /limited/*, to: "${backend.url}", limits: [none] }`,
        `  - { path: /known, to: "${backend.url}", identity: required }`,
        `  - { path: /unverified, to: "${backend.url}", identity: required }`,
        `  - { path: /posts, to: "${backend.url}", methods: [POST] }`,
        `  - { path: /batch, to: "${backend.url}", batch: {} }`,
        '  - { path: /gone, to: gone }',
        `  - { path: /fine/*, to: "${backend.url}" }`,
      ].join('\n'),
    );
    const paths = [
      '/limited/1',
      '/limited/2',
      '/known',
      '/unverified',
      '/posts',
      '/batch',
      '/gone',
      '/fine/1',
      '/fine/body',
    ];
    const told: unknown[] = [];
    for (const path of [...paths, '/plimsoll/watch', '/fine/..%2f']) {
      const further = FURTHER[path] ?? {};
      const { status } = await gateway.ask(path, { connection: 'upgrade', upgrade: 'talk', ...further });
      told.push([path, status]);
    }
    await gateway.end();
    const lines = requestsOf(gateway).map(({ path, status }) => [path, status]);
    expect(lines.sort()).toEqual(told.sort());
    expect(told).toContainEqual(['/unverified', 503]);
    expect(new Set(lines.map(([, status]) => status))).toEqual(new Set([200, 400, 401, 404, 405, 429, 503]));
  });

  it('believes ids of trusted callers, passes others when it is not to say any, and adds up many refusals', async () => {
    const limits = 'limits: { none: { rate: 1/h, key: all, algorithm: sliding-log } }';
    const route = `routes: [{ name: api, to: "${backend.url}", limits: [none] }]`;
    const gateway = await start(`trustedCallers: [127.0.0.0/8]\n${limits}\n${route}\n`);
    const { headers } = await gateway.ask('/', { 'x-request-id': 'mine-1' });
    expect(headers['x-request-id']).toBe('mine-1');
    const { statuses } = await gateway.askMany(300, '/');
    expect([...statuses]).toEqual([[429, 300]]);
    await gateway.end();
    const refused = gateway.lines.filter(({ msg }) => msg === 'refused');
    const sums = gateway.lines.filter(({ total }) => total !== undefined);
    const summed = sums.reduce((sum, { total }) => sum + (total as number), 0);
    expect(refused.length + summed).toBe(300);
    expect(refused.length).toBeLessThan(150);
    expect(sums[0]!['sums']).toEqual([
      { reason: 'rate-limit', route: 'api', criticality: 'CRITICAL', count: expect.any(Number) },
    ]);
    const silent = await start(`log: { requestId: false }\nroutes: [{ to: "${backend.url}" }]\n`);
    const passed = await silent.ask('/', { 'x-request-id': 'theirs' });
    expect(JSON.parse(passed.text).headers['x-request-id']).toBe('theirs');
    expect(passed.headers['x-request-id']).toBe(undefined);
  });

  it('has what the guard refused, with route and path, or added up', async () => {
    backend.handler = (_, res) => void setTimeout(() => res.end('slow'), 300);
    const gateway = await start(
      `overload: { concurrency: 1 }\nroutes: [{ name: slow, path: /slow, to: "${backend.url}" }]\n`,
    );
    const { statuses } = await gateway.askMany(100, '/slow');
    const refusals = statuses.get(503) ?? 0;
    expect(refusals).toBeGreaterThan(50);
    await gateway.end();
    const refused = gateway.lines.filter(({ msg }) => msg === 'refused');
    const summed = gateway.lines.reduce((sum, { total }) => sum + ((total as number | undefined) ?? 0), 0);
    expect(refused.length + summed).toBe(refusals);
    expect(refused[0]).toMatchObject({
      level: 'warn',
      status: 503,
      reason: expect.stringMatching(/^(queue|utilization|evicted)$/),
      method: 'GET',
      path: '/slow',
      route: 'slow',
      criticality: 'CRITICAL',
      client: '127.0.0.1',
    });
  });

  it('says who ended a stream, and which backend it was of', async () => {
    backend.handler = (_, res) => void res.writeHead(200).write('data: 1\n\n');
    const gateway = await start(
      `drain: { spread: 10ms, timeout: 500ms }\nroutes: [{ to: "${backend.url}" }]\n`,
    );
    const open = async (path: string) => {
      const socket = createConnection(gateway.port, '127.0.0.1').on('error', () => {});
      socket.write(`GET ${path} HTTP/1.1\r\nhost: h\r\n\r\n`);
      await once(socket, 'data');
      return socket;
    };
    (await open('/left')).destroy();
    await until('a line', () => gateway.stdout.includes('/left'), 10_000);
    await open('/cut');
    await gateway.end();
    const of = { status: 200, attempts: 1, backend: backend.url, level: 'info' };
    expect(requestsOf(gateway)).toEqual([
      expect.objectContaining({ ...of, path: '/left', reason: 'client-left' }),
      expect.objectContaining({ ...of, path: '/cut', reason: 'drain' }),
    ]);
  });

  it('does not blame backends for bodies that are too large, nor routes for paths of two meanings', async () => {
    backend.handler = (req, res) => void req.resume().on('end', () => res.end());
    const gateway = await start(
      `routes: [{ to: "${backend.url}", maxBody: 10B, path: "/*", methods: [POST] }]\n`,
    );
    const post = 'POST / HTTP/1.1\r\nhost: h\r\nconnection: close\r\n';
    await sendRaw(gateway.port, `${post}content-length: 20\r\n\r\n${'x'.repeat(20)}`);
    await sendRaw(
      gateway.port,
      `${post}transfer-encoding: chunked\r\n\r\n14\r\n${'x'.repeat(20)}\r\n0\r\n\r\n`,
    );
    await sendRaw(gateway.port, 'GET /a/..%2fb HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n');
    await gateway.end();
    expect(
      requestsOf(gateway).map(({ level, status, reason, error }) => [level, status, reason, error]),
    ).toEqual([
      ['info', 413, 'too-large', undefined],
      ['info', 413, 'too-large', undefined],
      ['info', 400, 'bad-request', undefined],
    ]);
  });

  it('has no secrets, and no lines that others have written', async () => {
    const gateway = await start(
      `log: { query: true, level: debug }\nidentity: { apiKeys: { keys: {} } }\nroutes: [{ to: "${backend.url}" }]\n`,
    );
    await gateway.ask('/a?page=1&access_token=hunter2&code=hunter2', {
      authorization: 'Bearer hunter2',
      cookie: 'sid=hunter2',
      'x-api-key': 'hunter2',
      'proxy-authorization': 'Basic hunter2',
    });
    const { port } = gateway;
    await sendRaw(port, 'GET http://me:hunter2@h/b HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n');
    await sendRaw(
      port,
      'GET /c%0a{"msg":"forged"}"\\ HTTP/1.1\r\nhost: h\x80\r\nx-request-id: "}\x1b[2J\r\ntraceparent: 00-evil\r\nconnection: close\r\n\r\n',
    );
    await gateway.end();
    expect(gateway.stdout).not.toContain('hunter2');
    expect(gateway.stdout).not.toMatch(/[^\x20-\x7e\n]/);
    const [first] = requestsOf(gateway);
    expect(first).toMatchObject({ path: '/a?page=1&access_token=***&code=***' });
    expect(gateway.lines.filter(({ msg }) => msg === 'forged')).toEqual([]);
  });

  it('leaves out what goes well when it is asked to, and tells what becomes of settings and backends', async () => {
    const settings = `log: { sample: 0 }\nroutes: [{ to: "${backend.url}" }]\n`;
    const gateway = await start(settings);
    await gateway.askMany(20, '/');
    backend.handler = (_, res) => res.writeHead(500).end();
    await gateway.ask('/bad');
    gateway.child.kill('SIGHUP');
    await until('word of a reload', () => gateway.stdout.includes('settings reloaded'), 10_000);
    await gateway.end();
    expect(requestsOf(gateway).map(({ level, path }) => [level, path])).toEqual([['error', '/bad']]);
  });

  it.each([1, 2])('says why it does not start, with %s of workers', async (workers) => {
    const { port } = new URL(backend.url);
    const gateway = await LoggingGateway.start(
      `workers: ${workers}\nroutes: [{ to: "${backend.url}" }]\n`,
      'pipe',
      port,
    );
    running.push(gateway);
    expect(await gateway.exited).toBe(2);
    expect(gateway.lines.find(({ level }) => level === 'error')).toMatchObject({
      msg: 'cannot start',
      reason: `cannot listen on 127.0.0.1:${port}: another program listens there`,
    });
  });

  it.each([1, 2])('tells of settings that are refused, with %s of workers', async (workers) => {
    const gateway = await start(
      `workers: ${workers}\nadmin: { address: "127.0.0.1:0" }\nroutes: [{ to: "${backend.url}" }]\n`,
    );
    gateway.write('limits: { few: { rate: 20/mi } }\n');
    gateway.child.kill('SIGHUP');
    await until('a line', () => gateway.lines.some(({ level }) => level === 'error'), 10_000);
    expect(gateway.lines.filter(({ level }) => level === 'error')).toEqual([
      expect.objectContaining({
        msg: 'settings refused, what held before holds on',
        reason: expect.stringMatching(/plimsoll\.yaml:1:24: limits\.few\.rate: must be/),
      }),
    ]);
    const admin = /admin listens on (http:\S+)/.exec(gateway.stderr)?.[1];
    const metrics = await (await fetch(`${admin}/metrics`)).text();
    expect(metrics).toMatch(/^plimsoll_gateway_reloads_total\{.*outcome="failed"\} 1$/m);
  });

  it('does not write at all when it is off', async () => {
    const gateway = await start(`log: { level: off }\nroutes: [{ to: "${backend.url}" }]\n`);
    const { headers } = await gateway.ask('/');
    expect(headers['x-request-id']).toBe(undefined);
    await gateway.end();
    expect(gateway.stdout).toBe('');
  });
});
