import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../server/guarded-server.js';
import { Fleet, PlainServer } from './fleet.js';
import { HandResolver } from './hand-resolver.js';

const fleet = new Fleet();
afterEach(() => fleet.stop());

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Sockets and timers that keep this process, by kind. */
function resources(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

describe('a list that does not stand still', () => {
  it('10,000 changes lose no request and leave nothing behind', async () => {
    const servers = await Promise.all(
      Array.from({ length: 8 }, () => fleet.plain((_req, res) => void setTimeout(() => res.end('ok'), 2))),
    );
    const urls = servers.map(({ url }) => url);
    const resolver = new HandResolver(urls);
    const client = fleet.client({ backends: resolver, clientId: 1, subset: { size: 3 } });
    let isOver = false;
    let answered = 0;
    const failures: unknown[] = [];
    const load = Array.from({ length: 10 }, async () => {
      while (!isOver) {
        await client.fetch('/').then(
          async (answer) => {
            await answer.text();
            answered++;
          },
          (error) => failures.push(error),
        );
      }
    });
    let seed = 1;
    const random = () => {
      seed = (seed * 48_271) % 0x7fff_ffff;
      return seed / 0x7fff_ffff;
    };
    const change = async (times: number) => {
      for (let i = 0; i < times; i++) {
        // Never none of them, and never the same twice.
        const some = urls.filter(() => random() < 0.6);
        resolver.set(...(some.length > 0 ? some : urls));
        if (i % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
    };
    await change(2_000);
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    await change(8_000);
    isOver = true;
    await Promise.all(load);
    resolver.set(...urls);
    await until(() => client.snapshot().states.ready === 3);
    collectGarbage();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(10e6);
    expect(failures).toEqual([]);
    expect(answered).toBeGreaterThan(50);
    await until(() => servers.reduce((sum, { sockets }) => sum + sockets.size, 0) <= 3 * 11);
    await client.close();
    await until(() => servers.every(({ sockets }) => sockets.size === 0));
    expect(resolver.closed).toBe(1);
  });

  it('a backend that comes and goes ten times a second costs no request', async () => {
    const steady = await fleet.plain((_req, res) => void res.end('steady'));
    const flapping = await PlainServer.start((_req, res) => void res.end('flapping'));
    const client = fleet.client({ backends: [steady.url, flapping.url], health: false });
    let isOver = false;
    let answered = 0;
    const failures: unknown[] = [];
    const load = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        await client.fetch('/').then(
          async (answer) => {
            await answer.text();
            answered++;
          },
          (error) => failures.push(error),
        );
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    });
    const before = resources();
    for (let i = 0; i < 30; i++) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      await flapping.stop();
      await new Promise((resolve) => setTimeout(resolve, 50));
      await flapping.listen();
    }
    isOver = true;
    await Promise.all(load);
    await flapping.stop();
    expect(failures).toEqual([]);
    expect(answered).toBeGreaterThan(200);
    expect(resources()['Timeout'] ?? 0).toBeLessThanOrEqual((before['Timeout'] ?? 0) + 8);
    await client.close();
  });

  it('a client that is closed leaves no socket and no timer', async () => {
    const server = await fleet.guarded((_req, res) => void res.end('ok'));
    const before = resources();
    for (let i = 0; i < 20; i++) {
      const client = fleet.client({ backends: [server.url, 'http://127.0.0.1:1'] });
      await (await client.fetch('/')).text();
      await client.close();
    }
    await until(() => [...server.sockets].every((socket) => socket.destroyed));
    const after = resources();
    expect(after['Timeout'] ?? 0).toBeLessThanOrEqual((before['Timeout'] ?? 0) + 2);
    expect(after['UDPWrap'] ?? 0).toBeLessThanOrEqual(before['UDPWrap'] ?? 0);
  });
});
