import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DnsResolverOptions, dnsResolver, type Resolver } from '../../../src/client/resolving/index.js';
import { Heard } from '../../../src/client/resolving/listener.contract.js';
import { DnsServer } from './dns-server.js';
import { until } from './until.js';

let server: DnsServer;
let resolver: Resolver | undefined;
let heard: Heard;

/** Short times, so that tests are: the ratios are those of the defaults. */
const FAST = {
  minTtlMs: 20,
  maxTtlMs: 60,
  intervalMs: 50,
  retryMinMs: 40,
  retryMaxMs: 200,
  timeoutMs: 2_000,
};

beforeEach(async () => {
  server = await DnsServer.start();
  heard = new Heard();
});

afterEach(async () => {
  resolver?.close();
  resolver = undefined;
  await server.close();
});

function follow(options: Partial<DnsResolverOptions> = {}): void {
  resolver = dnsResolver('http://orders.internal:8080', { servers: [server.address], ...FAST, ...options });
  resolver.start(heard);
}

/** So many questions more have been asked: what they brought has been told, all but the last. */
async function untilAsked(more: number): Promise<void> {
  const before = server.questions.length;
  await until(`${more} more questions`, () => server.questions.length >= before + more);
}

describe('a name', () => {
  it('is a backend for each address, of both families', async () => {
    server.set('A', 'orders.internal', ['10.0.0.2', '10.0.0.1']);
    server.set('AAAA', 'orders.internal', ['2001:db8::1']);
    follow();
    await until('backends', () => heard.lists.length > 0);
    expect(heard.lists[0]).toEqual([
      { url: 'http://10.0.0.1:8080', host: 'orders.internal:8080' },
      { url: 'http://10.0.0.2:8080', host: 'orders.internal:8080' },
      { url: 'http://[2001:db8::1]:8080', host: 'orders.internal:8080' },
    ]);
    expect(resolver!.name).toBe('dns');
  });

  it('is asked for again, and what changes is told, once', async () => {
    server.set('A', 'orders.internal', ['10.0.0.1']);
    follow({ family: 4 });
    await until('backends', () => heard.lists.length > 0);
    await untilAsked(5);
    expect(heard.lists).toHaveLength(1);
    server.set('A', 'orders.internal', ['10.0.0.1', '10.0.0.2']);
    await until('the change', () => heard.urls?.length === 2);
    server.set('A', 'orders.internal', ['10.0.0.2', '10.0.0.1']);
    await untilAsked(5);
    expect(heard.lists).toHaveLength(2);
    expect(heard.errors).toEqual([]);
    expect(server.questions.every((question) => question === 'A orders.internal')).toBe(true);
  });

  it('is asked for when its answer has run out, not before', async () => {
    server.set('A', 'orders.internal', [{ data: '10.0.0.1', ttlSeconds: 3_600 }]);
    follow({ family: 4, maxTtlMs: 600_000 });
    await until('backends', () => heard.lists.length > 0);
    await sleep(300);
    expect(server.questions).toHaveLength(1);
  });

  it.each(['silent', 'server-failure', 'garbage', 'truncated-records'] as const)(
    'keeps its last answer while the name server is %s, and is not asked for in a storm',
    async (manner) => {
      server.set('A', 'orders.internal', ['10.0.0.1']);
      follow({ family: 4, timeoutMs: 300 });
      await until('backends', () => heard.lists.length > 0);
      server.manner = manner;
      await until('errors', () => heard.errors.length >= 2);
      const asked = server.questions.length;
      const failed = heard.errors.length;
      await until('more errors', () => heard.errors.length >= failed + 2);
      // Two tries of each; and the one that is under way.
      expect(server.questions.length - asked).toBeLessThanOrEqual(2 * (heard.errors.length - failed + 1));
      expect(heard.lists).toHaveLength(1);
      server.manner = 'right';
      server.set('A', 'orders.internal', ['10.0.0.9']);
      await until('the answer after', () => heard.urls?.[0] === 'http://10.0.0.9:8080');
    },
  );

  it('is asked for less and less while that fails', async () => {
    server.manner = 'server-failure';
    follow({ family: 4, retryMinMs: 50, retryMaxMs: 60_000 });
    const beganMs = performance.now();
    await until('five failures', () => heard.errors.length >= 5);
    // Half of 50, 100, 200 and 400 at least.
    expect(performance.now() - beganMs).toBeGreaterThan(370);
  });

  it('costs no more than the timeout where nobody answers, of however many', async () => {
    const servers = await Promise.all([1, 2, 3, 4].map(() => DnsServer.start()));
    for (const each of servers) each.manner = 'silent';
    const addresses = servers.map(({ address }) => address);
    follow({ servers: addresses, timeoutMs: 800, retryMinMs: 60_000, retryMaxMs: 60_000 });
    const beganMs = performance.now();
    await until('the error', () => heard.errors.length > 0);
    // Twice each, one after the other, would be 1.6 s at least; what is more than the timeout is for a machine that pauses.
    expect(performance.now() - beganMs).toBeLessThan(800 + 600);
    expect(heard.errors[0]!.message).toMatch(/^orders.internal:8080: /);
    for (const each of servers) await each.close();
  });

  it('that is gone keeps its last answer, unless that is to be believed', async () => {
    server.set('A', 'orders.internal', ['10.0.0.1']);
    follow();
    await until('backends', () => heard.lists.length > 0);
    server.delete('A', 'orders.internal');
    await until('errors', () => heard.errors.length >= 2);
    expect(heard.errors[0]!.message).toContain('via: lookup asks the system, with its hosts file');
    expect(heard.lists).toHaveLength(1);
    resolver!.close();

    heard = new Heard();
    server.set('A', 'orders.internal', ['10.0.0.1']);
    follow({ trustEmpty: true });
    await until('backends', () => heard.lists.length > 0);
    server.delete('A', 'orders.internal');
    await until('none', () => heard.urls?.length === 0);
    expect(heard.errors).toEqual([]);
  });

  it('needs one family only, and keeps what it knows of the other', async () => {
    server.set('A', 'orders.internal', ['10.0.0.1']);
    server.set('AAAA', 'orders.internal', ['2001:db8::1']);
    follow();
    await until('both', () => heard.urls?.length === 2);
    server.manners.set('AAAA orders.internal', 'server-failure');
    server.set('A', 'orders.internal', ['10.0.0.2']);
    await until('the change', () => heard.urls?.[0] === 'http://10.0.0.2:8080');
    expect(heard.urls).toEqual(['http://10.0.0.2:8080', 'http://[2001:db8::1]:8080']);
    server.manners.clear();
    server.delete('AAAA', 'orders.internal');
    await until('one family', () => heard.urls?.length === 1);
    expect(heard.errors).toEqual([]);
  });
});

