import { expect, it } from 'vitest';
import { checkHealthOptions, HEALTH_DEFAULTS, type HealthOptions } from './health-options.js';

it('has defaults', () => {
  expect(checkHealthOptions()).toEqual(HEALTH_DEFAULTS);
  expect(Object.isFrozen(HEALTH_DEFAULTS)).toBe(true);
  expect(checkHealthOptions({ udpPort: 9, prefix: '/a/b-c.d' })).toMatchObject({
    udpPort: 9,
    prefix: '/a/b-c.d',
  });
});

it('asks for the status of a page by HTTP, as often whoever calls', () => {
  expect(checkHealthOptions({ path: '/healthz?full=1', activeMs: 500 })).toMatchObject({
    ...{ mode: 'http', path: '/healthz?full=1', unhealthyAfter: 3, healthyAfter: 2 },
    ...{ activeMs: 500, inactiveMs: 500, mostInactiveMs: 500, downMs: 250, mostDownMs: 500 },
  });
  expect(checkHealthOptions({ path: '/', inactiveMs: 9_000, downMs: 2_000 })).toMatchObject({
    ...{ activeMs: 1_000, inactiveMs: 9_000, mostInactiveMs: 9_000, downMs: 2_000, mostDownMs: 2_000 },
  });
});

it.each<[Partial<HealthOptions>, RegExp]>([
  [{ mode: 'tcp' as 'udp' }, /mode .* "tcp"/],
  [{ udpPort: 0 }, /udpPort .* 0/],
  [{ udpPort: 65_536 }, /udpPort/],
  [{ prefix: 'plimsoll' }, /prefix .* plimsoll/],
  [{ prefix: '/plimsoll/' }, /prefix/],
  [{ prefix: '/a b' }, /prefix/],
  [{ prefix: '/a?b' }, /prefix/],
  [{ prefix: '/a\r\nx: y' }, /prefix/],
  [{ path: 'healthz' }, /path must be a path that begins with a slash, got "healthz"/],
  [{ path: '/a b' }, /path/],
  [{ path: '/a\r\nx: y' }, /path/],
  [{ path: '/a#b' }, /path/],
  [{ path: 1 } as object, /path .* 1/],
  [{ path: '/', mode: 'udp' }, /mode must be auto or http with a path/],
  [{ path: '/', mode: 'off' }, /mode .* "off"/],
  [{ unhealthyAfter: 0 }, /unhealthyAfter .* 0/],
  [{ healthyAfter: 0 }, /healthyAfter .* 0/],
  [{ activeMs: 0 }, /activeMs .* 0/],
  [{ inactiveMs: -1 }, /inactiveMs/],
  [{ mostInactiveMs: 4_999 }, /mostInactiveMs must be >= inactiveMs \(5000\), got 4999/],
  [{ downMs: Number.NaN }, /downMs/],
  [{ mostDownMs: 249 }, /mostDownMs/],
  [{ jitter: 1 }, /jitter .* 1/],
  [{ answerTimeoutMs: 0 }, /answerTimeoutMs/],
  [{ httpTimeoutMs: Number.POSITIVE_INFINITY }, /httpTimeoutMs/],
  [{ watchSilenceMs: 0 }, /watchSilenceMs/],
  [{ silentAfter: 0 }, /silentAfter/],
  [{ retryWayMs: 0 }, /retryWayMs/],
  [{ retryNoneMs: 0 }, /retryNoneMs/],
  [{ maxWatches: -1 }, /maxWatches/],
  [{ maxPages: 0 }, /maxPages/],
  [{ maxProbes: 0.5 }, /maxProbes/],
  [{ interval: 1 } as object, /has no option "interval"/],
])('refuses %j', (given, message) => {
  expect(() => checkHealthOptions(given)).toThrow(message);
});
