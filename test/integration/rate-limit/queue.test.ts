import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import type { Perform, QueuedRequest } from '../../../src/rate-limit/queueing/index.js';
import { expectNoMishaps } from '../server/mishaps.js';
import { accepted, aQueue, aRedis, aRequest, endAfterEach, header, idOf, own, until } from './queue-bed.js';

expectNoMishaps();
endAfterEach();

/** Notes what it is asked for. */
function aPerformer(answer: Perform = async () => ({ status: 200 })) {
  const seen: (QueuedRequest & { readonly atMs: number })[] = [];
  const perform: Perform = (request, limits) => {
    seen.push({ ...request, atMs: Date.now() });
    return answer(request, limits);
  };
  return { seen, perform, urls: () => seen.map(({ url }) => url) };
}

describe('the overflow queue', () => {
  it('answers 202 with where to look, performs the request when its turn has come, and tells the answer', async () => {
    const redis = await aRedis();
    const { perform, seen } = aPerformer(async ({ body }) => ({
      status: 201,
      headers: ['X-Made', 'yes', 'Connection', 'close'],
      body: `got ${body}`,
    }));
    const queue = await aQueue({ url: redis.url, perform });
    await until('a connection', () => queue.snapshot().isReady);
    const nowMs = Date.now();
    const answer = await queue.accept(aRequest('/a?b=1', { nowMs, dueMs: nowMs + 300 }));
    expect(answer.status).toBe(202);
    const id = idOf(answer);
    expect(id).toMatch(/^[\w-]{22}$/);
    expect(header(answer, 'Location')).toBe(`/.plimsoll/queued/${id}`);
    expect(header(answer, 'Retry-After')).toBe('1');
    expect(JSON.parse(answer.body)).toEqual({ id, status: 'waiting', dueInMs: 300 });
    expect(await queue.status(id)).toMatchObject({ status: 'waiting', attempts: 0 });

    const done = await until('its end', async () => {
      const status = await queue.status(id);
      return status.status === 'done' && status;
    });
    expect(done).toEqual({
      status: 'done',
      answer: { status: 201, headers: ['x-made', 'yes'], body: 'got hello' },
    });
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({
      id,
      method: 'POST',
      url: '/a?b=1',
      headers: ['content-type', 'text/plain'],
      body: Buffer.from('hello'),
      rule: 'posts',
      key: 'ann',
      attempt: 1,
      dueMs: nowMs + 300,
    });
    expect(seen[0]!.atMs).toBeGreaterThanOrEqual(nowMs + 300);
    await until('the count', () => queue.snapshot().performed === 1);
    expect(queue.snapshot()).toMatchObject({ accepted: 1, running: 0, refused: 0 });
  });

  it('keeps the order of the turns, whichever is added first, and of one millisecond that of coming', async () => {
    const redis = await aRedis();
    const { perform, urls } = aPerformer();
    const intake = await aQueue({ url: redis.url });
    await until('a connection', () => intake.snapshot().isReady);
    const dueMs = Date.now() + 200;
    // Turns that are over are in order, too: nobody was there to perform.
    for (let i = 9; i >= 0; i--) await accepted(intake, `/turn/${i}`, { dueMs: dueMs - 1_000 + i });
    for (let i = 0; i < 100; i++) await accepted(intake, `/same/${i}`, { dueMs });
    await aQueue({ url: redis.url, perform, concurrency: 7 });
    await until('all of them', () => urls().length === 110);
    expect(urls()).toEqual([
      ...Array.from({ length: 10 }, (_, i) => `/turn/${i}`),
      ...Array.from({ length: 100 }, (_, i) => `/same/${i}`),
    ]);
    // What BullMQ tells of all that it did does not pile up.
    const admin = own(new Redis(redis.port), (client) => client.disconnect());
    expect(await admin.xlen('{plimsoll}:overflow:events')).toBeLessThan(300);
  });

  it('performs at the rate of the turns', async () => {
    const redis = await aRedis();
    const { perform, seen } = aPerformer();
    const queue = await aQueue({ url: redis.url, perform });
    await until('a connection', () => queue.snapshot().isReady);
    const nowMs = Date.now();
    for (let i = 0; i < 20; i++) await accepted(queue, `/${i}`, { nowMs, dueMs: nowMs + 200 + 50 * i });
    await until('all of them', () => seen.length === 20);
    expect(seen.map(({ url }) => url)).toEqual(Array.from({ length: 20 }, (_, i) => `/${i}`));
    // None before its turn: hence no more than the rate in any window. And soon after it.
    const lateMs = seen.map(({ atMs, dueMs }) => atMs - dueMs).sort((a, b) => a - b);
    expect(lateMs[0]).toBeGreaterThanOrEqual(0);
    expect(lateMs[10]).toBeLessThan(25);
  });

  it('forgets answers after their time', async () => {
    const redis = await aRedis();
    const { perform } = aPerformer();
    const queue = await aQueue({ url: redis.url, perform, resultTtlMs: 300 });
    await until('a connection', () => queue.snapshot().isReady);
    const id = await accepted(queue, '/');
    await until('its end', async () => (await queue.status(id)).status === 'done');
    await until('its oblivion', async () => (await queue.status(id)).status === 'unknown');
    const admin = own(new Redis(redis.port), (client) => client.disconnect());
    const left = (await admin.keys('*')).filter((key) => key.includes(id));
    expect(left).toEqual([]);
  });

  it('tries again, gives up, keeps it as a dead letter, and tries again when it is told to', async () => {
    const redis = await aRedis();
    let isBroken = true;
    const { perform, seen } = aPerformer(async () => {
      if (isBroken) throw new Error('broken '.repeat(200));
      return { status: 200, body: 'mended' };
    });
    const queue = await aQueue({ url: redis.url, perform, attempts: 3, backoffMs: 20 });
    await until('a connection', () => queue.snapshot().isReady);
    const id = await accepted(queue, '/broken', { key: 'bob' });
    const failed = await until('its end', async () => {
      const status = await queue.status(id);
      return status.status === 'failed' && status;
    });
    expect(failed).toMatchObject({ attempts: 3, reason: expect.stringContaining('broken broken') });
    expect(failed.reason.length).toBe(500);
    expect(seen.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(new Set(seen.map((request) => request.id)).size).toBe(1);
    await until('the count', () => queue.snapshot().deadLetters === 1);
    expect(queue.snapshot()).toMatchObject({ failedAttempts: 3, performed: 0 });
    expect(await queue.deadLetters()).toMatchObject([
      { id, method: 'POST', url: '/broken', rule: 'posts', key: 'bob', attempts: 3 },
    ]);
    isBroken = false;
    expect(await queue.retry(id)).toBe(true);
    await until('its good end', async () => (await queue.status(id)).status === 'done');
    expect(await queue.deadLetters()).toEqual([]);
    expect(await queue.retry(id)).toBe(false);
    expect(await queue.retry('x'.repeat(22))).toBe(false);
  });

  it('keeps no more dead letters than it was told', async () => {
    const redis = await aRedis();
    const perform: Perform = () => Promise.reject(new Error('no'));
    const queue = await aQueue({ url: redis.url, perform, attempts: 1, maxDeadLetters: 3 });
    await until('a connection', () => queue.snapshot().isReady);
    for (let i = 0; i < 10; i++) await accepted(queue, `/${i}`, { dueMs: Date.now() + i });
    await until('the end of all', () => queue.snapshot().deadLetters === 10);
    expect((await queue.deadLetters()).map(({ url }) => url)).toHaveLength(3);
    expect(await queue.deadLetters({ limit: 2 })).toHaveLength(2);
  });

  it('ends an attempt that takes too long', async () => {
    const redis = await aRedis();
    const signals: AbortSignal[] = [];
    const perform: Perform = (_, { signal }) => {
      signals.push(signal);
      return new Promise(() => {});
    };
    const queue = await aQueue({ url: redis.url, perform, attempts: 1, attemptMs: 50 });
    await until('a connection', () => queue.snapshot().isReady);
    const id = await accepted(queue, '/slow');
    await until('its end', async () => (await queue.status(id)).status === 'failed');
    expect(await queue.status(id)).toMatchObject({ reason: 'it took longer than 50 ms' });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('refuses what is too large, and what finds it full', async () => {
    const redis = await aRedis();
    const queue = await aQueue({ url: redis.url, maxBodyBytes: 10, maxQueued: 3 });
    await until('a connection', () => queue.snapshot().isReady);
    expect((await queue.accept(aRequest('/', { body: Buffer.alloc(11) }))).status).toBe(413);
    expect((await queue.accept(aRequest(`/${'x'.repeat(40_000)}`))).status).toBe(413);
    for (let i = 0; i < 3; i++) await accepted(queue, `/${i}`, { body: Buffer.alloc(10) });
    const full = await queue.accept(aRequest('/3'));
    expect(full).toMatchObject({ status: 503, body: expect.stringContaining('full') });
    expect(queue.snapshot()).toMatchObject({ accepted: 3, refused: 3, waiting: 3 });
    const other = await aQueue({ url: redis.url, maxQueued: 3 });
    await until('a connection', () => other.snapshot().isReady);
    expect((await other.accept(aRequest('/4'))).status).toBe(503);
  });

  it('cancels what waits', async () => {
    const redis = await aRedis();
    const queue = await aQueue({ url: redis.url });
    await until('a connection', () => queue.snapshot().isReady);
    const id = await accepted(queue, '/', { dueMs: Date.now() + 60_000 });
    expect(await queue.cancel(id)).toBe(true);
    expect(await queue.status(id)).toEqual({ status: 'unknown' });
    expect(await queue.cancel(id)).toBe(false);
  });

  it('gives those that missed their turns other ones, so that the rate holds', async () => {
    const redis = await aRedis();
    const intake = await aQueue({ url: redis.url });
    await until('a connection', () => intake.snapshot().isReady);
    const dueMs = Date.now() - 5_000;
    for (let i = 0; i < 10; i++) await accepted(intake, `/${i}`, { dueMs: dueMs + i });
    const { perform, seen, urls } = aPerformer();
    const queue = await aQueue({ url: redis.url, perform });
    const turns: number[] = [];
    queue.paceBy(async (rule, key, cost) => {
      expect([rule, key, cost]).toEqual(['posts', 'ann', 1]);
      turns.push(Math.max(Date.now(), (turns.at(-1) ?? 0) + 50));
      return { dueMs: turns.at(-1), retryAfterMs: 0 };
    });
    await until('all of them', () => seen.length === 10);
    expect(urls()).toEqual(Array.from({ length: 10 }, (_, i) => `/${i}`));
    expect(seen.map((request) => request.dueMs)).toEqual(turns);
    for (const request of seen) expect(request.atMs).toBeGreaterThanOrEqual(request.dueMs);
    expect(queue.snapshot().rescheduled).toBe(10);
    expect(seen.map(({ attempt }) => attempt)).toEqual(Array.from({ length: 10 }, () => 1));
  });
});
