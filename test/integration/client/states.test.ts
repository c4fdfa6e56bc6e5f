import { afterEach, describe, expect, it } from 'vitest';
import { serve } from '../../../src/server/index.js';
import { until } from '../server/guarded-server.js';
import { Fleet, PlainServer, statesOf } from './fleet.js';
import { HandResolver } from './hand-resolver.js';

const fleet = new Fleet();
afterEach(() => fleet.stop());

describe('connections', () => {
  it('are opened when the client is made, one to each backend, and used for the first requests', async () => {
    const servers = await Promise.all([1, 2, 3].map(() => fleet.plain((_req, res) => void res.end('ok'))));
    const client = fleet.client({ backends: servers.map(({ url }) => url), health: false });
    await until(() => servers.every(({ connections }) => connections === 1));
    await until(() => client.snapshot().states.ready === 3);
    for (let i = 0; i < 6; i++) await (await client.fetch('/')).text();
    expect(servers.map(({ connections }) => connections)).toEqual([1, 1, 1]);
  });

  it('are waited for by the first requests, and not when there is no hope', async () => {
    const server = await fleet.plain((_req, res) => void res.end('ok'));
    const resolver = new HandResolver();
    const client = fleet.client({ backends: resolver, health: false });
    const early = client.fetch('/');
    await until(() => client.snapshot().waiting === 1);
    resolver.set(server.url);
    expect((await early).status).toBe(200);
    const hopeless = fleet.client({ backends: ['http://127.0.0.1:1'], health: false });
    await expect(hopeless.fetch('/')).rejects.toMatchObject({ code: 'PLIMSOLL_NO_BACKEND' });
    const lost = new HandResolver();
    const third = fleet.client({ backends: lost, health: false, startTimeoutMs: 100 });
    const waiting = third.fetch('/');
    lost.fail('nobody knows');
    expect(third.snapshot().waiting).toBe(1);
    await expect(waiting).rejects.toMatchObject({ code: 'PLIMSOLL_NO_BACKEND' });
    expect(third.snapshot().resolverError).toBe('nobody knows');
  });

  for (const perBackend of [Number.POSITIVE_INFINITY, 50]) {
    // With a bound undici has the connections, and ends them in its own way.
    it(`ended by a request that took too long accuse nobody, ${perBackend === 50 ? "undici's" : 'our own'}`, async () => {
      const server = await fleet.plain((req, res) => {
        if (req.url !== '/slow') res.end('ok');
      });
      const client = fleet.client({
        backends: [server.url],
        health: false,
        retry: false,
        connections: { headersTimeoutMs: 100, perBackend },
      });
      const states = new Set<string>();
      await until(() => client.snapshot().states.ready === 1);
      const slow = client.fetch('/slow');
      slow.catch(() => {});
      await expect(slow).rejects.toThrow();
      // The connection was new, and nothing had been answered on it.
      await until(() => {
        states.add(statesOf(client)[server.url]!);
        return server.connections === 2;
      });
      expect((await client.fetch('/')).status).toBe(200);
      expect([...states]).toEqual(['ready']);
    });
  }

  it('are tried again when a backend that was gone comes back', async () => {
    const server = await PlainServer.start((_req, res) => void res.end('ok'));
    fleet.owns(() => server.stop());
    const resolver = new HandResolver([server.url]);
    const client = fleet.client({ backends: resolver, health: false });
    await (await client.fetch('/')).text();
    await server.stop();
    await until(() => statesOf(client)[server.url] === 'refusing');
    expect(resolver.refreshes).toBeGreaterThan(0);
    await expect(client.fetch('/')).rejects.toMatchObject({ code: 'PLIMSOLL_NO_BACKEND' });
    await server.listen();
    await until(() => statesOf(client)[server.url] === 'ready');
    expect((await client.fetch('/')).status).toBe(200);
  });

  it('to a backend that is taken off the list end with its last request, and no earlier', async () => {
    let finish!: () => void;
    const leaving = await fleet.plain((_req, res) => {
      finish = () => res.end('late');
    });
    const staying = await fleet.plain((_req, res) => void res.end('ok'));
    const resolver = new HandResolver([leaving.url]);
    const client = fleet.client({ backends: resolver, health: false });
    const running = client.fetch('/');
    await until(() => leaving.requests === 1);
    resolver.set(staying.url);
    await until(() => statesOf(client)[staying.url] === 'ready');
    expect(statesOf(client)).toEqual({ [staying.url]: 'ready' });
    expect(await (await client.fetch('/')).text()).toBe('ok');
    expect(leaving.sockets.size).toBe(1);
    finish();
    expect(await (await running).text()).toBe('late');
    await until(() => leaving.sockets.size === 0);
  });

  it('carry no more than so many requests at a backend: others wait for a while, then hear why', async () => {
    const finish: (() => void)[] = [];
    const server = await fleet.plain((_req, res) => void finish.push(() => res.end('ok')));
    const client = fleet.client({
      backends: [server.url],
      health: false,
      roster: { activeLimit: 2 },
      waiting: { maxWaitMs: 200 },
    });
    const first = [client.fetch('/'), client.fetch('/')];
    await until(() => finish.length === 2);
    const third = client.fetch('/');
    const fourth = client.fetch('/');
    expect(client.snapshot()).toMatchObject({ active: 2, waiting: 2 });
    finish[0]!();
    expect((await first[0]!).status).toBe(200);
    await until(() => finish.length === 3);
    await expect(fourth).rejects.toMatchObject({ code: 'PLIMSOLL_ALL_BUSY' });
    finish[1]!();
    finish[2]!();
    expect((await third).status).toBe(200);
    await until(() => client.snapshot().active === 0);
  });
});

