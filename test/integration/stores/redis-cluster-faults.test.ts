import { Cluster } from 'ioredis';
import { afterEach, describe, expect, it } from 'vitest';
import { createRateLimits, type RuleOptions } from '../../../src/rate-limit/index.js';
import { createRateRule } from '../../../src/stores/rate-store.js';
import { redisStore } from '../../../src/stores/redis/connect-redis-store.js';
import { slotOf } from '../../../src/stores/redis/slots.js';
import { RedisCluster } from '../../redis/redis-cluster.js';
import { expectNoMishaps } from '../server/mishaps.js';

expectNoMishaps();

/** A machine that is busy with other tests may take longer than a start would wait. */
const PATIENCE_MS = 20_000;

const owned: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of owned.splice(0).reverse()) await end();
});

/** A key on one of three nodes that share the slots evenly. */
function keyOn(node: number): string {
  for (let i = 0; ; i++) if (Math.floor(slotOf(`k${i}`) / Math.ceil(16_384 / 3)) === node) return `k${i}`;
}

describe('a Cluster with a password', () => {
  it('is used as a whole, whoever of it was named and by whom', async () => {
    const cluster = await RedisCluster.start(3, 'secret');
    owned.push(() => cluster.stop());
    const client = new Cluster([...cluster.urls], { redisOptions: { password: 'secret' } });
    owned.push(() => client.disconnect());
    const rule = createRateRule('r', { algorithm: 'gcra', limit: 1, windowMs: 60_000 });
    for (const [i, options] of [{ url: [cluster.urls[0]!] }, { client }].entries()) {
      const store = await redisStore({ ...options, prefix: `${i}:`, connectMs: PATIENCE_MS });
      owned.push(() => store.close());
      for (let key = 0; key < 20; key++) {
        const take = () => store.take([{ rule, key: `${key}`, cost: 1 }]);
        expect([(await take()).allowed, (await take()).allowed]).toEqual([true, false]);
      }
      expect(store.snapshot()).toMatchObject({ isReady: true, lastError: undefined });
    }
  });
});

describe('a node that is silent', () => {
  it('does not switch off rules that are on others', async () => {
    const cluster = await RedisCluster.start();
    owned.push(() => cluster.stop());
    const store = await redisStore({ url: cluster.urls, connectMs: PATIENCE_MS });
    owned.push(() => store.close());
    const rule = (name: string, node: number, limit: number): RuleOptions => {
      return { name, key: () => keyOn(node), algorithm: 'fixed-window', rate: `${limit}/day` };
    };
    const limits = createRateLimits({ store, rules: [rule('login', 0, 1), rule('other', 1, 1_000)] });
    owned.push(() => limits.close());
    const request = { method: 'GET', url: '/', address: undefined, header: () => undefined };
    expect((await limits.decide(request)).allowed).toBe(true);
    cluster.servers[1]!.pause();
    owned.push(() => cluster.servers[1]!.resume());
    // Until it is known to be silent nobody waits for it longer than a decision may take.
    await expect
      .poll(async () => (await limits.decide(request)).allowed, { timeout: 10_000, interval: 20 })
      .toBe(false);
    for (let i = 0; i < 20; i++) expect((await limits.decide(request)).allowed).toBe(false);
  });
});
