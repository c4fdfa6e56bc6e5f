import { expect, it } from 'vitest';
import { checkReloadable } from './reload-checks.js';
import { parseGatewaySettings } from './settings/index.js';

const BASE = 'routes: [{ to: "http://a:1" }]\nlisten: { address: 1, tls: { cert: a, key: b } }';
const settings = (text: string) => parseGatewaySettings(text, 'g.yaml', {});

it('lets routes, services, limits, identity and certificates change', () => {
  const next = `${BASE.replace('a:1', 'b:1').replace('cert: a', 'cert: c')}\ntrustedProxies: 1`;
  checkReloadable(settings(BASE), settings(next));
});

it('lets the token of the admin port change', () => {
  const admin = (token: string) => settings(`${BASE}\nadmin: { token: ${token} }`);
  checkReloadable(admin('a-token-of-some-length'), admin('another-token-of-length'));
});

it.each([
  [`${BASE}\nadmin: {}`, 'admin.address changed: this takes a restart'],
  [BASE.replace('address: 1', 'address: 2'), 'listen changed: this takes a restart'],
  [BASE.replace('{ address: 1, tls: { cert: a, key: b } }', '1'), 'listen changed'],
  [`${BASE}\nredis: redis://a\nworkers: 2`, 'redis, workers changed: these take a restart'],
])('%j: %s', (text, problem) => {
  expect(() => checkReloadable(settings(BASE), settings(text))).toThrow(problem);
});
