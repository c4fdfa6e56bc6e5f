import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  request as open,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { Cluster, Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import {
  createOverflowQueue,
  type OverflowQueue,
  type OverflowQueueOptions,
  performBy,
  readBody,
} from '../../../src/rate-limit/queueing/index.js';
import { RedisCluster } from '../../redis/redis-cluster.js';
import { expectNoMishaps } from '../server/mishaps.js';
import { accepted, aQueue, aRedis, endAfterEach, own, until } from './queue-bed.js';

expectNoMishaps();
endAfterEach();

type Handler = (req: IncomingMessage, res: ServerResponse) => unknown;

async function aServer(handler: Handler): Promise<string> {
  const server: Server = own(createServer(handler), (made) => {
    made.closeAllConnections();
    made.close();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Queues whatever it gets, in 50 ms. */
function queueAll(queue: OverflowQueue, timeoutMs = 1_000): Handler {
  return async (req, res) => {
    if (await queue.handleStatus(req, res)) return;
    const read = await readBody(req, { maxBytes: queue.maxBodyBytes, timeoutMs });
    const nowMs = Date.now();
    const { method, url, rawHeaders: headers } = req;
    const place = { rule: 'all', key: 'one', dueMs: nowMs + 50, nowMs };
    const answer =
      'answer' in read
        ? read.answer
        : await queue.accept({ method: method!, url: url!, headers, body: read.body, ...place });
    res.writeHead(answer.status, [...answer.headers]).end(answer.body);
  };
}

async function aFrontOf(options: OverflowQueueOptions, timeoutMs?: number) {
  const queue = await aQueue(options);
  await until('a connection', () => queue.snapshot().isReady);
  return { queue, url: await aServer(queueAll(queue, timeoutMs)) };
}

/** Asks until it is said what became of it. */
async function outcome(url: string): Promise<{ status: string; answer: Record<string, unknown> }> {
  return await until('an end', async () => {
    const answer = await fetch(url);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const told = (await answer.json()) as { status: string; answer: Record<string, unknown> };
    if (told.status === 'done' || told.status === 'failed') return told;
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    return undefined;
  });
}

describe('a queued request by HTTP', () => {
  it('is sent to a server later, until it answers, and its answer can be fetched', async () => {
    const redis = await aRedis();
    const seen: { url: string; body: string; headers: IncomingMessage['headers'] }[] = [];
    const backend = await aServer(async (req, res) => {
      let body = '';
      for await (const chunk of req) body += chunk;
      seen.push({ url: req.url!, body, headers: req.headers });
      if (seen.length < 3) res.writeHead(503).end('not now');
      else res.writeHead(201, { 'x-made': 'yes', 'set-cookie': 'sid=1' }).end(Buffer.from([0xff, 0xfe]));
    });
    const perform = performBy(`${backend}/base/`);
    const { url } = await aFrontOf({ url: redis.url, perform, backoffMs: 20 });
    const first = await fetch(`${url}/orders?x=1`, {
      method: 'POST',
      body: 'two shoes',
      headers: { authorization: 'Bearer secret', 'content-type': 'text/shoes' },
    });
    expect(first.status).toBe(202);
    const { id } = (await first.json()) as { id: string };
    const location = first.headers.get('location')!;
    expect(location).toBe(`/.plimsoll/queued/${id}`);
    const told = await outcome(`${url}${location}`);
    expect(told).toMatchObject({
      id,
      status: 'done',
      answer: { status: 201, body: '//4=', encoding: 'base64' },
    });
    expect(told.answer['headers']).toContain('x-made');
    expect(told.answer['headers']).not.toContain('set-cookie');
    expect(seen.map((each) => [each.url, each.body])).toEqual(
      Array.from({ length: 3 }, () => ['/base/orders?x=1', 'two shoes']),
    );
    const { headers } = seen[0]!;
    expect(headers['content-type']).toBe('text/shoes');
    expect(headers['idempotency-key']).toBe(`"${id}"`);
    expect(headers.authorization).toBeUndefined();
    expect(headers.host).toBe(new URL(backend).host);
    expect(headers['content-length']).toBe('9');
  });

  it('keeps a key of its own, and tells of an answer that is too long to keep without its body', async () => {
    const redis = await aRedis();
    const keys: unknown[] = [];
    const backend = await aServer((req, res) => {
      keys.push(req.headers['idempotency-key']);
      res.end('x'.repeat(1_000));
    });
    const perform = performBy(backend);
    const { url } = await aFrontOf({ url: redis.url, perform, maxResultBytes: 999 });
    const first = await fetch(url, { method: 'PUT', headers: { 'idempotency-key': '"mine"' } });
    const told = await outcome(`${url}${first.headers.get('location')}`);
    expect(told.answer).toMatchObject({ status: 200, isBodyOmitted: true });
    expect(told.answer['body']).toBeUndefined();
    expect(keys).toEqual(['"mine"']);
  });

  it('is tried again when the server is not there, and ends as failed', async () => {
    const redis = await aRedis();
    const perform = performBy('http://127.0.0.1:1');
    const { url, queue } = await aFrontOf({ url: redis.url, perform, attempts: 2, backoffMs: 10 });
    const first = await fetch(url, { method: 'POST' });
    const { id } = (await first.json()) as { id: string };
    const told = await outcome(`${url}${first.headers.get('location')}`);
    // Why is for those only who run it.
    expect(told).toEqual({ id, status: 'failed', attempts: 2 });
    expect(await queue.status(id)).toMatchObject({ reason: expect.stringContaining('ECONNREFUSED') });
    expect((await queue.deadLetters())[0]?.reason).toContain('ECONNREFUSED');
  });

  it('is not performed again when its answer cannot be kept', async () => {
    const redis = await aRedis();
    let performed = 0;
    const perform = async () => {
      performed++;
      return { status: 200, body: { id: 5 } } as never;
    };
    const { url, queue } = await aFrontOf({ url: redis.url, perform, attempts: 3, backoffMs: 10 });
    const first = await fetch(url, { method: 'POST' });
    const { id } = (await first.json()) as { id: string };
    expect(await outcome(`${url}${first.headers.get('location')}`)).toMatchObject({ status: 'failed' });
    expect(await queue.status(id)).toMatchObject({
      attempts: 1,
      reason: 'perform must answer with a body that is a text or bytes, got object',
    });
    expect(performed).toBe(1);
  });

  it('is accepted however many ask about others', async () => {
    const redis = await aRedis();
    const { url, queue } = await aFrontOf({ url: redis.url });
    const question = () => queue.answerStatus('GET', `/.plimsoll/queued/${'A'.repeat(22)}`);
    const questions = Array.from({ length: 5_000 }, question);
    const before = accepted(queue, '/');
    const answers = await Promise.all(questions);
    await before;
    expect(answers.filter((answer) => answer?.status === 404)).toHaveLength(100);
    expect(answers.filter((answer) => answer?.status === 503)).toHaveLength(4_900);
    expect((await fetch(`${url}/`, { method: 'POST' })).status).toBe(202);
  });

  it('can be cancelled, and is asked about by those only who know it', async () => {
    const redis = await aRedis();
    const { url, queue } = await aFrontOf({ url: redis.url });
    const id = await accepted(queue, '/', { dueMs: Date.now() + 60_000 });
    const status = `${url}/.plimsoll/queued/${id}`;
    expect((await fetch(status, { method: 'PATCH' })).status).toBe(405);
    const head = await fetch(status, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect((await fetch(status, { method: 'DELETE' })).status).toBe(204);
    expect((await fetch(status, { method: 'DELETE' })).status).toBe(404);
    for (const other of [id, 'x'.repeat(22), '..%2Fmeta', 'meta', '', `${id}:lock`]) {
      const answer = await fetch(`${url}/.plimsoll/queued/${other}`);
      expect(answer.status).toBe(404);
      expect(answer.headers.get('content-type')).toBe('application/problem+json');
    }
  });

  it('must not be too large, whether or not that is announced, and must come in time', async () => {
    const redis = await aRedis();
    const { url, queue } = await aFrontOf({ url: redis.url, maxBodyBytes: 10 }, 200);
    expect((await fetch(url, { method: 'POST', body: 'x'.repeat(11) })).status).toBe(413);
    const endless = open(url, { method: 'POST', headers: { 'transfer-encoding': 'chunked' } });
    endless.on('error', () => {});
    endless.write('x'.repeat(6));
    endless.write('x'.repeat(6));
    const [tooMuch] = (await once(endless, 'response')) as [IncomingMessage];
    expect([tooMuch.statusCode, tooMuch.headers.connection]).toEqual([413, 'close']);
    endless.destroy();
    const slow = open(url, { method: 'POST', headers: { 'content-length': 5 } });
    slow.on('error', () => {});
    slow.write('x');
    const [late] = (await once(slow, 'response')) as [IncomingMessage];
    expect(late.statusCode).toBe(408);
    slow.destroy();
    // Gone in the middle of it: nobody to answer, and nothing to queue.
    const gone = open(url, { method: 'POST', headers: { 'content-length': 5 } });
    gone.on('error', () => {});
    gone.write('x');
    await new Promise((resolve) => setTimeout(resolve, 20));
    gone.destroy();
    expect((await fetch(url, { method: 'POST', body: 'x'.repeat(10) })).status).toBe(202);
    expect(queue.snapshot().accepted).toBe(1);
  });
});

describe('an overflow queue', () => {
  it('works in a Cluster, given as URLs or as a client', async () => {
    const cluster = own(await RedisCluster.start(3), (made) => made.stop());
    const perform = async () => ({ status: 200, body: 'done' });
    const intake = await aQueue({ url: cluster.urls, name: 'here' });
    await aQueue({ url: cluster.urls, name: 'here', perform });
    await until('a connection', () => intake.snapshot().isReady);
    const ids = await Promise.all(Array.from({ length: 20 }, (_, i) => accepted(intake, `/${i}`)));
    for (const id of ids) {
      await until('its end', async () => (await intake.status(id)).status === 'done');
    }
    const nodes = cluster.servers.map(({ port }) => ({ host: '127.0.0.1', port }));
    const client = own(new Cluster(nodes), (made) => made.disconnect());
    const asked = await aQueue({ client, name: 'here' });
    await until('a connection', () => asked.snapshot().isReady);
    expect(await asked.status(ids[0]!)).toMatchObject({ status: 'done' });
    await expect(createOverflowQueue({ url: cluster.urls, prefix: 'plain' })).rejects.toThrow(
      'prefix must have a part in braces in a Cluster, got "plain"',
    );
  });

  it('takes over the settings of a client', async () => {
    const redis = await aRedis(['--requirepass', 'secret']);
    const client = own(new Redis(redis.port, { password: 'secret', db: 3 }), (made) => made.disconnect());
    const queue = await aQueue({ client, perform: async () => ({ status: 200 }) });
    await until('a connection', () => queue.snapshot().isReady);
    const id = await accepted(queue, '/');
    await until('its end', async () => (await queue.status(id)).status === 'done');
    expect(await client.exists(`{plimsoll}:overflow:answer:${id}`)).toBe(1);
  });

  it('cannot be made without Redis', async () => {
    await expect(createOverflowQueue({})).rejects.toThrow('one of url and client must be given');
    await expect(createOverflowQueue({ url: 'http://a' })).rejects.toThrow(
      'protocol of url must be one of redis:',
    );
  });
});
