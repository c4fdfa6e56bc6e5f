import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { until } from '../client/until.js';
import { type CapacityBed, FIRST, Highest, sumOf, TIMES } from './capacity-bed.js';

/** What holds for capacity however messages travel. */
export function describeCapacity(how: string, bed: CapacityBed): void {
  describe(`capacity by ${how}`, () => {
    it('is divided fairly among clients, and given back', async () => {
      const { url, server } = await bed.server({ resources: { gpu: { ...FIRST, capacity: 100 } } });
      const [small, large, larger] = [20, 90, 90].map((wants) => bed.client(url, { wants }));
      const clients = [small!, large!, larger!];
      const highest = new Highest(() => sumOf(clients));
      await until('20, 40, 40', () =>
        clients.every(({ capacity }, i) => Math.abs(capacity - [20, 40, 40][i]!) < 0.01),
      );
      await larger!.close();
      expect(larger!.capacity).toBe(0);
      await until('20, 80', () => Math.abs(large!.capacity - 80) < 0.01);
      expect(highest.stop()).toBeLessThanOrEqual(100.001);
      expect(server.snapshot()).toMatchObject({ isMaster: true, counts: { unreadable: 0, released: 1 } });
    });

    it('follows a capacity that is changed', async () => {
      const { url, server } = await bed.server({ resources: { gpu: { ...FIRST, capacity: 100 } } });
      const clients = [0, 1].map(() => bed.client(url, { wants: 80 }));
      await until('100', () => Math.abs(sumOf(clients) - 100) < 0.01);
      server.setCapacity('gpu', 60);
      await until('60', () => Math.abs(sumOf(clients) - 60) < 0.01);
      expect(() => server.setCapacity('tpu', 1)).toThrow('there is no resource "tpu"');
      expect(() => server.setCapacity('gpu', -1)).toThrow('capacity must be');
    });

    it('paces those who take', async () => {
      const { url } = await bed.server({ resources: { gpu: { ...FIRST, capacity: 100 } } });
      const client = bed.client(url, { wants: 100 });
      await until('a lease', () => client.capacity > 99.9);
      await client.take(10);
      const beganMs = performance.now();
      const passed: number[] = [];
      await Promise.all(Array.from({ length: 100 }, (_, i) => client.take().then(() => passed.push(i))));
      const tookMs = performance.now() - beganMs;
      // A second's worth, of which a tenth may have been saved up.
      expect(tookMs).toBeGreaterThan(850);
      expect(tookMs).toBeLessThan(3_000);
      expect(passed).toEqual([...Array(100).keys()]);
    });

    it('is asked for as much as callers want, from nothing', async () => {
      const { url } = await bed.server({ resources: { gpu: { ...FIRST, capacity: 1_000 } } });
      const client = bed.client(url);
      expect(client.snapshot()).toMatchObject({ asks: 0, capacity: 0 });
      let isOver = false;
      const worker = async () => {
        while (!isOver) {
          await client.take();
          await sleep(10);
        }
      };
      const workers = Array.from({ length: 4 }, worker);
      // They come again only when they have passed: a client that counted them alone would ask for 1 a second forever.
      await until('enough', () => client.capacity > 100);
      isOver = true;
      await Promise.all(workers);
      expect(client.capacity).toBeLessThan(1_000);
    });

    it('is refused at once by those who do not wait', async () => {
      const { url } = await bed.server({ resources: { gpu: { ...FIRST, capacity: 1 } } });
      const client = bed.client(url, { wants: 1, maxWaiting: 2 });
      await until('a lease', () => client.capacity === 1);
      await client.take();
      const waiting = [client.take(5), client.take()];
      expect(client.tryTake()).toMatchObject({ allowed: false });
      await expect(client.take()).rejects.toMatchObject({ code: 'PLIMSOLL_LIMITED', retry: 'later' });
      const rejected = Promise.allSettled(waiting);
      await client.close();
      for (const each of await rejected) {
        expect(each).toMatchObject({ status: 'rejected', reason: { code: 'PLIMSOLL_LIMITED', retry: 'no' } });
      }
      await expect(client.take()).rejects.toMatchObject({ code: 'PLIMSOLL_LIMITED' });
    });

    it('is the safe one after the lease, when nobody answers', async () => {
      const { url, stop } = await bed.server({
        resources: { gpu: { ...FIRST, capacity: 100, safeCapacity: 7 } },
      });
      const client = bed.client(url, { wants: 100 });
      await until('a lease', () => client.capacity > 99.9);
      await stop();
      const beganMs = performance.now();
      await until('the safe capacity', () => client.capacity === 7);
      const tookMs = performance.now() - beganMs;
      // Counted from the last ask, which was a refresh ago at the most.
      expect(tookMs).toBeGreaterThan(TIMES.leaseMs - 2 * TIMES.refreshMs - 500);
      expect(tookMs).toBeLessThan(TIMES.leaseMs + 500);
      await client.take();
    });

    it('outlives a restart of the server, which learns what is out', async () => {
      const resources = { gpu: { ...TIMES, capacity: 100 } };
      const { url, stop, port } = await bed.server({ resources: { gpu: { ...FIRST, capacity: 100 } } });
      const clients = [30, 80, 80].map((wants) => bed.client(url, { wants }));
      await until('all of it', () => Math.abs(sumOf(clients) - 100) < 0.01);
      const highest = new Highest(() => sumOf(clients));
      await stop();
      const again = await bed.server({ resources }, port);
      expect(again.server.snapshot().resources['gpu']).toMatchObject({ isLearning: true });
      // A newcomer gets nothing of what others have, before those were heard.
      const newcomer = bed.client(url, { wants: 80 });
      clients.push(newcomer);
      await until('learned', () => again.server.snapshot().resources['gpu']!.isLearning === false);
      await until('divided anew', () => Math.abs(newcomer.capacity - 25) < 3 && sumOf(clients) > 98);
      expect(highest.stop()).toBeLessThanOrEqual(100.001);
    });

    it('comes down a tree, and never more than the root has', async () => {
      const root = await bed.server({ resources: { gpu: { ...FIRST, capacity: 100, safeCapacity: 0 } } });
      const nodes = await Promise.all(
        ['east', 'west'].map((client) =>
          bed.server({ resources: { gpu: { ...FIRST } }, parent: { url: root.url, client, ...bed.calling } }),
        ),
      );
      const clients = [90, 20, 90].map((wants, i) => bed.client(nodes[i % 2]!.url, { wants }));
      const highest = new Highest(() => sumOf(clients));
      // Fair over all three, wherever they are: east asks for two.
      await until('40, 20, 40', () =>
        clients.every(({ capacity }, i) => Math.abs(capacity - [40, 20, 40][i]!) < 2),
      );
      await clients[1]!.close();
      await until('50, 50', () => sumOf(clients) > 97 && clients[0]!.capacity > 45);
      expect(highest.stop()).toBeLessThanOrEqual(100.001);
      expect(() => nodes[0]!.server.setCapacity('gpu', 1)).toThrow("its parent's to say");
      // Nothing comes down when the root is gone, and what is out ends.
      await root.stop();
      await until('nothing', () => sumOf(clients) === 0);
    });

    it('is asked of the parent as soon as somebody below wants it', async () => {
      const rare = { leaseMs: 60_000, refreshMs: 20_000, hurryMs: 100, learningMs: 0 };
      const root = await bed.server({ resources: { gpu: { ...rare, capacity: 100 } } });
      const node = await bed.server({ resources: { gpu: FIRST }, parent: { url: root.url, ...bed.calling } });
      await until('a lease of nothing', () => root.server.snapshot().counts.granted === 1);
      const client = bed.client(node.url, { wants: 10 });
      await until('some', () => client.capacity === 10, 5_000);
    });

    it('asks the next server when one is gone', async () => {
      const options = { resources: { gpu: { ...FIRST, capacity: 10 } } };
      const [first, second] = [await bed.server(options), await bed.server(options)];
      const client = bed.client([first.url, second.url], { wants: 10 });
      await until('a lease', () => client.capacity === 10);
      await first.stop();
      await until('an ask', () => second.server.snapshot().counts.granted > 1);
      expect(client.capacity).toBe(10);
    });
  });
}
