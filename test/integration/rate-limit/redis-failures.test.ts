import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLimiter, type Limiter, type LimiterOptions } from '../../../src/rate-limit/index.js';
import { redisStore } from '../../../src/stores/redis/connect-redis-store.js';
import type { RedisStore } from '../../../src/stores/redis/redis-store.js';
import { freePort, RedisServer } from '../../redis/redis-server.js';
import { until } from '../server/guarded-server.js';
import { expectNoMishaps } from '../server/mishaps.js';

expectNoMishaps();

const LIMIT = { algorithm: 'gcra', limit: 5, window: 'minute' } as const;
const TIMEOUT_MS = 50;

let server: RedisServer;
const owned: (() => Promise<void>)[] = [];
beforeEach(async () => {
  server = await RedisServer.start();
  owned.push(() => server.stop());
});
afterEach(async () => {
  for (const end of owned.splice(0).reverse()) await end();
});

async function aStore(url = server.url): Promise<RedisStore> {
  const store = await redisStore({ url, connectMs: 20_000 });
  owned.push(() => store.close());
  return store;
}

function aLimiter(store: RedisStore, options: Partial<LimiterOptions> = {}): Limiter {
  const limiter = createLimiter({ ...LIMIT, store, ...options });
  owned.push(() => limiter.close());
  return limiter;
}

/** Decides all the time, and notes how long each decision took and how long this process itself did nothing. */
class Load {
  slowestMs = 0;
  longestDelayMs = 0;
  decisions = 0;
  #running = 0;
  readonly #timer: NodeJS.Timeout;

  constructor(limiter: Limiter) {
    let lastMs = performance.now();
    this.#timer = setInterval(() => {
      const now = performance.now();
      this.longestDelayMs = Math.max(this.longestDelayMs, now - lastMs - 5);
      lastMs = now;
      for (let i = 0; i < 5; i++) void this.#decide(limiter);
    }, 5);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await until(() => this.#running === 0);
  }

  async #decide(limiter: Limiter): Promise<void> {
    const startedMs = performance.now();
    this.#running++;
    await limiter.take(`user:${this.decisions++ % 10}`);
    this.#running--;
    this.slowestMs = Math.max(this.slowestMs, performance.now() - startedMs);
  }
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('a limiter on a Redis that fails', () => {
  it.each<[string, () => Promise<void>]>([
    [
      'killed',
      async () => {
        await server.kill();
        await wait(150);
        await server.restart();
      },
    ],
    [
      'stopped',
      async () => {
        server.pause();
        await wait(400);
        server.resume();
      },
    ],
    ['restarted empty', () => server.restart()],
  ])('%s under load decides in time, every time, and counts again afterwards', async (_, mishap) => {
    const store = await aStore();
    const limiter = aLimiter(store);
    const load = new Load(limiter);
    for (let i = 0; i < 5; i++) {
      await wait(50);
      await mishap();
    }
    await until(() => store.snapshot().isReady);
    await load.stop();
    expect(load.slowestMs).toBeLessThan(TIMEOUT_MS + load.longestDelayMs + 10);
    await until(() => store.snapshot().pending === 0);
    expect(limiter.snapshot().undecided).toBeGreaterThan(0);
    const decisions = [];
    for (let i = 0; i < 6; i++) decisions.push(await limiter.take('new'));
    expect(decisions.map(({ allowed }) => allowed)).toEqual([true, true, true, true, true, false]);
  });

  it('that is not there yet decides at once by the rule, and by Redis when it is', async () => {
    const port = await freePort();
    const startedMs = performance.now();
    const store = await redisStore({ url: `redis://127.0.0.1:${port}`, connectMs: 100 });
    owned.push(() => store.close());
    expect(performance.now() - startedMs).toBeLessThan(1_000);
    const [open, shut] = [aLimiter(store), aLimiter(store, { onStoreFailure: 'refuse', name: 'shut' })];
    for (let i = 0; i < 10; i++) expect((await open.take('a')).allowed).toBe(true);
    expect(await shut.take('a')).toMatchObject({ allowed: false, retryAfterMs: 1_000 });
    const late = await RedisServer.start([], port);
    owned.push(() => late.stop());
    await until(() => store.snapshot().isReady);
    for (let i = 0; i < 5; i++) expect((await open.take('a')).allowed).toBe(true);
    expect((await open.take('a')).allowed).toBe(false);
  });

  it('lets a share pass in each process, if it was given one', async () => {
    const limiter = aLimiter(await aStore(), { localShare: 0.4 });
    await server.kill();
    await until(() => limiter.snapshot().storeFailed === 0);
    const decisions = [];
    for (let i = 0; i < 4; i++) decisions.push((await limiter.take('a')).allowed);
    expect(decisions).toEqual([true, true, false, false]);
  });

  it('that refuses to write is treated as one that fails', async () => {
    const store = await aStore();
    const limiter = aLimiter(store);
    // As if its memory were full: it reads, and does not write.
    const { Redis } = await import('ioredis');
    const admin = new Redis(server.port);
    owned.push(async () => admin.disconnect());
    await admin.config('SET', 'maxmemory', '1');
    await admin.config('SET', 'maxmemory-policy', 'noeviction');
    for (let i = 0; i < 20; i++) expect((await limiter.take('a')).allowed).toBe(true);
    expect(limiter.snapshot().undecided).toBe(20);
    await admin.config('SET', 'maxmemory', '0');
    await until(() => {
      void limiter.take('probe');
      return limiter.snapshot().allowed > limiter.snapshot().undecided;
    });
  });
});
