import { createHash, randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { customSignal } from '../../../../src/core/index.js';
import { expectNoMishaps } from '../../server/mishaps.js';
import { EchoBackend } from '../echo-backend.js';
import { RunningGateway } from '../running-gateway.js';

expectNoMishaps();

const SECRET = randomBytes(24).toString('hex');

let backend: EchoBackend;
let gateway: RunningGateway;
let utilization: number;
let version: number;
let held: ServerResponse[];

beforeEach(async () => {
  utilization = 0;
  version = 1;
  held = [];
  backend = await EchoBackend.start();
  backend.handler = ({ url }, res) => {
    if (url === '/held') held.push(res);
    else res.setHeader('cache-control', 'public, max-age=0').end(`v${version}`);
  };
  const hash = createHash('sha256').update('first').digest('hex');
  gateway = await RunningGateway.start(
    `
services: { one: { backends: ["${backend.url}"], health: false, activeLimit: 1 } }
identity: { apiKeys: { keys: { "sha256:${hash}": acme } }, jwt: { secret: ${SECRET} } }
routes:
  - { path: /stale, to: one, criticality: SHEDDABLE, stale: true, timeout: 2s }
  - { path: /known, to: one, criticality: SHEDDABLE, stale: true, identity: required }
  - { path: "/*", to: one, criticality: SHEDDABLE, timeout: 2s }`,
    { guard: { signals: { custom: [customSignal('test', () => utilization)] } } },
  );
});
afterEach(async () => {
  for (const res of held) res.end();
  await gateway.stop();
  await backend.stop();
});

const ACME = { headers: { 'x-api-key': 'first' } };
const served = () => gateway.gateway.snapshot().routes['/stale']!.staleServed;

async function expectCopy(asked?: object): Promise<void> {
  const { status, text, headers } = await gateway.ask('/stale', asked);
  expect([status, text, headers['age']]).toEqual([200, 'v1', expect.any(String)]);
  expect(headers['cache-status']).toMatch(/^plimsoll; hit; ttl=-?\d+; detail=overload$/);
}

describe('instead of an error, a route answers with what it has kept', () => {
  it('where the guard refuses', async () => {
    expect((await gateway.ask('/stale')).text).toBe('v1');
    expect((await gateway.ask('/fresh')).text).toBe('v1');
    version = 2;
    // Above what SHEDDABLE is refused at.
    utilization = 0.95;
    await expectCopy();
    expect((await gateway.ask('/stale?other')).status).toBe(503);
    expect((await gateway.ask('/fresh')).status).toBe(503);
    expect((await gateway.ask('/stale', { method: 'POST', body: 'x' })).status).toBe(503);
    expect(served()).toBe(1);
    utilization = 0;
    expect((await gateway.ask('/stale')).text).toBe('v2');
  });

  it('to each customer its own, where the guard refuses', async () => {
    await gateway.ask('/stale', ACME);
    await gateway.ask('/known', ACME);
    utilization = 0.95;
    await expectCopy(ACME);
    expect((await gateway.ask('/stale')).status).toBe(503);
    expect((await gateway.ask('/known', ACME)).text).toBe('v1');
    expect((await gateway.ask('/known')).status).toBe(503);
  });

  it('to nobody with a token that would have to be verified first', async () => {
    const token = await new SignJWT({ sub: 'ann' })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(Buffer.from(SECRET));
    const ann = { headers: { authorization: `Bearer ${token}` } };
    await gateway.ask('/stale');
    utilization = 0.95;
    expect((await gateway.ask('/stale', ann)).status).toBe(503);
    utilization = 0;
    await gateway.ask('/stale', ann);
    utilization = 0.95;
    await expectCopy(ann);
  });

  it('where its service has no room', async () => {
    expect((await gateway.ask('/stale')).text).toBe('v1');
    const waiting = gateway.ask('/held');
    while (held.length === 0) await new Promise(setImmediate);
    version = 2;
    await expectCopy();
    expect((await gateway.ask('/stale?other')).status).toBe(503);
    held.pop()!.end();
    await waiting;
    expect((await gateway.ask('/stale')).text).toBe('v2');
  });

  it('where its service has no backend, again and again', async () => {
    expect((await gateway.ask('/stale')).text).toBe('v1');
    backend.handler = (req) => req.socket.destroy();
    for (let i = 0; i < 3; i++) await expectCopy();
    expect((await gateway.ask('/fresh')).status).toBeGreaterThanOrEqual(502);
    expect(served()).toBe(3);
  });
});
