import { afterEach, describe, expect, it } from 'vitest';
import type { Backend, IndexSet, Policy } from '../../../src/core/index.js';
import { type Guard, serve } from '../../../src/server/index.js';
import { until } from '../server/guarded-server.js';
import { Fleet, statesOf } from './fleet.js';

const fleet = new Fleet();
afterEach(() => fleet.stop());

/** One that answers health checks by UDP. */
async function served(name: string): Promise<{ url: string; guard: Guard }> {
  const { port, guard } = await serve((_req, res) => void res.end(name), {
    port: 0,
    host: '127.0.0.1',
    signals: {},
  });
  fleet.owns(() => guard.drain({ timeoutMs: 0 }));
  return { url: `http://127.0.0.1:${port}`, guard };
}

async function ask(fetch: (path: string) => Promise<{ text(): Promise<string> }>, times: number) {
  const counts: Record<string, number> = {};
  for (let i = 0; i < times; i++) {
    const name = await (await fetch('/')).text();
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

describe('policies', () => {
  it.each(['round-robin', 'least-loaded', 'weighted', 'prequal'] as const)(
    '%s, by its name',
    async (policy) => {
      const servers = await Promise.all([
        fleet.plain((_req, res) => void res.end('a')),
        fleet.plain((_req, res) => void res.end('b')),
      ]);
      const client = fleet.client({ backends: servers.map(({ url }) => url), policy });
      await until(() => client.snapshot().states.ready === 2);
      const counts = await ask((path) => client.fetch(path), 60);
      expect(counts['a']! + counts['b']!).toBe(60);
      expect(counts['a']).toBeGreaterThan(5);
      expect(counts['b']).toBeGreaterThan(5);
    },
  );

  it('one of your own', async () => {
    class Always implements Policy {
      #entries: readonly { backend: Backend }[] = [];
      enlist(backend: Backend) {
        return { backend };
      }
      adopt(entries: readonly { backend: Backend }[], _open: IndexSet) {
        this.#entries = entries;
      }
      choose() {
        return this.#entries.find(({ backend }) => backend.key.endsWith('/') || backend.ordinal === 0)!;
      }
      onDone() {}
    }
    const servers = await Promise.all([
      fleet.plain((_req, res) => void res.end('a')),
      fleet.plain((_req, res) => void res.end('b')),
    ]);
    for (const policy of [new Always(), () => new Always()]) {
      const client = fleet.client({ backends: servers.map(({ url }) => url), health: false, policy });
      await until(() => client.snapshot().states.ready === 2);
      expect(Object.keys(await ask((path) => client.fetch(path), 10))).toHaveLength(1);
    }
    expect(() =>
      fleet.client({ backends: [servers[0]!.url], policy: new Always(), localities: { own: 'a' } }),
    ).toThrow('policy must be a name or a function');
  });

  it('one that throws ends the request that asked it, also when that had waited, and no other', async () => {
    let entries: readonly { backend: Backend }[] = [];
    let isBroken = false;
    const policy: Policy = {
      enlist: (backend: Backend) => ({ backend }),
      adopt: (all: readonly { backend: Backend }[]) => {
        entries = all;
      },
      choose: () => {
        if (isBroken) throw new Error('an impossible policy');
        return entries[0]!;
      },
      onDone: () => {},
    };
    const held: (() => void)[] = [];
    const { url } = await fleet.plain((_req, res) => void held.push(() => res.end('fine')));
    const waiting = { maxWaitMs: 60_000 };
    const client = fleet.client({
      backends: [url],
      policy,
      retry: false,
      roster: { activeLimit: 1 },
      waiting,
    });
    const first = client.fetch('/').then((answer) => answer.text());
    await until(() => held.length === 1);
    const second = client.fetch('/').catch((error: Error) => error);
    await until(() => client.snapshot().waiting === 1);
    isBroken = true;
    held[0]!();
    expect(await first).toBe('fine');
    expect(String(((await second) as Error).cause ?? (await second))).toMatch('an impossible policy');
    expect(client.snapshot().waiting).toBe(0);
  });

  it('weighted follows what backends report with their answers', async () => {
    const busy = await fleet.plain((_req, res) => {
      res.setHeader('endpoint-load-metrics', 'TEXT application_utilization=0.9,rps_fractional=100');
      res.end('busy');
    });
    const idle = await fleet.plain((_req, res) => {
      res.setHeader('endpoint-load-metrics', 'TEXT application_utilization=0.3,rps_fractional=100');
      res.end('idle');
    });
    const client = fleet.client({
      backends: [busy.url, idle.url],
      health: false,
      policy: { name: 'weighted', blackoutMs: 0, updateMs: 50 },
    });
    await until(() => client.snapshot().states.ready === 2);
    await ask((path) => client.fetch(path), 20);
    await new Promise((resolve) => setTimeout(resolve, 120));
    const counts = await ask((path) => client.fetch(path), 100);
    expect(counts['idle']).toBeGreaterThan(1.8 * counts['busy']!);
    expect(client.snapshot().backends.find(({ url }) => url === busy.url)!.report).toMatchObject({
      applicationUtilization: 0.9,
    });
  });

  it('prequal asks by UDP, and prefers who has less in flight', async () => {
    const servers = [await served('a'), await served('b'), await served('c')];
    const client = fleet.client({
      backends: servers.map(({ url }) => url),
      policy: { name: 'prequal', probeTimeoutMs: 500 },
    });
    await until(() =>
      client
        .snapshot()
        .backends.every(({ health }) => (health as { via: string } | undefined)?.via === 'udp'),
    );
    const sentBefore = client
      .snapshot()
      .backends.reduce((sum, { health }) => sum + (health as { answered: number }).answered, 0);
    await ask((path) => client.fetch(path), 100);
    const sentAfter = client
      .snapshot()
      .backends.reduce((sum, { health }) => sum + (health as { answered: number }).answered, 0);
    // Three a request, as the paper has it; the last of them may be on their way.
    expect(sentAfter - sentBefore).toBeGreaterThan(200);
  });

  it('eject who only fails, and do without that when all do', async () => {
    const isFailing = new Set<string>(['bad']);
    const server = (name: string) =>
      fleet.plain((_req, res) => {
        if (isFailing.has(name)) res.statusCode = 500;
        res.end(name);
      });
    const servers = await Promise.all(['bad', 'b', 'c'].map(server));
    const client = fleet.client({
      backends: servers.map(({ url }) => url),
      health: false,
      policy: 'round-robin',
      retry: false,
      throttle: false,
    });
    await until(() => client.snapshot().states.ready === 3);
    await ask((path) => client.fetch(path), 30);
    expect(statesOf(client)[servers[0]!.url]).toBe('ejected');
    expect(servers[0]!.requests).toBeLessThanOrEqual(10);
    const counts = await ask((path) => client.fetch(path), 30);
    expect(counts['bad']).toBeUndefined();
    isFailing.add('b').add('c');
    const failing = await ask((path) => client.fetch(path), 60);
    // One in three at most is ejected, so there is always somebody to ask.
    expect(failing['b']! + failing['c']!).toBe(60);
  });
});

describe('an idle client', () => {
  it('drops its connections, still hears of a lame duck, and is back when it is needed', async () => {
    const { url, guard } = await served('a');
    const other = await served('b');
    const client = fleet.client({
      backends: [url, other.url],
      connections: { idleMs: 300, inactiveMs: 300 },
    });
    await until(() => client.snapshot().states.ready === 2);
    await ask((path) => client.fetch(path), 4);
    await until(() => client.snapshot().backends.every(({ connections }) => connections === 0));
    expect(client.snapshot().states.ready).toBe(2);
    const sent = () =>
      client.snapshot().backends.reduce((sum, { health }) => sum + (health as { sent: number }).sent, 0);
    const before = sent();
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    // Two backends in two seconds: four checks, and more, when it is active.
    expect(sent() - before).toBeLessThanOrEqual(2);
    guard.lameDuck();
    await until(() => statesOf(client)[url] === 'lame-duck');
    expect(await ask((path) => client.fetch(path), 4)).toEqual({ b: 4 });
  });
});