describe('a lame duck', () => {
  it('is left alone once it says so in an answer, and used again when it is back', async () => {
    let isLame = false;
    const duck = await PlainServer.start((_req, res) => {
      if (isLame) res.setHeader('x-envoy-immediate-health-check-fail', 'true');
      res.end('duck');
    });
    fleet.owns(() => duck.stop());
    const other = await fleet.plain((_req, res) => void res.end('other'));
    const client = fleet.client({ backends: [duck.url, other.url], health: false, policy: 'round-robin' });
    await until(() => client.snapshot().states.ready === 2);
    isLame = true;
    for (let i = 0; i < 4; i++) await (await client.fetch('/')).text();
    expect(duck.requests).toBe(1);
    expect(statesOf(client)[duck.url]).toBe('lame-duck');
    for (let i = 0; i < 4; i++) expect(await (await client.fetch('/')).text()).toBe('other');
    isLame = false;
    await duck.stop();
    await until(() => statesOf(client)[duck.url] === 'refusing');
    await duck.listen();
    await until(() => statesOf(client)[duck.url] === 'ready');
  });

  it('is heard of without a request, its answers under way still come, and its connections are let go', async () => {
    let finish!: () => void;
    const duck = await fleet.guarded((_req, res) => {
      finish = () => res.end('late');
    });
    const client = fleet.client({ backends: [duck.url] });
    const running = client.fetch('/');
    await until(() => duck.guard.snapshot().inFlight === 1);
    // This one has no UDP: a stream of lines tells.
    await until(() => (client.snapshot().backends[0]!.health as { via: string }).via === 'http');
    duck.guard.lameDuck();
    await until(() => statesOf(client)[duck.url] === 'lame-duck');
    await expect(client.fetch('/')).rejects.toMatchObject({ code: 'PLIMSOLL_NO_BACKEND' });
    finish();
    expect(await (await running).text()).toBe('late');
    await until(() => client.snapshot().backends[0]!.connections === 0);
  });

  it('is what a resolver says it is', async () => {
    const server = await fleet.plain((_req, res) => void res.end('ok'));
    const resolver = new HandResolver([server.url]);
    const client = fleet.client({ backends: resolver, health: false });
    await until(() => statesOf(client)[server.url] === 'ready');
    resolver.set({ url: server.url, state: 'lame-duck' });
    expect(statesOf(client)[server.url]).toBe('lame-duck');
    resolver.set({ url: server.url, state: 'ready' });
    expect((await client.fetch('/')).status).toBe(200);
  });

  it('exits as soon as its clients have let go', async () => {
    const server = await serve((_req, res) => void res.end('ok'), {
      port: 0,
      host: '127.0.0.1',
      signals: {},
    });
    const client = fleet.client({ backends: [`http://127.0.0.1:${server.port}`] });
    await (await client.fetch('/')).text();
    await until(() => (client.snapshot().backends[0]!.health as { via: string }).via === 'udp');
    const startedMs = performance.now();
    await server.guard.drain({ timeoutMs: 20_000 });
    expect(performance.now() - startedMs).toBeLessThan(15_000);
  });
});

