import { Redis } from 'ioredis';
import { afterEach, describe, expect, it } from 'vitest';
import { RedisQuotaExchange, type ReportRow } from '../../../src/stores/redis/quota-exchange.js';
import { createLink } from '../../../src/stores/redis/redis-link.js';
import { createSubscriber, type RedisSubscriber } from '../../../src/stores/redis/redis-subscriber.js';
import { RedisCluster } from '../../redis/redis-cluster.js';
import { RedisServer } from '../../redis/redis-server.js';
import { expectNoMishaps } from '../server/mishaps.js';

expectNoMishaps();

const owned: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of owned.splice(0).reverse()) await end();
});

async function aServer(): Promise<RedisServer> {
  const server = await RedisServer.start();
  owned.push(() => server.stop());
  return server;
}

async function anExchange(url: string | readonly string[], service = 'search') {
  const link = await createLink({ url, connectMs: 10_000 });
  owned.push(() => link.close());
  return new RedisQuotaExchange(link, 'plimsoll:quota:', service);
}

async function aSubscriber(url: string | readonly string[], channel: string) {
  const heard: Buffer[] = [];
  const subscriber = await createSubscriber({ url }, channel, (bytes) => heard.push(bytes));
  owned.push(() => subscriber.close());
  return { heard, subscriber };
}

function anAdmin(server: RedisServer): Redis {
  const admin = new Redis(server.port);
  owned.push(() => admin.disconnect());
  return admin;
}

/** Every byte that there is: texts would not survive this. */
const BYTES = Uint8Array.from({ length: 256 }, (_, byte) => byte);

/** From within a larger buffer, as encoders may hand it out. */
const INSIDE = new Uint8Array([9, ...BYTES, 9]).subarray(1, 257);

const said = (backend: string, values: Uint8Array = BYTES) => ({
  backend,
  values,
  namesVersion: 1,
  names: undefined,
  known: undefined,
});

async function readAll(exchange: RedisQuotaExchange, from = '0', dropMs = 60_000) {
  const rows: ReportRow[] = [];
  for (let since = from; ; ) {
    const page = await exchange.read(since, dropMs);
    rows.push(...page.rows);
    since = page.since;
    if (!page.hasMore) return { since, rows, published: page.published };
  }
}

