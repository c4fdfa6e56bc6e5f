import { connect, createServer, type Server, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import { afterEach, describe, expect, it } from 'vitest';
import { createRateRule, type RateRule } from '../../../src/stores/rate-store.js';
import { redisStore } from '../../../src/stores/redis/connect-redis-store.js';
import type { RedisStore } from '../../../src/stores/redis/redis-store.js';
import { RedisServer } from '../../redis/redis-server.js';
import { expectNoMishaps } from '../server/mishaps.js';

expectNoMishaps();

const owned: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of owned.splice(0).reverse()) await end();
});

/** An address that leads to one server, and later to another, while connections stay where they are. */
class Address {
  readonly #server: Server;
  readonly #sockets: ReadonlySet<Socket>;
  port: number;

  private constructor(server: Server, sockets: ReadonlySet<Socket>, port: number) {
    this.#server = server;
    this.#sockets = sockets;
    this.port = port;
  }

  static async to(port: number): Promise<Address> {
    let address: Address | undefined;
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      const other = connect(address?.port ?? port, '127.0.0.1');
      for (const each of [socket, other]) {
        sockets.add(each);
        each.on('error', () => {});
        each.on('close', () => {
          socket.destroy();
          other.destroy();
        });
      }
      socket.pipe(other).pipe(socket);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    address = new Address(server, sockets, port);
    return address;
  }

  get url(): string {
    return `redis://127.0.0.1:${(this.#server.address() as { port: number }).port}`;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}

const rule: RateRule = createRateRule('r', { algorithm: 'leaking-bucket', limit: 1_000, windowMs: 60_000 });
const leased: RateRule = createRateRule('l', { algorithm: 'gcra', limit: 1_000, windowMs: 60_000 });
const ASK = {
  rule: leased,
  key: 'a',
  holder: 'me',
  wants: 1,
  urgent: 1,
  needs: 1,
  holds: 0,
  returns: 0,
  epochMs: 0,
};

let turn = 0;

const CALLS: Record<string, (store: RedisStore) => Promise<unknown>> = {
  take: (store) => store.take([{ rule, key: 'a', cost: 1 }]),
  schedule: (store) => store.schedule({ rule, key: 'a', cost: 1 }),
  settle: (store) => store.settle([{ rule, key: 'a', reserved: 1, actual: 2, takenAtMs: 1 }]),
  lease: async (store) => {
    const [grant] = await store.lease([{ ...ASK, turn: ++turn }]);
    if (grant === undefined) throw new Error('nothing was granted');
  },
};

describe('a master that has become a replica', () => {
  it.each(Object.entries(CALLS))('is left for the new one: %s', async (_, call) => {
    const [old, next] = [await RedisServer.start(), await RedisServer.start()];
    owned.push(
      () => old.stop(),
      () => next.stop(),
    );
    const address = await Address.to(old.port);
    owned.push(() => address.close());
    const store = await redisStore({ url: address.url, connectMs: 20_000 });
    owned.push(() => store.close());
    await call(store);
    // As after a failover by address: connections that are open stay with the one that no longer writes.
    address.port = next.port;
    const admin = new Redis(old.port);
    owned.push(() => admin.disconnect());
    await admin.replicaof('127.0.0.1', next.port);
    await expect
      .poll(
        () =>
          call(store).then(
            () => 'works',
            (error: Error) => error.message,
          ),
        { timeout: 20_000 },
      )
      .toBe('works');
    const there = new Redis(next.port);
    owned.push(() => there.disconnect());
    expect(await there.dbsize()).toBeGreaterThan(0);
  });
});
