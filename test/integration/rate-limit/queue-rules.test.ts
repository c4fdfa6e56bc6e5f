import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import {
  createRateLimits,
  type OverflowQueueOptions,
  type QueuedRequest,
  type RateLimits,
  type RateLimitsOptions,
  type RuleOptions,
} from '../../../src/rate-limit/index.js';
import { createLink } from '../../../src/stores/redis/redis-link.js';
import { RedisStore } from '../../../src/stores/redis/redis-store.js';
import { expectNoMishaps } from '../server/mishaps.js';
import { LIMITED_APPS } from './limited-apps.js';
import { aQueue, aRedis, contents, endAfterEach, own, until } from './queue-bed.js';

expectNoMishaps();
endAfterEach();

/** One each 200 ms, of which three may wait. By the store's clock, which stands still: see below. */
const POSTS: RuleOptions = {
  name: 'posts',
  match: { path: '/posts' },
  key: 'header:x-user',
  algorithm: 'leaking-bucket',
  rate: '5/s',
  burst: 3,
  onLimit: 'queue',
};

interface Performed extends QueuedRequest {
  readonly atMs: number;
}

async function setUp(
  name: string,
  {
    rules = [POSTS],
    queue = {},
    options = {},
  }: {
    rules?: RuleOptions[];
    queue?: Partial<OverflowQueueOptions>;
    options?: Partial<RateLimitsOptions>;
  } = {},
) {
  const redis = await aRedis();
  // All requests of a test come at one instant, however slow the machine: else a turn passes between two of them now and then,
  // and what should wait is served. What the store says by the clock of Redis is tried in stores/.
  const atMs = Date.now();
  const link = await createLink({ url: redis.url, connectMs: 20_000 });
  const store = own(new RedisStore({ link, prefix: 'plimsoll:', nowMs: () => atMs }), (made) => made.close());
  const performed: Performed[] = [];
  const overflow = await aQueue({
    url: redis.url,
    perform: async (request) => {
      performed.push({ ...request, atMs: Date.now() });
      return { status: 201, body: `did ${request.body}` };
    },
    ...queue,
  });
  await until('the queue is there', () => overflow.snapshot().isReady);
  const limits = own(
    createRateLimits({ rules, store, queue: overflow, timeoutMs: 5_000, ...options }),
    (made: RateLimits) => made.close(),
  );
  const seen = { requests: 0 };
  const server = await LIMITED_APPS[name]!(limits, seen);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  own(server, (made) => {
    made.closeAllConnections();
    made.close();
  });
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const post = (body: string, user = 'ann') =>
    fetch(`${base}/posts?of=${user}`, { method: 'POST', body, headers: { 'x-user': user } });
  return { redis, limits, overflow, performed, seen, base, post };
}

describe.each(Object.keys(LIMITED_APPS))('a rule that queues, with %s', (name) => {
  it('serves what has its turn now, keeps the next ones until theirs, refuses what finds no room', async () => {
    const { post, base, performed, seen, limits } = await setUp(name);
    const answers = [];
    for (const body of ['a', 'b', 'c', 'd', 'e']) answers.push(await post(body));
    expect(answers.map(({ status }) => status)).toEqual([200, 202, 202, 202, 429]);
    expect(await answers[0]!.text()).toBe('got 1');
    expect(seen.requests).toBe(1);
    expect(Number(answers[4]!.headers.get('retry-after'))).toBeGreaterThan(0);
    const queued = (await answers[2]!.json()) as { id: string; status: string };
    expect(queued.status).toBe('waiting');

    const page = new URL(answers[2]!.headers.get('location')!, base);
    await until(
      'it is done',
      async () => ((await (await fetch(page)).json()) as { status: string }).status === 'done',
    );
    expect(await (await fetch(page)).json()).toMatchObject({
      status: 'done',
      answer: { status: 201, body: 'did c' },
    });
    await until('all are done', () => performed.length === 3);
    expect(performed.map(({ body }) => String(body))).toEqual(['b', 'c', 'd']);
    expect(performed[0]).toMatchObject({ method: 'POST', url: '/posts?of=ann', rule: 'posts' });
    const gaps = performed.slice(1).map(({ dueMs }, i) => dueMs - performed[i]!.dueMs);
    expect(gaps).toEqual([200, 200]);
    for (const { atMs, dueMs } of performed) expect(atMs).toBeGreaterThanOrEqual(dueMs);
    expect(limits.snapshot()['posts']).toMatchObject({ allowed: 1, refused: 1, queued: 3, undecided: 0 });
  });
});

