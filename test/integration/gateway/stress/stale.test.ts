import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { customSignal } from '../../../../src/core/index.js';
import { expectNoMishaps } from '../../server/mishaps.js';
import { EchoBackend } from '../echo-backend.js';
import { RunningGateway } from '../running-gateway.js';

expectNoMishaps();

let backend: EchoBackend;
let gateway: RunningGateway;
let utilization: number;
let version: number;

beforeEach(async () => {
  utilization = 0;
  version = 1;
  backend = await EchoBackend.start();
  backend.handler = (_, res) =>
    res
      .setHeader('cache-control', 'public, max-age=0')
      .setHeader('content-type', 'text/plain')
      .end(`v${version}`);
  gateway = await RunningGateway.start(
    `
services: { one: { backends: ["${backend.url}"], health: false } }
identity: { apiKeys: { keys: { "sha256:${createHash('sha256').update('first').digest('hex')}": acme } } }
routes:
  - { path: /stale, to: one, criticality: SHEDDABLE, stale: true }
  - { path: /fresh, to: one, criticality: SHEDDABLE }`,
    { guard: { signals: { custom: [customSignal('test', () => utilization)] } } },
  );
});
afterEach(async () => {
  await gateway.stop();
  await backend.stop();
});

describe('under overload', () => {
  // From 0.7 on some of what is SHEDDABLE is degraded, at 0.8 all of it, and nothing is refused yet.
  it('a route answers with what it has kept, and others go on', async () => {
    expect((await gateway.ask('/stale')).text).toBe('v1');
    version = 2;
    utilization = 0.8;
    const stale = await gateway.ask('/stale');
    expect([stale.status, stale.text, stale.headers['age']]).toEqual([200, 'v1', expect.any(String)]);
    expect((await gateway.ask('/fresh')).text).toBe('v2');
    expect((await gateway.ask('/stale?other')).text).toBe('v2');
    expect(gateway.gateway.snapshot().routes['/stale']!.staleServed).toBe(1);
    utilization = 0;
    expect((await gateway.ask('/stale')).text).toBe('v2');
  });

  it('nobody gets what was kept for another', async () => {
    const acme = { headers: { 'x-api-key': 'first' } };
    expect((await gateway.ask('/stale', acme)).text).toBe('v1');
    version = 2;
    utilization = 0.8;
    expect((await gateway.ask('/stale')).text).toBe('v2');
    expect((await gateway.ask('/stale', acme)).text).toBe('v1');
  });

  it('all of a criticality are refused before any of the next', async () => {
    utilization = 0.9;
    expect((await gateway.ask('/stale')).status).toBe(503);
    expect((await gateway.ask('/fresh')).status).toBe(503);
  });
});