describe('a starting backend', () => {
  it('is connected to, and sent nothing before it is ready', async () => {
    let served = 0;
    const slow = await fleet.guarded((_req, res) => void res.end(`${++served}`), { starting: true });
    const fast = await fleet.guarded((_req, res) => void res.end('fast'));
    const client = fleet.client({ backends: [slow.url, fast.url] });
    await until(() => statesOf(client)[slow.url] === 'connecting' && slow.sockets.size > 0);
    for (let i = 0; i < 10; i++) await (await client.fetch('/')).text();
    expect(served).toBe(0);
    slow.guard.ready();
    await until(() => statesOf(client)[slow.url] === 'ready');
    for (let i = 0; i < 20; i++) await (await client.fetch('/')).text();
    expect(served).toBeGreaterThan(0);
  });
});

describe('a subset', () => {
  it('is what the client keeps connections to; who is gone is replaced, and has its place back', async () => {
    const servers = await Promise.all(
      Array.from({ length: 6 }, () => PlainServer.start((_req, res) => void res.end('ok'))),
    );
    for (const server of servers) fleet.owns(() => server.stop());
    const client = fleet.client({
      backends: servers.map(({ url }) => url),
      health: false,
      clientId: 0,
      subset: { size: 2 },
    });
    await until(() => client.snapshot().states.ready === 2);
    expect(servers.filter(({ connections }) => connections > 0)).toHaveLength(2);
    const [mine] = client.snapshot().backends;
    const gone = servers.find(({ url }) => url === mine!.url)!;
    await gone.stop();
    await until(() => client.snapshot().states.ready === 2 && statesOf(client)[gone.url] === 'refusing');
    for (let i = 0; i < 5; i++) expect((await client.fetch('/')).status).toBe(200);
    await gone.listen();
    await until(() => statesOf(client)[gone.url] === 'ready' && client.snapshot().backends.length === 2);
  });

  it('says so when it is drawn by lot, and needs a number for the others', async () => {
    const warnings: string[] = [];
    const onWarning = (warning: Error) => warnings.push((warning as { code?: string }).code ?? '');
    process.on('warning', onWarning);
    fleet.client({
      backends: Array.from({ length: 5 }, (_, i) => `http://127.0.0.1:${i + 1}`),
      health: false,
      subset: { size: 2 },
    });
    await until(() => warnings.includes('PLIMSOLL_NO_CLIENT_ID'));
    process.off('warning', onWarning);
    expect(() =>
      fleet.client({ backends: ['http://127.0.0.1:1'], subset: { algorithm: 'deterministic' } }),
    ).toThrow('deterministic subsets need a clientId');
  });
});

describe('localities', () => {
  it('are used nearest first; what is gone there goes to the next', async () => {
    const near = await PlainServer.start((_req, res) => void res.end('near'));
    fleet.owns(() => near.stop());
    const far = await fleet.plain((_req, res) => void res.end('far'));
    const client = fleet.client({
      backends: [
        { url: near.url, zone: 'a' },
        { url: far.url, zone: 'b' },
      ],
      health: false,
      localities: { own: 'a' },
    });
    await until(() => client.snapshot().states.ready === 2);
    for (let i = 0; i < 10; i++) expect(await (await client.fetch('/')).text()).toBe('near');
    await near.stop();
    await until(() => statesOf(client)[near.url] === 'refusing');
    for (let i = 0; i < 10; i++) expect(await (await client.fetch('/')).text()).toBe('far');
  });

  it('are never sent more than they have room for: the rest spills over, then is refused', async () => {
    const near = await fleet.plain((_req, res) => void res.end('near'));
    const far = await fleet.plain((_req, res) => void res.end('far'));
    const client = fleet.client({
      backends: [
        { url: near.url, zone: 'a' },
        { url: far.url, zone: 'b' },
      ],
      health: false,
      localities: { own: 'a', capacityPerBackend: 20 },
    });
    await until(() => client.snapshot().states.ready === 2);
    const answers = await Promise.allSettled(Array.from({ length: 60 }, () => client.fetch('/')));
    expect(near.requests).toBeLessThanOrEqual(20);
    expect(far.requests).toBeLessThanOrEqual(20);
    expect(near.requests + far.requests).toBeGreaterThanOrEqual(38);
    const refused = answers.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    expect(refused.length).toBeGreaterThanOrEqual(20);
    expect(refused.every(({ reason }) => reason.code === 'PLIMSOLL_NO_CAPACITY')).toBe(true);
  });
});
