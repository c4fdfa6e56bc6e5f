import { Redis } from 'ioredis';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createLink, type LinkOptions, type RedisLink } from '../../../src/stores/redis/redis-link.js';
import { scriptOf } from '../../../src/stores/redis/redis-script.js';
import { freePort, RedisServer } from '../../redis/redis-server.js';
import { expectNoMishaps } from '../server/mishaps.js';

expectNoMishaps();

const ECHO = scriptOf('echo', 'return ARGV[1]');
const FAIL = scriptOf('fail', "return redis.error_reply('OOM no memory left')");

/** As the link has it. */
const LOOK_MS = 25;

const owned: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of owned.splice(0).reverse()) await end();
});

async function aServer(args: readonly string[] = [], port?: number): Promise<RedisServer> {
  const server = await RedisServer.start(args, port);
  owned.push(() => server.stop());
  return server;
}

async function aLink(options: LinkOptions): Promise<RedisLink> {
  const link = await createLink(options);
  owned.push(() => link.close());
  return link;
}

const echo = (link: RedisLink, text: string): Promise<unknown> => link.run(ECHO, ['k'], [text]);

async function until(isSo: () => unknown): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`waited in vain for ${isSo}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** What became of it, and after how long. */
async function timed(call: Promise<unknown>): Promise<{ result: unknown; ms: number }> {
  const started = performance.now();
  const result = await call.catch((error: Error) => error);
  return { result, ms: performance.now() - started };
}

describe('a link to Redis', () => {
  it('runs scripts, also those that Redis has forgotten', async () => {
    const server = await aServer();
    const link = await aLink({ url: server.url });
    expect(await echo(link, 'a')).toBe('a');
    const admin = new Redis(server.port);
    owned.push(async () => admin.disconnect());
    await admin.script('FLUSH');
    expect(await Promise.all(['b', 'c'].map((text) => echo(link, text)))).toEqual(['b', 'c']);
    // The second time by its hash: in full it would be an `eval`.
    const stats = String(await admin.info('commandstats'));
    expect(stats).toMatch(/cmdstat_evalsha:calls=[1-9]/);
  });

  it('looks for silence by one timer, also when answers come while it is about to look', async () => {
    const server = await aServer();
    const link = await aLink({ url: server.url });
    await echo(link, 'warm');
    let looks = 0;
    const { setTimeout: original } = globalThis;
    const spy = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((
      run: (...args: unknown[]) => void,
      ms?: number,
      ...args: unknown[]
    ) => {
      const counted = () => {
        if (ms === LOOK_MS) looks++;
        run(...args);
      };
      return original(counted, ms);
    }) as typeof setTimeout);
    owned.push(async () => spy.mockRestore());
    for (let time = 0; time < 20; time++) {
      const call = echo(link, 'slow');
      const resumeAt = performance.now() + LOOK_MS + 5;
      while (performance.now() < resumeAt);
      await call;
      // From within the answer, as a caller that always has one under way.
      await echo(link, 'at once');
    }
    looks = 0;
    const beganMs = performance.now();
    while (performance.now() - beganMs < 500) await echo(link, 'quick');
    // On a machine that is busy some take longer; what is left of the pauses would be twenty timers, each every 25 ms.
    expect(looks).toBeLessThan(60);
  });

  it('runs them in the order in which it was asked, on a Redis that knows none of them', async () => {
    const server = await aServer();
    const link = await aLink({ url: server.url });
    const [set, get] = [
      scriptOf('set', "return redis.call('SET', KEYS[1], ARGV[1])"),
      scriptOf('get', "return redis.call('GET', KEYS[1])"),
    ];
    // Known already, as it is when another process has asked.
    const admin = new Redis(server.port);
    await admin.script('LOAD', get.text).finally(() => admin.disconnect());
    const answers = await Promise.all([link.run(set, ['k'], ['a']), link.run(get, ['k'], [])]);
    expect(answers).toEqual(['OK', 'a']);
    await server.restart();
    await until(() => link.isReady);
    expect(await Promise.all([link.run(set, ['k'], ['b']), link.run(get, ['k'], [])])).toEqual(['OK', 'b']);
  });

  it('starts without a Redis, says so at once when asked, and works when there is one', async () => {
    const port = await freePort();
    const started = performance.now();
    const link = await aLink({ url: `redis://127.0.0.1:${port}`, connectMs: 100 });
    expect(performance.now() - started).toBeLessThan(1_000);
    const { result, ms } = await timed(echo(link, 'a'));
    expect(result).toMatchObject({
      code: 'PLIMSOLL_STORE_UNAVAILABLE',
      message: expect.stringContaining('ECONNREFUSED'),
    });
    expect(ms).toBeLessThan(50);
    await aServer([], port);
    await until(() => link.isReady);
    expect(await echo(link, 'b')).toBe('b');
  });

  it('stops asking a server that is stopped, gives up what it asked, and finds it again', async () => {
    const server = await aServer();
    const link = await aLink({ url: server.url });
    await echo(link, 'a');
    server.pause();
    const waiting = [1, 2, 3].map((i) => timed(echo(link, `${i}`)));
    await until(async () => {
      const { result, ms } = await timed(Promise.race([echo(link, 'x'), Promise.resolve()]));
      return result instanceof Error && ms < 50;
    });
    expect(await echo(link, 'b').catch((error: Error) => error.message)).toContain('it is silent');
    for (const { result, ms } of await Promise.all(waiting)) {
      expect(result).toBeInstanceOf(Error);
      expect(ms).toBeLessThan(3_000);
    }
    expect(link.snapshot()).toMatchObject({ isReady: false, pending: 0 });
    server.resume();
    await until(() => link.isReady);
    expect(await echo(link, 'c')).toBe('c');
  });

  it('goes on at once when a short silence ends', async () => {
    const server = await aServer();
    const link = await aLink({ url: server.url });
    server.pause();
    const first = echo(link, 'first');
    await until(async () => (await timed(Promise.race([echo(link, 'x'), null]))).result instanceof Error);
    server.resume();
    expect(await first).toBe('first');
    expect(await echo(link, 'next')).toBe('next');
  });

  it('fails what is under way when the server is killed, twenty times, and works again each time', async () => {
    const server = await aServer();
    const link = await aLink({ url: server.url });
    for (let round = 0; round < 20; round++) {
      const calls = Array.from({ length: 50 }, (_, i) => timed(echo(link, `${i}`)));
      await server.restart();
      for (const { result, ms } of await Promise.all(calls)) {
        expect(typeof result === 'string' || result instanceof Error).toBe(true);
        expect(ms).toBeLessThan(2_000);
      }
      await until(() => link.isReady);
      expect(await echo(link, 'there')).toBe('there');
    }
    expect(link.snapshot().pending).toBe(0);
  }, 60_000);

  it('asks a server that answers with errors only now and then', async () => {
    const server = await aServer();
    const link = await aLink({ url: server.url });
    const messages: string[] = [];
    for (let i = 0; i < 20; i++) {
      messages.push(
        (await link.run(FAIL, ['k'], []).catch((error: Error) => String(error.message))) as string,
      );
    }
    expect(messages.filter((message) => message.startsWith('OOM')).length).toBeLessThan(8);
    expect(messages.at(-1)).toContain('it is failing');
    await until(() => echo(link, 'a').catch(() => false));
    expect(await echo(link, 'b')).toBe('b');
  });

  it('lets no more calls be under way than it was told', async () => {
    const server = await aServer();
    const link = await aLink({ url: server.url, maxPending: 10 });
    server.pause();
    const calls = Array.from({ length: 30 }, () => timed(echo(link, 'a')));
    expect(link.snapshot().pending).toBe(10);
    const refused = await Promise.all(calls.slice(10));
    for (const { result } of refused) expect((result as Error).message).toContain('10 calls are under way');
    server.resume();
    for (const { result } of await Promise.all(calls.slice(0, 10))) expect(result).toBe('a');
  });

  it('says why when it may not connect', async () => {
    const server = await aServer(['--requirepass', 'secret']);
    const link = await aLink({ url: server.url, connectMs: 200 });
    const { result } = await timed(echo(link, 'a'));
    expect((result as Error).message).toMatch(/NOAUTH|Authentication/i);
    expect((result as Error).message).not.toContain('secret');
    const allowed = await aLink({ url: `redis://:secret@127.0.0.1:${server.port}` });
    expect(await echo(allowed, 'a')).toBe('a');
  });

  it('takes over the settings of a client, not its connection', async () => {
    const server = await aServer();
    const client = new Redis(server.port, { db: 3 });
    owned.push(async () => client.disconnect());
    const link = await aLink({ client });
    await link.run(scriptOf('set', "return redis.call('SET', KEYS[1], 'x')"), ['where'], []);
    await link.close();
    expect(await client.get('where')).toBe('x');
  });

  it('closes, and fails what is under way', async () => {
    const server = await aServer();
    const link = await aLink({ url: server.url });
    server.pause();
    const call = timed(echo(link, 'a'));
    await link.close();
    await link.close();
    expect((await call).result).toBeInstanceOf(Error);
    expect(await echo(link, 'b').catch((error: Error) => error.message)).toContain('closed');
  });

  it('refuses impossible options', async () => {
    await expect(createLink({})).rejects.toThrow('one of url and client must be given');
    await expect(createLink({ url: 'http://a' })).rejects.toThrow('protocol of url must be one of redis:');
    await expect(createLink({ url: [] })).rejects.toThrow('url must name at least one node');
    await expect(createLink({ client: {} as never })).rejects.toThrow('client must be a client or Cluster');
  });
});
