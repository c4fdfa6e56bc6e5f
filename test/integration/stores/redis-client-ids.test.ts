import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../../../src/client/index.js';
import { RedisClientIds, redisClientIds } from '../../../src/stores/redis/redis-client-ids.js';
import { freePort, RedisServer } from '../../redis/redis-server.js';
import { until } from '../server/guarded-server.js';
import { expectNoMishaps } from '../server/mishaps.js';

expectNoMishaps();

type Lease = Awaited<ReturnType<RedisClientIds['lease']>>;

let server: RedisServer;
const leases: Lease[] = [];
beforeEach(async () => {
  server = await RedisServer.start();
});
afterEach(async () => {
  await Promise.all(leases.splice(0).map((lease) => lease.release()));
  await server.stop();
});

async function lease(source: RedisClientIds): Promise<Lease> {
  const leased = await source.lease();
  leases.push(leased);
  return leased;
}

describe('client ids from Redis', () => {
  it('are the smallest that are free', async () => {
    const source = redisClientIds({ url: server.url, name: 'orders' });
    const held = await Promise.all(Array.from({ length: 20 }, () => lease(source)));
    expect(held.map(({ id }) => id).sort((a, b) => a - b)).toEqual([...Array(20).keys()]);
    for (const id of [7, 3, 12]) await held.find((each) => each.id === id)!.release();
    const again = [await lease(source), await lease(source), await lease(source), await lease(source)];
    expect(again.map(({ id }) => id)).toEqual([3, 7, 12, 20]);
  });

  it('are counted for each service', async () => {
    const ids = await Promise.all(
      ['orders', 'users'].map((name) => lease(redisClientIds({ url: server.url, name }))),
    );
    expect(ids.map(({ id }) => id)).toEqual([0, 0]);
  });

  it('are given to others when they were not renewed, and whoever lost one is told', async () => {
    let now = 1_700_000_000_000;
    const lost: number[] = [];
    const options = { url: server.url, name: 'orders', onLost: (id: number) => lost.push(id) };
    // The real time between renewals is short, so that the first one finds out soon.
    const first = await lease(new RedisClientIds({ ...options, ttlMs: 400 }, () => now));
    now += 60_000;
    const second = await lease(new RedisClientIds({ ...options, ttlMs: 60_000 }, () => now));
    expect([first.id, second.id]).toEqual([0, 0]);
    await until(() => lost.length === 1);
    expect(lost).toEqual([0]);
  });

  it('stay who they are while they are renewed, also by a Redis that has forgotten them', async () => {
    const source = redisClientIds({ url: server.url, name: 'orders', ttlMs: 800, onLost: () => lost++ });
    let lost = 0;
    const held = [await lease(source), await lease(source)];
    await server.restart();
    // Longer than a lease: without renewal both would be free.
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    const third = await lease(source);
    expect([...held.map(({ id }) => id), third.id]).toEqual([0, 1, 2]);
    expect(lost).toBe(0);
  });

  it('cannot be had without a Redis, which is said after a while', async () => {
    const source = redisClientIds({
      url: `redis://127.0.0.1:${await freePort()}`,
      name: 'orders',
      connectMs: 50,
      attempts: 1,
    });
    await expect(source.lease()).rejects.toMatchObject({ code: 'PLIMSOLL_STORE_UNAVAILABLE' });
  });

  it('number the clients of a service', async () => {
    const source = redisClientIds({ url: server.url, name: 'orders' });
    const ids: number[] = [];
    const clientId = {
      lease: async () => {
        const leased = await source.lease();
        ids.push(leased.id);
        return leased;
      },
    };
    const clients = [0, 1].map(() =>
      createClient({ backends: ['http://127.0.0.1:9'], clientId, health: false, subset: { size: 1 } }),
    );
    await until(() => ids.length === 2);
    expect(ids.sort()).toEqual([0, 1]);
    await Promise.all(clients.map((client) => client.close()));
    expect((await lease(source)).id).toBe(0);
  });

  it('need a name', () => {
    expect(() => redisClientIds({ url: 'redis://a' } as never)).toThrow('name must be the name of a service');
    expect(() => redisClientIds({ url: 'redis://a', name: 'a', ttlMs: 0 })).toThrow('ttlMs must be');
  });
});
