import { expect, it } from 'vitest';
import { checkDnsOptions, DNS_RESOLVER_DEFAULTS, dnsSchedule } from './dns-options.js';
import { dnsResolver } from './dns-resolver.js';
import { srvResolver } from './srv-resolver.js';

it('has defaults', () => {
  expect(checkDnsOptions('dns')).toEqual(DNS_RESOLVER_DEFAULTS);
  expect(checkDnsOptions('dns', { servers: ['10.0.0.53', '[::1]:5353'] }).servers).toHaveLength(2);
});

it.each([
  [{ family: 5 as 4 }, /family must be 4, 6 or "both", got 5/],
  [{ via: 'http' as 'dns' }, /via/],
  [{ servers: ['ns.internal'] }, /servers/],
  [{ servers: '10.0.0.53' as never }, /servers/],
  [{ servers: ['10.0.0.53'], via: 'lookup' as const }, /servers cannot be chosen/],
  [{ minTtlMs: 0 }, /minTtlMs/],
  [{ minTtlMs: 2_000, maxTtlMs: 1_000 }, /minTtlMs must be <= maxTtlMs, got 2000 > 1000/],
  [{ retryMinMs: 60_000 }, /retryMinMs/],
  [{ intervalMs: Number.NaN }, /intervalMs/],
  [{ timeoutMs: -1 }, /timeoutMs/],
  [{ refreshGapMs: 0 }, /refreshGapMs/],
  [{ trustEmpty: 'no' as never }, /trustEmpty/],
  [{ ttl: 1 } as object, /has no option "ttl"/],
])('refuses %j', (given, message) => {
  expect(() => checkDnsOptions('dns', given)).toThrow(message);
});

it('polls by TTL, or at a set interval where there is none', () => {
  expect(dnsSchedule(DNS_RESOLVER_DEFAULTS)).toMatchObject({ minMs: 1_000, maxMs: 60_000 });
  const options = checkDnsOptions('dns', { via: 'lookup', intervalMs: 90_000 });
  expect(dnsSchedule(options)).toMatchObject({ minMs: 90_000, maxMs: 90_000 });
});

it('refuses what is no name', () => {
  expect(() => dnsResolver('http://10.0.0.1:80')).toThrow('staticResolver');
  expect(() => dnsResolver('http://[::1]:80')).toThrow('staticResolver');
  expect(() => dnsResolver('orders.internal')).toThrow('origin');
  expect(() => srvResolver('not a name')).toThrow('"not a name"');
  expect(() => srvResolver('_http._tcp.a', { protocol: 'ftp:' as 'http:' })).toThrow('protocol');
  expect(() => srvResolver('_http._tcp.a', { via: 'lookup' })).toThrow('via');
  expect(srvResolver('_http._tcp.a').name).toBe('srv');
});
