import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Client } from '../../../src/client/index.js';
import { until } from '../server/guarded-server.js';
import { Fleet, statesOf } from './fleet.js';
import { HandResolver } from './hand-resolver.js';

const fleet = new Fleet();
afterEach(() => fleet.stop());

const PLAIN = { health: false, policy: 'round-robin', throttle: false } as const;

/** A server of raw sockets. */
async function raw(onSocket: (socket: Socket) => void): Promise<{ url: string; accepted: () => number }> {
  let accepted = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    accepted++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    onSocket(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  fleet.owns(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, accepted: () => accepted };
}

function active(client: Client): number {
  return client.snapshot().active;
}

describe('a port that accepts connections only to close them', () => {
  it.each([
    ['at once', (socket: Socket) => void socket.destroy()],
    ['after a moment', (socket: Socket) => void setTimeout(() => socket.resetAndDestroy(), 5)],
  ])('%s, is tried as rarely as one that refuses', async (_name, onSocket) => {
    const { url, accepted } = await raw(onSocket);
    const client = fleet.client({ ...PLAIN, backends: [url] });
    await until(() => statesOf(client)[url] === 'refusing');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    // 100, 160, 256, 410 ms … each up to twice as often.
    expect(accepted()).toBeLessThan(12);
  });
});

describe('a request that was given up', () => {
  it('counts as active until its connection has come or failed', async () => {
    // Nobody accepts: the connections that fit into the backlog are all there will be.
    const { url } = await raw(() => {});
    const client = fleet.client({
      ...PLAIN,
      backends: [url],
      roster: { activeLimit: 4, outliers: false },
      connections: { perBackend: 1 },
      waiting: { maxWaitMs: 1 },
    });
    await until(() => statesOf(client)[url] === 'ready');
    const codes = await Promise.all(
      Array.from({ length: 30 }, () => client.fetch('/', { timeoutMs: 20 }).catch(({ code }) => code)),
    );
    expect(new Set(codes)).toEqual(new Set(['PLIMSOLL_DEADLINE', 'PLIMSOLL_ALL_BUSY']));
    expect(active(client)).toBeLessThanOrEqual(4);
    // The first was sent, and the others behind it wait for its connection.
    await client.destroy();
    expect(active(client)).toBe(0);
  });
});

describe('an answer that nobody wants', () => {
  it('counts as active while it comes, is cut after a second, and does not keep a client from closing', async () => {
    const server = await fleet.plain((_req, res) => {
      res.writeHead(503, { 'x-envoy-overloaded': 'true', 'grpc-retry-pushback-ms': '-1' });
      res.write('and so on');
    });
    const client = fleet.client({ ...PLAIN, backends: [server.url] });
    await expect(client.fetch('/')).rejects.toMatchObject({ code: 'PLIMSOLL_DONT_RETRY' });
    expect(active(client)).toBe(1);
    await until(() => active(client) === 0);
    await client.close();
  });

  it('is no different when the caller wants it: a 500 that goes on', async () => {
    const finish: (() => void)[] = [];
    const server = await fleet.plain((_req, res) => {
      res.statusCode = 500;
      res.write('wait');
      finish.push(() => res.end());
    });
    const client = fleet.client({
      ...PLAIN,
      backends: [server.url],
      retry: false,
      roster: { activeLimit: 2 },
    });
    const first = await client.fetch('/');
    const second = await client.fetch('/');
    expect(active(client)).toBe(2);
    await expect(client.fetch('/')).rejects.toMatchObject({ code: 'PLIMSOLL_ALL_BUSY' });
    for (const end of finish) end();
    await Promise.all([first.text(), second.text()]);
    expect(active(client)).toBe(0);
  });
});

describe("a caller's own mistakes", () => {
  it('cost nobody anything: no permit, no backend, no other request', async () => {
    const server = await fleet.plain((_req, res) => void res.end('ok'));
    const resolver = new HandResolver();
    const client = fleet.client({ ...PLAIN, backends: resolver });
    const early = [
      client.fetch('/', { customer: 42 as never }).catch((error: Error) => error.message),
      client.fetch('/').then((answer) => answer.text()),
    ];
    resolver.set(server.url);
    expect(await Promise.all(early)).toEqual(['customer must be a string, got 42', 'ok']);
    for (let i = 0; i < 20; i++) {
      await expect(client.request('/?a=1', { query: { b: 2 } })).rejects.toThrow();
      await expect(
        client.request('/', {
          method: 'PUT',
          body: (async function* () {
            yield { no: 'chunk' } as never;
          })() as never,
        }),
      ).rejects.toThrow();
    }
    await expect(client.request('http://evil.test/')).rejects.toThrow('path must begin with a slash');
    await until(() => active(client) === 0 && statesOf(client)[server.url] === 'ready');
    const { outcomes } = client.snapshot().counts;
    expect(outcomes['connect-failed'] + outcomes.broken).toBe(0);
    expect(await (await client.fetch('/')).text()).toBe('ok');
  });

  it('in a policy end the request, once', async () => {
    const server = await fleet.plain((_req, res) => void res.end('ok'));
    const client = fleet.client({
      ...PLAIN,
      backends: [server.url],
      policy: () => ({
        enlist: (backend) => ({ backend }),
        adopt: () => {},
        choose: () => {
          throw new Error('no idea');
        },
        onDone: () => {},
      }),
    });
    await until(() => statesOf(client)[server.url] === 'ready');
    await expect(client.request('/', { timeoutMs: 1_000 })).rejects.toThrow('no idea');
    expect(active(client)).toBe(0);
    await client.close();
  });
});

describe('a list that makes no sense', () => {
  it('is taken as far as it does, and what was there stays', async () => {
    const [a, b] = await Promise.all(
      ['a', 'b'].map((name) => fleet.plain((_req, res) => void res.end(name))),
    );
    const resolver = new HandResolver([a!.url]);
    const client = fleet.client({ ...PLAIN, backends: resolver });
    await (await client.fetch('/')).text();
    resolver.set(
      { url: b!.url },
      { url: 'zzz' },
      { url: b!.url },
      { url: 'http://u:p@127.0.0.1:1' },
      { url: 'ftp://x' },
    );
    await until(() => statesOf(client)[b!.url] === 'ready');
    expect(statesOf(client)).toEqual({ [b!.url]: 'ready' });
    expect(client.snapshot().resolverError).toContain('left out');
    expect(await (await client.fetch('/')).text()).toBe('b');
    resolver.set({ url: 'zzz' });
    expect(await (await client.fetch('/')).text()).toBe('b');
    resolver.set(b!.url);
    expect(client.snapshot().resolverError).toBeUndefined();
  });
});

describe('the only backend', () => {
  it('is waited for while it is tried again after a connection broke', async () => {
    let breaking: Socket | undefined;
    const server = await fleet.guarded((req, res) => {
      if (req.url === '/break') {
        breaking = req.socket;
        req.socket.destroy();
      } else res.end('ok');
    });
    const client = fleet.client({ backends: [server.url] });
    await (await client.fetch('/')).text();
    await until(() => (client.snapshot().backends[0]!.health as { state?: string }).state === 'ready');
    const broken = client.fetch('/break', { method: 'POST' }).catch(() => 'broken');
    await until(() => breaking?.destroyed === true);
    const answers = await Promise.all(
      Array.from({ length: 10 }, async () => (await client.fetch('/')).text()),
    );
    expect(answers).toEqual(Array.from({ length: 10 }, () => 'ok'));
    expect(await broken).toBe('broken');
  });
});

describe('the end', () => {
  it('by destroy leaves nobody waiting and no socket open', async () => {
    const server = await fleet.plain(() => {});
    const client = fleet.client({
      ...PLAIN,
      backends: [server.url],
      roster: { activeLimit: 1 },
      waiting: { maxWaitMs: 60_000 },
    });
    const requests = [client.fetch('/'), client.fetch('/'), client.fetch('/')];
    await until(() => client.snapshot().waiting === 2);
    const ends = Promise.allSettled(requests);
    await client.destroy();
    expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    await until(() => server.sockets.size === 0);
  });

  it('gives a number back once, and closes a resolver once', async () => {
    let released = 0;
    const resolver = new HandResolver(['http://127.0.0.1:1']);
    const client = fleet.client({
      ...PLAIN,
      backends: resolver,
      clientId: { lease: async () => ({ id: 1, release: () => void released++ }) },
    });
    await until(() => client.snapshot().backends.length === 1);
    await client.close();
    await client.destroy();
    expect([released, resolver.closed]).toEqual([1, 1]);
  });
});

it('zones that are gone are forgotten', async () => {
  const server = await fleet.plain((_req, res) => void res.end('ok'));
  const resolver = new HandResolver();
  const client = fleet.client({ ...PLAIN, backends: resolver, localities: { own: 'a' } });
  for (let i = 0; i < 50; i++) resolver.set({ url: server.url, zone: `zone-${i}` });
  resolver.set({ url: server.url, zone: 'a' });
  expect(await (await client.fetch('/')).text()).toBe('ok');
  await until(() => client.snapshot().localities!.localities.length === 1);
});
