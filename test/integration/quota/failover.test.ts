import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CapacityClient } from '../../../src/quota/index.js';
import { RedisServer } from '../../redis/redis-server.js';
import { until } from '../client/until.js';
import { expectNoMishaps } from '../server/mishaps.js';
import { askOf, CapacityBed, Highest, post, sumOf, TIMES } from './capacity-bed.js';
import { ServerProcess } from './server-process.js';

expectNoMishaps();

const CAPACITY = 100;

/** Safe capacity would come on top, by intent: what is tried here are leases. */
const RESOURCES = { gpu: { ...TIMES, capacity: CAPACITY, safeCapacity: 0 } };

const bed = new CapacityBed();
let redis: RedisServer;
let servers: ServerProcess[];

beforeEach(async () => {
  redis = await RedisServer.start();
  const options = { redisUrl: redis.url, resources: RESOURCES };
  servers = await Promise.all([0, 1, 2].map(() => ServerProcess.start(options)));
});

afterEach(async () => {
  await Promise.all(servers.map((server) => server.close()));
  await redis.stop();
});

async function masterOf(among: readonly ServerProcess[]): Promise<ServerProcess> {
  for (;;) {
    for (const server of among) if ((await server.snapshot()).isMaster) return server;
    await sleep(10);
  }
}

async function filled(): Promise<CapacityClient[]> {
  const urls = servers.map(({ url }) => url);
  const clients = [20, 60, 60, 60].map((wants) => bed.client(urls, { wants, timeoutMs: 300 }));
  await until('all of it', () => sumOf(clients) > CAPACITY - 0.5);
  return clients;
}

let turn = 0;

/** Until one of them grants; how long that took. */
async function granting(among: readonly ServerProcess[]): Promise<number> {
  const beganMs = performance.now();
  for (;;) {
    for (const { url } of among) {
      const { status } = await post(`${url}/capacity/gpu/ask`, askOf('probe', ++turn, 0));
      if (status === 200) return performance.now() - beganMs;
    }
    await sleep(10);
  }
}

describe('three servers, one of them master', () => {
  it('go on when the master is killed, and never hand out more than there is', async () => {
    const clients = await filled();
    const highest = new Highest(() => sumOf(clients));
    const master = await masterOf(servers);
    const others = servers.filter((server) => server !== master);
    const { token } = await master.snapshot();
    await master.close();
    const tookMs = await granting(others);
    expect(tookMs).toBeLessThan(2_000);
    const next = await masterOf(others);
    expect((await next.snapshot()).token).toBeGreaterThan(token!);
    // Nobody noticed: leases outlive that.
    expect(sumOf(clients)).toBeGreaterThan(CAPACITY - 0.5);
    // One that comes now gets its share when what was out is known.
    const newcomer = bed.client(
      others.map(({ url }) => url),
      { wants: 60 },
    );
    clients.push(newcomer);
    await until('its share', () => Math.abs(newcomer.capacity - 20) < 1 && sumOf(clients) > CAPACITY - 1);
    expect(highest.stop()).toBeLessThanOrEqual(CAPACITY + 0.001);
  });

  it('stay one when the master stands still and wakes up', async () => {
    const clients = await filled();
    const highest = new Highest(() => sumOf(clients));
    const master = await masterOf(servers);
    const others = servers.filter((server) => server !== master);
    const ask = `${master.url}/capacity/gpu/ask`;
    const agents = Array.from({ length: 8 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
    await Promise.all(agents.map((agent, i) => post(ask, askOf(`late-${i}`, 1, 0), 'POST', agent)));
    master.pause();
    expect(await granting(others)).toBeLessThan(2_000);
    // They are there when it wakes up, before anything that Redis could tell it.
    const asked = agents.map((agent, i) => post(ask, askOf(`late-${i}`, 2, 1), 'POST', agent));
    await sleep(100);
    master.resume();
    // It has a term by what it remembers, and knows by its clock that this is over.
    for (const { status } of await Promise.all(asked)) expect(status).toBe(503);
    for (const agent of agents) agent.destroy();
    await until('all of it', () => sumOf(clients) > CAPACITY - 0.5);
    expect(highest.stop()).toBeLessThanOrEqual(CAPACITY + 0.001);
  });

  it('tell clients who is master, and those ask there', async () => {
    const master = await masterOf(servers);
    const other = servers.find((server) => server !== master)!;
    let answer = await post(`${other.url}/capacity/gpu/ask`, askOf('a', 1, 1));
    while (answer.master === undefined) {
      await sleep(20);
      answer = await post(`${other.url}/capacity/gpu/ask`, askOf('a', 1, 1));
    }
    expect(answer).toEqual({ status: 503, master: master.url, text: '' });
    // It knows of no other than that one.
    const client = bed.client(other.url, { wants: 10 });
    await until('a lease', () => client.snapshot().asks > 0 && client.snapshot().capacity > 0);
    expect((await master.snapshot()).counts.granted).toBeGreaterThan(0);
  });

  it('hand out nothing while Redis is gone, and clients work on; then all is as before', async () => {
    const clients = await filled();
    const highest = new Highest(() => sumOf(clients));
    await redis.kill();
    await sleep(1_300);
    for (const server of servers) expect((await server.snapshot()).isMaster).toBe(false);
    expect(sumOf(clients)).toBeGreaterThan(0);
    await redis.restart();
    await until('all of it', () => sumOf(clients) > CAPACITY - 0.5);
    expect(highest.stop()).toBeLessThanOrEqual(CAPACITY + 0.001);
  });
});
