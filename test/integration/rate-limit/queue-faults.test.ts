import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import type { OverflowAnswer, OverflowQueue, Perform } from '../../../src/rate-limit/queueing/index.js';
import { freePort } from '../../redis/redis-server.js';
import { expectNoMishaps } from '../server/mishaps.js';
import { accepted, aQueue, aRedis, aRequest, endAfterEach, idOf, own, until } from './queue-bed.js';

expectNoMishaps();
endAfterEach();

const quickly: Perform = async () => ({ status: 200 });

async function timed(work: Promise<OverflowAnswer>): Promise<{ status: number; ms: number }> {
  const startedMs = performance.now();
  const { status } = await work;
  return { status, ms: performance.now() - startedMs };
}

const isDone = async (queue: OverflowQueue, id: string): Promise<boolean> =>
  (await queue.status(id).catch(() => undefined))?.status === 'done';

describe('an overflow queue whose Redis', () => {
  it('is not there yet refuses at once, adds nothing later, and works when it comes', async () => {
    const port = await freePort();
    const urls: string[] = [];
    const perform: Perform = async ({ url }) => {
      urls.push(url);
      return { status: 200 };
    };
    const queue = await aQueue({ url: `redis://127.0.0.1:${port}`, perform });
    const { status, ms } = await timed(queue.accept(aRequest('/early')));
    expect(status).toBe(503);
    expect(ms).toBeLessThan(250);
    await expect(queue.status('x'.repeat(22))).rejects.toThrow('the queue is not available');
    await until('an error', () => queue.snapshot().lastError);
    await aRedis([], port);
    await until('a connection', () => queue.snapshot().isReady);
    const id = await accepted(queue, '/later');
    await until('its end', () => isDone(queue, id));
    await until('the count', () => queue.snapshot().performed === 1);
    expect(queue.snapshot()).toMatchObject({ accepted: 1, refused: 1, lastError: undefined });
    expect(urls).toEqual(['/later']);
  });

  it('is silent answers 503 in time, takes back what was refused, and goes on', async () => {
    const redis = await aRedis();
    const urls: string[] = [];
    const perform: Perform = async ({ url }) => {
      urls.push(url);
      return { status: 200 };
    };
    const queue = await aQueue({ url: redis.url, perform, timeoutMs: 200 });
    await until('a connection', () => queue.snapshot().isReady);
    await accepted(queue, '/before');
    redis.pause();
    const dueMs = Date.now() + 1_500;
    const refused = await Promise.all(
      Array.from({ length: 20 }, (_, i) => timed(queue.accept(aRequest(`/refused/${i}`, { dueMs })))),
    );
    for (const { status, ms } of refused) {
      expect(status).toBe(503);
      expect(ms).toBeLessThan(1_000);
    }
    redis.resume();
    await until('an answer', () => queue.status('x'.repeat(22)).catch(() => undefined));
    const id = await accepted(queue, '/after', { dueMs: dueMs + 100 });
    await until('its end', () => isDone(queue, id));
    expect(urls).toEqual(['/before', '/after']);
  });

  it('stays silent is left, and what was asked of it is not kept in memory', async () => {
    const redis = await aRedis();
    const queue = await aQueue({ url: redis.url, timeoutMs: 50 });
    await until('a connection', () => queue.snapshot().isReady);
    redis.pause();
    await until('its end', async () => {
      expect((await queue.accept(aRequest('/'))).status).toBe(503);
      return !queue.snapshot().isReady;
    });
    redis.resume();
    await until('a connection', () => queue.snapshot().isReady);
    await accepted(queue, '/');
  });

  it('crashes loses nothing with an append-only file that is always synced', async () => {
    const redis = await aRedis(['--appendonly', 'yes', '--appendfsync', 'always']);
    const performed = new Set<string>();
    const perform: Perform = async ({ id }) => {
      performed.add(id);
      return { status: 200 };
    };
    const queue = await aQueue({ url: redis.url, perform, takeOverMs: 2_000 });
    await until('a connection', () => queue.snapshot().isReady);
    const kept: string[] = [];
    let isOver = false;
    const driver = (async () => {
      for (let i = 0; !isOver; i++) {
        const answer = await queue.accept(aRequest(`/${i}`, { dueMs: Date.now() + (i % 10) * 50 }));
        if (answer.status === 202) kept.push(idOf(answer));
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    })();
    for (let crash = 0; crash < 5; crash++) {
      const before = kept.length;
      await until('some requests', () => kept.length >= before + 30);
      await redis.restart();
    }
    const last = kept.length;
    await until('some requests', () => kept.length >= last + 10);
    isOver = true;
    await driver;
    await until('all of them', () => kept.every((id) => performed.has(id)));
    for (const id of kept) await until(`the answer of ${id}`, () => isDone(queue, id));
    expect(kept.length).toBeGreaterThan(150);
  }, 60_000);

  it('has lost those who perform hands a request to the next, however often', async () => {
    const redis = await aRedis();
    const intake = await aQueue({ url: redis.url, attempts: 1 });
    await until('a connection', () => intake.snapshot().isReady);
    const id = await accepted(intake, '/');
    const attempts: number[] = [];
    for (let round = 0; round < 4; round++) {
      const stuck: Perform = ({ attempt }) => {
        attempts.push(attempt);
        return new Promise(() => {});
      };
      const queue = await aQueue({ url: redis.url, perform: stuck, takeOverMs: 400, closeMs: 1 });
      await until('its start', () => attempts.length === round + 1);
      expect(await intake.status(id)).toEqual({ status: 'running', attempts: 0 });
      // In the middle of it: as if it had been killed.
      await queue.close();
      expect(queue.snapshot()).toMatchObject({ takenOver: Math.min(round, 1), failedAttempts: 0 });
    }
    await aQueue({ url: redis.url, perform: quickly, takeOverMs: 400 });
    await until('its end', () => isDone(intake, id));
    expect(attempts).toEqual([1, 1, 1, 1]);
  });

  it('knows that it was performed does not perform it again', async () => {
    const redis = await aRedis();
    const admin = own(new Redis(redis.port), (client) => client.disconnect());
    const runs: number[] = [];
    const perform: Perform = async ({ id }) => {
      runs.push(runs.length);
      // What a crash leaves behind right after the answer was written.
      if (runs.length === 1) await admin.del(`{plimsoll}:overflow:${id}:lock`);
      return { status: 200 };
    };
    const queue = await aQueue({ url: redis.url, perform, takeOverMs: 1_000 });
    await until('a connection', () => queue.snapshot().isReady);
    const id = await accepted(queue, '/');
    await until('its end', () => isDone(queue, id));
    await until('its second start', () => queue.snapshot().takenOver === 1);
    await until('an empty queue', async () => (await admin.llen('{plimsoll}:overflow:active')) === 0);
    expect(runs).toEqual([0]);
    expect(await isDone(queue, id)).toBe(true);
  });

  it('is gone does not hold up the end', async () => {
    const redis = await aRedis();
    const queue = await aQueue({ url: redis.url, perform: quickly });
    await until('a connection', () => queue.snapshot().isReady);
    await redis.kill();
    const startedMs = performance.now();
    await queue.close();
    await queue.close();
    expect(performance.now() - startedMs).toBeLessThan(5_000);
    expect((await queue.accept(aRequest('/'))).status).toBe(503);
    expect(queue.snapshot().lastError).toContain('closed');
  });
});
