import { expect, it } from 'vitest';
import { SettingsError } from '../config/index.js';
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

const QUEUED = 'limits: { a: { rate: 1/s, algorithm: leaking-bucket, onLimit: queue } }';
const ROUTED = BASE.replace('a:1"', 'a:1", limits: [a]');

it.each([
  [BASE, `${BASE}\nadmin: {}`, ['3:8: admin.address']],
  [BASE, BASE.replace('address: 1', 'address: 2'), ['2:9: listen']],
  [BASE, BASE.replace('{ address: 1, tls: { cert: a, key: b } }', '1'), ['2:9: listen']],
  [BASE, `${BASE}\nworkers: 2\nredis: redis://a`, ['3:10: workers', '4:8: redis']],
  [`${BASE}\nworkers: 2`, BASE, ['1:1: workers']],
  [
    `${ROUTED}\nredis: redis://a\n${QUEUED.replace('queue', 'refuse')}`,
    `${ROUTED}\nredis: redis://a\n${QUEUED}`,
    ['4:63: limits.a.onLimit'],
  ],
])('%j, %j: %j', (before, text, places) => {
  const wanted = places.map(
    (place) =>
      `g.yaml:${place}: changed, and this takes a restart: restart the gateway, or write what was there`,
  );
  const lines = (error: Error) => error.message.split('\n').map((line) => line.split('. Until')[0]);
  try {
    checkReloadable(settings(before), settings(text));
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(SettingsError);
    expect(lines(error as Error)).toEqual(wanted);
  }
});
