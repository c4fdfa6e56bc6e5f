import { expect, it } from 'vitest';
import { checkUdpHealthOptions, UDP_HEALTH_DEFAULTS } from './udp-health-options.js';

it('has defaults', () => {
  expect(checkUdpHealthOptions()).toEqual(UDP_HEALTH_DEFAULTS);
  expect(checkUdpHealthOptions({ maxClients: 0 }).maxClients).toBe(0);
});

it.each([
  [{ maxClients: -1 }, /maxClients/],
  [{ clientExpiryMs: 0 }, /clientExpiryMs/],
  [{ cookieLifeMs: 0 }, /cookieLifeMs/],
  [{ strangersPerTurn: 0 }, /strangersPerTurn/],
  [{ pushesPerTurn: 0.5 }, /pushesPerTurn/],
  [{ pushDelaysMs: [0, -1] }, /pushDelaysMs/],
  [{ clients: 1 } as object, /has no option "clients"/],
])('refuses %j', (given, message) => {
  expect(() => checkUdpHealthOptions(given)).toThrow(message);
});