describe('a rule that queues', () => {
  it('gives others their own turns, and requests that it is not for are served', async () => {
    const { post, base } = await setUp('node:http');
    expect((await post('a', 'ann')).status).toBe(200);
    expect((await post('b', 'ann')).status).toBe(202);
    expect((await post('a', 'bob')).status).toBe(200);
    expect((await fetch(`${base}/other`)).status).toBe(200);
  });

  it('takes from other rules only what it has room for', async () => {
    const daily: RuleOptions = { name: 'daily', key: 'all', algorithm: 'fixed-window', rate: '5/day' };
    const { post, limits } = await setUp('node:http', { rules: [daily, { ...POSTS, rate: '5/minute' }] });
    const statuses = [];
    for (let i = 0; i < 8; i++) statuses.push((await post('x')).status);
    // Four find room; the others take nothing from the day.
    expect(statuses).toEqual([200, 202, 202, 202, 429, 429, 429, 429]);
    expect((await post('y', 'bob')).status).toBe(200);
    expect((await post('z', 'bob')).status).toBe(429);
    expect(limits.snapshot()).toMatchObject({ daily: { allowed: 5, refused: 1 }, posts: { refused: 4 } });
  });

  it('stores no API key and no token, whatever header has them', async () => {
    const { base, redis, performed } = await setUp('node:http', {
      rules: [{ ...POSTS, rate: '2/s' }],
      options: { apiKeyHeader: 'X-My-Key', jwt: { secret: 'x'.repeat(32), header: 'X-Token' } },
    });
    const headers = { 'x-my-key': 's3cret-key', 'x-token': 's3cret-token', 'x-user': 'ann' };
    const post = () => fetch(`${base}/posts`, { method: 'POST', body: 'a', headers });
    expect([(await post()).status, (await post()).status, (await post()).status]).toEqual([200, 202, 202]);
    const text = await contents(redis.port);
    expect(text).toContain('x-user');
    expect(text).not.toContain('s3cret');
    await until('one is done', () => performed.length > 0);
    expect(performed[0]!.headers).not.toContain('x-my-key');
  });

  it('stores nothing that looks like a secret, as a key neither', async () => {
    // Nothing has its turn before it was looked at.
    const rule: RuleOptions = { ...POSTS, key: ['header:x-auth-token', 'header:x-pass'], rate: '1/h' };
    const { base, redis } = await setUp('node:http', {
      rules: [rule],
      options: { secretHeaders: ['X-Pass'] },
    });
    const headers = {
      'x-auth-token': 's3cret-token',
      'x-pass': 's3cret-pass',
      'x-session': 's3cret-session',
      'x-user': 'ann',
    };
    const post = () => fetch(`${base}/posts`, { method: 'POST', body: 'a', headers });
    expect([(await post()).status, (await post()).status]).toEqual([200, 202]);
    const text = await contents(redis.port);
    const digest = (secret: string) =>
      createHash('sha256').update(secret).digest().subarray(0, 16).toString('base64url');
    expect(text).toContain(`plimsoll:{${digest('s3cret-token')}|${digest('s3cret-pass')}}:posts`);
    expect(text).toContain('x-user');
    expect(text).not.toContain('s3cret');
  });

  it('does not keep what is too large', async () => {
    const { post } = await setUp('node:http', { queue: { maxBodyBytes: 10 } });
    expect((await post('a')).status).toBe(200);
    expect((await post('more than ten')).status).toBe(413);
  });

  it('decides as it says when Redis is gone, and never says 202 then', async () => {
    const { post, redis, overflow } = await setUp('node:http');
    await redis.kill();
    await until('it is seen', () => !overflow.snapshot().isReady);
    for (let i = 0; i < 5; i++) expect((await post('a')).status).toBe(200);
  });

  it('needs a queue, a store that is shared, and the request itself', async () => {
    expect(() => createRateLimits({ rules: [POSTS] })).toThrow(
      'rule posts: onLimit must be refuse or shadow: queue needs Redis',
    );
    const { overflow, limits } = await setUp('node:http');
    expect(() => createRateLimits({ rules: [POSTS], queue: overflow })).toThrow('queue needs Redis');
    const view = { method: 'POST', url: '/posts', address: '::1', header: () => undefined };
    await expect(limits.decide(view)).rejects.toThrow('needs `incoming`');
  });
});
