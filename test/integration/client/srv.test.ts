import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Resolver, type SrvResolverOptions, srvResolver } from '../../../src/client/resolving/index.js';
import { Heard } from '../../../src/client/resolving/listener.contract.js';
import { DnsServer } from './dns-server.js';
import { until } from './until.js';

let server: DnsServer;
let resolver: Resolver;
let heard: Heard;

/** Short times, so that tests are. */
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
  resolver.close();
  await server.close();
});

function follow(options: Partial<SrvResolverOptions> = {}): void {
  resolver = srvResolver('_http._tcp.orders.internal', { servers: [server.address], ...FAST, ...options });
  resolver.start(heard);
}

describe('SRV records', () => {
  const NAME = '_http._tcp.orders.internal';

  it('are backends with their ports, of the lowest priority number', async () => {
    server.set('SRV', NAME, [
      '10 8080 a.internal',
      '10 8081 a.internal',
      '10 8080 b.internal',
      '20 8080 c.internal',
    ]);
    server.set('A', 'a.internal', ['10.0.0.1']);
    server.set('A', 'b.internal', ['10.0.0.2']);
    server.set('A', 'c.internal', ['10.0.0.3']);
    follow({ protocol: 'https:' });
    await until('backends', () => heard.lists.length > 0);
    expect(heard.lists[0]).toEqual([
      { url: 'https://10.0.0.1:8080', host: 'a.internal:8080' },
      { url: 'https://10.0.0.1:8081', host: 'a.internal:8081' },
      { url: 'https://10.0.0.2:8080', host: 'b.internal:8080' },
    ]);
    expect(server.questions).not.toContain('A c.internal');
  });

  it('of the next priority are used when none of the first resolves, and the first again when they do', async () => {
    server.set('SRV', NAME, ['10 8080 a.internal', '20 8080 c.internal']);
    server.set('A', 'c.internal', ['10.0.0.3']);
    follow();
    await until('the second', () => heard.urls?.[0] === 'http://10.0.0.3:8080');
    server.set('A', 'a.internal', ['10.0.0.1']);
    await until('the first', () => heard.urls?.[0] === 'http://10.0.0.1:8080');
    server.delete('A', 'a.internal');
    await until('the second again', () => heard.urls?.[0] === 'http://10.0.0.3:8080');
  });

  it('keep the addresses of a target that cannot be asked for, and lose one that is gone', async () => {
    server.set('SRV', NAME, ['10 80 a.internal', '10 80 b.internal']);
    server.set('A', 'a.internal', ['10.0.0.1']);
    server.set('A', 'b.internal', ['10.0.0.2']);
    follow();
    await until('both', () => heard.urls?.length === 2);
    server.manners.set('A b.internal', 'server-failure');
    server.manners.set('AAAA b.internal', 'server-failure');
    await until('errors', () => heard.errors.length >= 2);
    expect(new Set(heard.lists.map((list) => JSON.stringify(list))).size).toBe(1);
    server.manners.clear();
    server.delete('A', 'b.internal');
    await until('one', () => heard.urls?.length === 1);
    expect(heard.urls).toEqual(['http://10.0.0.1']);
  });

  it('that are gone leave the last answer, unless that is to be believed', async () => {
    server.set('SRV', NAME, ['10 80 a.internal']);
    server.set('A', 'a.internal', ['10.0.0.1']);
    follow();
    await until('backends', () => heard.lists.length > 0);
    server.delete('SRV', NAME);
    await until('errors', () => heard.errors.length >= 2);
    expect(heard.lists).toHaveLength(1);
    resolver.close();

    heard = new Heard();
    server.set('SRV', NAME, ['10 80 a.internal']);
    follow({ trustEmpty: true });
    await until('backends', () => heard.lists.length > 0);
    server.delete('SRV', NAME);
    await until('none', () => heard.urls?.length === 0);
  });

  it('of many targets are asked for eight at a time', async () => {
    // As many as fit into a datagram that is not cut.
    const names = Array.from({ length: 20 }, (_, i) => `t${i}.x`);
    server.set(
      'SRV',
      NAME,
      names.map((name) => `10 80 ${name}`),
    );
    for (const [i, name] of names.entries()) server.set('A', name, [`10.0.0.${i + 1}`]);
    server.delayMs = 20;
    follow({ family: 4 });
    await until('all', () => heard.urls?.length === 20);
    expect(server.mostInFlight).toBeLessThanOrEqual(8);
    expect(server.mostInFlight).toBeGreaterThan(2);
  });
});
