import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import {
  type ClientHttp2Session,
  connect,
  createServer as createHttp2Server,
  type Http2Server,
  type IncomingHttpStatusHeader,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { fastify } from 'fastify';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import {
  createRateLimits,
  limitFastify,
  limitHono,
  performBy,
  type RateLimits,
  redisStore,
} from '../../../src/rate-limit/index.js';
import { expectNoMishaps } from '../server/mishaps.js';
import { aQueue, aRedis, endAfterEach, own, until } from './queue-bed.js';

expectNoMishaps();
endAfterEach();

const APPS: Record<string, (limits: RateLimits) => Promise<Http2Server>> = {
  'node:http2': async (limits) => createHttp2Server(limits.wrap((_req, res) => res.end('served')) as never),

  fastify: async (limits) => {
    const app = fastify({ http2: true });
    app.addHook('onRequest', limitFastify(limits));
    app.all('/*', async () => 'served');
    await app.ready();
    return app.server;
  },

  hono: async (limits) => {
    const app = new Hono();
    app.use(limitHono(limits));
    app.all('/*', (context) => context.text('served'));
    return createAdaptorServer({ fetch: app.fetch, createServer: createHttp2Server }) as Http2Server;
  },
};

async function aSession(server: Http2Server): Promise<ClientHttp2Session> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  own(server, (made) => made.close());
  return own(connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`), (made) => made.destroy());
}

async function send(session: ClientHttp2Session, headers: Record<string, string | string[]>, body = '') {
  const stream = session.request(headers, { endStream: body === '' });
  if (body !== '') stream.end(body);
  const [answer] = (await once(stream, 'response')) as [IncomingHttpHeaders & IncomingHttpStatusHeader];
  await stream.resume().toArray();
  return answer;
}

describe.each(Object.entries(APPS))('rules over HTTP/2 in %s', (_, makeApp) => {
  it('know the host, which is no header there', async () => {
    const limits = createRateLimits({
      rules: [{ name: 'api', match: { host: 'api.example' }, key: 'all', algorithm: 'gcra', rate: '1/h' }],
    });
    own(limits, (made) => made.close());
    const session = await aSession(await makeApp(limits));
    const statuses = [];
    for (const authority of ['api.example', 'api.example:80', 'other.example', 'API.example']) {
      statuses.push((await send(session, { ':path': '/', ':authority': authority }))[':status']);
    }
    expect(statuses).toEqual([200, 429, 200, 429]);
  });

  it('queue what is performed by a server later', async () => {
    const redis = await aRedis();
    const seen: IncomingHttpHeaders[] = [];
    const backend = createServer((req, res) => {
      seen.push(req.headers);
      res.end('done');
    }).listen(0, '127.0.0.1');
    await once(backend, 'listening');
    own(backend, (made) => {
      made.closeAllConnections();
      made.close();
    });
    const queue = await aQueue({
      url: redis.url,
      secrets: 'keep',
      attempts: 1,
      perform: performBy(`http://127.0.0.1:${(backend.address() as AddressInfo).port}`),
    });
    await until('the queue is there', () => queue.snapshot().isReady);
    const store = own(await redisStore({ url: redis.url, connectMs: 20_000 }), (made) => made.close());
    const limits = createRateLimits({
      store,
      queue,
      timeoutMs: 5_000,
      rules: [
        { name: 'all', key: 'all', algorithm: 'leaking-bucket', rate: '10/s', burst: 9, onLimit: 'queue' },
      ],
    });
    own(limits, (made) => made.close());
    const session = await aSession(await makeApp(limits));
    const post = { ':path': '/posts', ':method': 'POST', 'x-mine': 'yes', cookie: ['a=1', 'b=2'] };
    expect((await send(session, post, 'one'))[':status']).toBe(200);
    const second = await send(session, post, 'two');
    expect(second[':status']).toBe(202);
    const id = second.location!.split('/').at(-1)!;
    const status = await until('its end', async () => {
      const now = await queue.status(id);
      return (now.status === 'done' || now.status === 'failed') && now;
    });
    expect(status).toMatchObject({ status: 'done', answer: { status: 200, body: 'done' } });
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ 'x-mine': 'yes', cookie: 'a=1; b=2', 'content-length': '3' });
    expect(Object.keys(seen[0]!).filter((name) => name.startsWith(':'))).toEqual([]);
  });
});