describe('asked to look again', () => {
  it('a thousand times, it does once, and once after the gap', async () => {
    server.set('A', 'orders.internal', ['10.0.0.1']);
    follow({ family: 4, minTtlMs: 60_000, maxTtlMs: 60_000, refreshGapMs: 400 });
    await until('backends', () => heard.lists.length > 0);
    const beganMs = performance.now();
    while (performance.now() - beganMs < 1_000) {
      for (let i = 0; i < 100; i++) resolver!.refresh();
      await sleep(10);
    }
    expect(server.questions.length).toBeGreaterThanOrEqual(3);
    expect(server.questions.length).toBeLessThanOrEqual(2 + Math.ceil((performance.now() - beganMs) / 400));
    expect(server.mostInFlight).toBe(1);
  });

  it('while it looks, it asks nothing twice at the same time', async () => {
    server.set('A', 'orders.internal', ['10.0.0.1']);
    server.set('AAAA', 'orders.internal', ['2001:db8::1']);
    server.delayMs = 60;
    follow({ minTtlMs: 60_000, maxTtlMs: 60_000, refreshGapMs: 1 });
    for (let i = 0; i < 30; i++) {
      resolver!.refresh();
      await sleep(10);
    }
    await until('several looks', () => server.questions.length >= 6);
    // One for each family.
    expect(server.mostInFlight).toBe(2);
  });

  it('before it was started or after it was closed, it does nothing', async () => {
    resolver = dnsResolver('http://orders.internal', { servers: [server.address], ...FAST });
    resolver.refresh();
    await sleep(100);
    expect(server.questions).toEqual([]);
    resolver.close();
    resolver.refresh();
    expect(() => resolver!.start(heard)).toThrow('closed');
    await sleep(100);
    expect(server.questions).toEqual([]);
  });
});

it('asks and tells nothing after it was closed, whatever is under way', async () => {
  server.manner = 'silent';
  // The second try would come within half of it.
  follow({ family: 4, timeoutMs: 400 });
  await until('a question', () => server.questions.length === 1);
  resolver!.close();
  resolver!.close();
  await sleep(500);
  expect(server.questions).toHaveLength(1);
  expect(heard.lists).toEqual([]);
  expect(heard.errors).toEqual([]);
});

it('may ask the system, which knows the hosts file', async () => {
  resolver = dnsResolver('http://localhost:8080', { via: 'lookup', ...FAST });
  resolver.start(heard);
  await until('backends', () => heard.lists.length > 0);
  expect(heard.urls).toContainEqual(expect.stringMatching(/^http:\/\/(127\.0\.0\.1|\[::1\]):8080$/));
  expect(heard.lists[0]![0]!.host).toBe('localhost:8080');
});