async function pushUntilHeard(exchange: RedisQuotaExchange, heard: readonly unknown[], token: number) {
  const before = heard.length;
  for (let sequence = 1; heard.length === before; sequence++) {
    expect(await exchange.publish({ token, sequence, backends: 1, bytes: BYTES })).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe('reports', () => {
  it('come as they were sent, byte by byte, with their ages', async () => {
    const exchange = await anExchange((await aServer()).url);
    await exchange.report({ ...said('a', INSIDE), names: INSIDE });
    await new Promise((resolve) => setTimeout(resolve, 30));
    const { rows, published } = await readAll(exchange);
    expect(rows).toEqual([{ backend: 'a', ageMs: expect.any(Number), values: Buffer.from(BYTES) }]);
    expect(rows[0]!.ageMs).toBeGreaterThanOrEqual(29);
    expect(rows[0]!.ageMs).toBeLessThan(5_000);
    expect(published).toBeUndefined();
    expect(await exchange.names(['a', 'nobody'])).toEqual([Buffer.from(BYTES), undefined]);
  });

  it('are told apart: only new ones come, whatever their number', async () => {
    const exchange = await anExchange((await aServer()).url);
    const ids = Array.from({ length: 150 }, (_, i) => `b${i}`);
    await Promise.all(ids.map((id) => exchange.report(said(id))));
    const first = await readAll(exchange);
    expect(first.rows.map(({ backend }) => backend).sort()).toEqual(ids.sort());
    expect((await readAll(exchange, first.since)).rows).toEqual([]);
    await exchange.report(said('b7', Uint8Array.of(7)));
    const { rows } = await readAll(exchange, first.since);
    expect(rows.map(({ backend, values }) => [backend, ...values])).toEqual([['b7', 7]]);
  });

  it('of many at once are each the last one that was sent', async () => {
    const { url } = await aServer();
    const exchanges = await Promise.all([0, 1, 2].map(() => anExchange(url)));
    const sent = exchanges.flatMap((exchange, e) =>
      Array.from({ length: 200 }, (_, i) => exchange.report(said(`b${e}`, Uint8Array.of(i)))),
    );
    // Whoever looks meanwhile sees each backend at most once a page.
    const looks = Promise.all(Array.from({ length: 20 }, () => exchanges[0]!.read('0', 60_000)));
    for (const { rows } of await looks) {
      expect(new Set(rows.map(({ backend }) => backend)).size).toBe(rows.length);
    }
    await Promise.all(sent);
    const { rows } = await readAll(exchanges[0]!);
    expect(rows.map(({ backend, values }) => `${backend}:${values[0]}`).sort()).toEqual([
      'b0:199',
      'b1:199',
      'b2:199',
    ]);
  });

  it('say when names are missing: never sent, of another version, or lost', async () => {
    const server = await aServer();
    const exchange = await anExchange(server.url);
    expect((await exchange.report(said('a'))).areNamesMissing).toBe(true);
    expect((await exchange.report({ ...said('a'), names: BYTES })).areNamesMissing).toBe(false);
    expect((await exchange.report(said('a'))).areNamesMissing).toBe(false);
    expect((await exchange.report({ ...said('a'), namesVersion: 2 })).areNamesMissing).toBe(true);
    expect((await exchange.report(said('b'))).areNamesMissing).toBe(true);
    await anAdmin(server).flushall();
    expect((await exchange.report(said('a'))).areNamesMissing).toBe(true);
  });

  it('of those who have been silent for long are dropped, with their names', async () => {
    const exchange = await anExchange((await aServer()).url);
    await exchange.report({ ...said('gone'), names: BYTES });
    await new Promise((resolve) => setTimeout(resolve, 60));
    await exchange.report({ ...said('here'), names: BYTES });
    const { rows } = await readAll(exchange, '0', 50);
    expect(rows.map(({ backend }) => backend)).toEqual(['here']);
    expect(await exchange.names(['gone', 'here'])).toEqual([undefined, Buffer.from(BYTES)]);
    expect((await exchange.report(said('gone'))).areNamesMissing).toBe(true);
  });

  it('are read on when the clock of Redis is set back', async () => {
    const server = await aServer();
    const exchange = await anExchange(server.url);
    await Promise.all(['a', 'b'].map((id) => exchange.report(said(id))));
    const anHourAhead = (Date.now() + 3_600_000) * 1_000;
    const { seen } = await keysOf(server);
    await anAdmin(server).zadd(seen, anHourAhead, 'a', anHourAhead, 'b');
    // It had read these before the clock was set back.
    const { rows, since } = await readAll(exchange, String(anHourAhead));
    expect(rows.map(({ ageMs }) => ageMs)).toEqual([0, 0]);
    await exchange.report(said('a'));
    expect((await readAll(exchange, since)).rows.map(({ backend }) => backend)).toEqual(['a']);
  });

  it('leave nothing behind', async () => {
    const server = await aServer();
    const exchange = await anExchange(server.url);
    await exchange.report({ ...said('a'), names: BYTES });
    await exchange.publish({ token: 1, sequence: 1, backends: 1, bytes: BYTES });
    const admin = anAdmin(server);
    const keys = await admin.keys('*');
    expect(keys).toHaveLength(4);
    for (const key of keys) {
      expect(key).toMatch(/^plimsoll:quota:\{search\}:/);
      const ttlMs = await admin.pttl(key);
      expect(ttlMs).toBeGreaterThan(10_000);
      expect(ttlMs).toBeLessThanOrEqual(300_000);
    }
  });
});

async function keysOf(server: RedisServer): Promise<Record<'seen' | 'values' | 'names' | 'levels', string>> {
  const keys = await anAdmin(server).keys('*');
  return Object.fromEntries(keys.map((key) => [key.split(':').at(-1), key])) as never;
}

describe('levels', () => {
  it('are pushed, and answered to whoever does not know them', async () => {
    const server = await aServer();
    const exchange = await anExchange(server.url);
    const { heard, subscriber } = await aSubscriber(server.url, exchange.channel);
    await pushUntilHeard(exchange, heard, 3);
    expect(heard[0]).toEqual(Buffer.from(BYTES));
    expect(subscriber.messages).toBe(heard.length);
    await exchange.publish({ token: 3, sequence: 1_000, backends: 17, bytes: INSIDE });
    const levels = Buffer.from(BYTES);
    const ask = (known: { token: number; sequence: number } | undefined) =>
      exchange.report({ ...said('a'), known });
    expect((await ask(undefined)).levels).toEqual({ bytes: levels, ageMs: expect.any(Number) });
    expect((await ask({ token: 3, sequence: 999 })).levels).toEqual({
      bytes: levels,
      ageMs: expect.any(Number),
    });
    expect((await ask({ token: 2, sequence: 1_000 })).levels).toEqual({
      bytes: levels,
      ageMs: expect.any(Number),
    });
    expect((await ask({ token: 3, sequence: 1_000 })).levels).toBeUndefined();
    expect((await readAll(exchange)).published).toEqual({ token: 3, backends: 17 });
  });

  it('are pushed in another form than they are kept, if one is given', async () => {
    const server = await aServer();
    const exchange = await anExchange(server.url);
    const { heard } = await aSubscriber(server.url, exchange.channel);
    await pushUntilHeard(exchange, heard, 1);
    heard.length = 0;
    const pushed = Uint8Array.of(0, 13, 10, 255);
    const levels = { token: 2, sequence: 1, backends: 1, bytes: BYTES };
    expect(await exchange.publish({ ...levels, pushed })).toBe(true);
    // One that does not hold is not pushed.
    expect(await exchange.publish({ ...levels, pushed })).toBe(false);
    expect(await exchange.publish({ ...levels, sequence: 2, pushed: BYTES })).toBe(true);
    while (heard.length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(heard).toEqual([Buffer.from(pushed), Buffer.from(BYTES)]);
    expect((await exchange.report(said('a'))).levels?.bytes).toEqual(Buffer.from(BYTES));
  });

  it('of a coordinator whose term is over do not hold, nor older ones of the same', async () => {
    const server = await aServer();
    const exchange = await anExchange(server.url);
    const publish = (token: number, sequence: number) =>
      exchange.publish({ token, sequence, backends: 1, bytes: Uint8Array.of(token, sequence) });
    expect(await publish(5, 10)).toBe(true);
    expect(await publish(4, 99)).toBe(false);
    expect(await publish(5, 10)).toBe(false);
    expect(await publish(5, 9)).toBe(false);
    expect((await exchange.report(said('a'))).levels?.bytes).toEqual(Buffer.of(5, 10));
    expect(await publish(5, 11)).toBe(true);
    // As a number: as a text it would come before.
    expect(await publish(10, 1)).toBe(true);
  });

  it('are heard again after Redis was gone', async () => {
    const server = await aServer();
    const exchange = await anExchange(server.url);
    const { heard } = await aSubscriber(server.url, exchange.channel);
    await pushUntilHeard(exchange, heard, 1);
    await server.restart();
    const link = await createLink({ url: server.url, connectMs: 10_000 });
    owned.push(() => link.close());
    await pushUntilHeard(new RedisQuotaExchange(link, 'plimsoll:quota:', 'search'), heard, 1);
  });

  it('are heard again by a listener that was told to connect anew', async () => {
    const server = await aServer();
    const exchange = await anExchange(server.url);
    const { heard, subscriber } = await aSubscriber(server.url, exchange.channel);
    await pushUntilHeard(exchange, heard, 1);
    subscriber.reconnect();
    await pushUntilHeard(exchange, heard, 2);
    subscriber.close();
    subscriber.reconnect();
    const admin = anAdmin(server);
    let clients = 'flags=P';
    while (/flags=P/.test(clients)) clients = String(await admin.client('LIST'));
    // It does not come back.
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(String(await admin.client('LIST'))).not.toMatch(/flags=P/);
  });
});

describe('with garbage in the keys', () => {
  it('goes on where it can, and says so where it cannot', async () => {
    const server = await aServer();
    const exchange = await anExchange(server.url);
    const admin = anAdmin(server);
    await exchange.report(said('a'));
    const { seen } = await keysOf(server);
    await admin.zadd(seen, 1, 'long gone', Date.now() * 1_000, 'without numbers');
    await admin.hset(seen.replace(/seen$/, 'levels'), 'token', 'x', 'sequence', '', 'backends', '-1');
    const { rows, published } = await readAll(exchange);
    expect(rows.map(({ backend }) => backend)).toEqual(['a']);
    expect(published).toBeUndefined();
    expect((await exchange.report(said('a'))).levels).toBeUndefined();
    expect(await exchange.publish({ token: 1, sequence: 1, backends: 1, bytes: BYTES })).toBe(true);
    await admin.set(seen, 'a text');
    await expect(exchange.report(said('a'))).rejects.toThrow('WRONGTYPE');
    await expect(exchange.read('0', 1_000)).rejects.toThrow('WRONGTYPE');
  });

  it('is not fenced for ever by a token that nobody can have', async () => {
    const server = await aServer();
    const exchange = await anExchange(server.url);
    const admin = anAdmin(server);
    await exchange.publish({ token: 1, sequence: 1, backends: 1, bytes: BYTES });
    const { levels } = await keysOf(server);
    await admin.hset(levels, 'token', '9e99');
    await admin.persist(levels);
    expect(await exchange.publish({ token: 2, sequence: 1, backends: 1, bytes: BYTES })).toBe(false);
    expect(await admin.pttl(levels)).toBeGreaterThan(0);
  });
});

describe('on a Cluster', () => {
  it('all keys of a service are together, and levels are heard wherever one listens', async () => {
    const cluster = await RedisCluster.start();
    owned.push(() => cluster.stop());
    const listeners: { heard: Buffer[]; subscriber: RedisSubscriber }[] = [];
    for (const service of ['search', 'mail', '}{', 'a'.repeat(300)]) {
      const exchange = await anExchange(cluster.urls, service);
      await exchange.report({ ...said('a'), names: BYTES });
      expect(await exchange.names(['a'])).toEqual([Buffer.from(BYTES)]);
      const listener = await aSubscriber(cluster.urls, exchange.channel);
      listeners.push(listener);
      await pushUntilHeard(exchange, listener.heard, 1);
      expect((await readAll(exchange)).rows).toHaveLength(1);
    }
    expect(listeners[0]!.heard.every((bytes) => bytes.equals(BYTES))).toBe(true);
  });
});
