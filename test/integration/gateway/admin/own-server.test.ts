import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createClient } from '../../../../src/client/index.js';
import { parsePrometheus, seriesValue } from '../../../../src/gateway/admin/prometheus-text.contract.js';
import { type OpenAdmin, openAdminFor } from '../../../../src/gateway/index.js';
import { createRateLimits } from '../../../../src/rate-limit/index.js';
import {
  createGuard,
  type Guard,
  type GuardSnapshot,
  serve as serveAll,
} from '../../../../src/server/index.js';
import { until } from '../../client/until.js';
import { EchoBackend } from '../echo-backend.js';
import { askAdmin, MARKER } from './ask-admin.js';
import { EventReader } from './event-reader.js';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function serve(guard: Guard): Promise<number> {
  const server: Server = createServer(guard.protect((_req, res) => res.end('done')));
  guard.attach(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(async () => {
    await guard.drain({ spreadMs: 0, timeoutMs: 100 });
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function open(...[parts, options]: Parameters<typeof openAdminFor>): Promise<OpenAdmin> {
  const admin = await openAdminFor(parts, { address: '127.0.0.1:0', ...options });
  closing.push(() => admin.close());
  return admin;
}

describe('an admin port for a server with a guard', () => {
  it('shows what the guard does, its clients and limits', async () => {
    const backend = await EchoBackend.start();
    closing.push(() => backend.stop());
    const users = createClient({ name: 'users', backends: [backend.url] });
    closing.push(() => users.close());
    const limits = createRateLimits({
      rules: [{ name: 'five', key: 'ip', rate: '5/min', algorithm: 'gcra' }],
    });
    closing.push(() => limits.close());
    const guard = createGuard({ health: false });
    const port = await serve(guard);
    const { at } = await open({ guard, services: { users }, limits });
    for (let i = 0; i < 3; i++) await askAdmin(port, '/');
    await limits.decide({ method: 'GET', url: '/', address: '10.0.0.1', header: () => undefined });
    await (await users.fetch('/')).text();
    const snapshot = (await askAdmin(at.port, '/snapshot')).json();
    expect(snapshot).toMatchObject({
      state: 'ready',
      process: { pid: process.pid },
      guard: { mode: 'enforce', counts: { CRITICAL: { ended: 3 } }, recent: [] },
      services: { users: { service: 'users', known: 1 } },
      routes: {
        '*': {
          requests: 1,
          limited: 0,
          limits: { five: { allowed: 1, busiest: [{ key: '10.0.0.1', hits: 1, refused: 0 }] } },
        },
      },
    });
    const metrics = parsePrometheus((await askAdmin(at.port, '/metrics')).text);
    const requests = { criticality: 'CRITICAL', outcome: 'ended' };
    expect(seriesValue(metrics, 'plimsoll_server_requests_total', requests)).toBe(3);
    expect(seriesValue(metrics, 'plimsoll_client_requests_total', { service: 'users' })).toBeDefined();
    const limit = (await askAdmin(at.port, '/limits/five?key=10.0.0.1')).json();
    expect(limit).toMatchObject({ rule: 'five', decision: { allowed: true, remaining: 4 } });
    const reset = await askAdmin(at.port, '/limits/five?key=10.0.0.1', { method: 'DELETE', headers: MARKER });
    expect(reset.status).toBe(200);
    expect((await askAdmin(at.port, '/limits/six?key=a')).status).toBe(404);
  });

  it('shows why somebody was refused, also of what is refused early', async () => {
    const guard = createGuard({
      health: false,
      signals: { custom: [{ name: 'disk', utilization: () => 1.1 }] },
    });
    const port = await serve(guard);
    const { at } = await open({ guard });
    const headers = { 'x-request-criticality': 'SHEDDABLE', connection: 'keep-alive' };
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await askAdmin(port, '/', { headers })).status);
    expect(statuses).toEqual([503, 503, 503]);
    const { guard: seen } = (await askAdmin(at.port, '/snapshot')).json() as unknown as {
      guard: GuardSnapshot;
    };
    expect(seen.refusedEarly).toBe(seen.isRefusingEarly ? 3 : 0);
    const { atMs, ...refused } = seen.recent.at(-1)!;
    expect(Math.abs(atMs - Date.now())).toBeLessThan(60_000);
    expect(refused).toMatchObject({
      reason: 'utilization',
      criticality: 'SHEDDABLE',
      customer: expect.any(String),
      route: expect.any(String),
      isOnlyReported: false,
      utilization: 1.1,
      refuseFrom: 0.8,
      signal: 'disk',
      waiting: 0,
      inFlight: 0,
    });
    expect(refused.concurrencyLimit).toBeGreaterThan(0);
  });

  it('switches it, and tells of that', async () => {
    const guard = createGuard({ health: false });
    await serve(guard);
    const { at } = await open({ guard });
    const reader = await EventReader.open(at.port);
    closing.push(() => reader.close());
    await reader.hears('snapshot');
    expect((await askAdmin(at.port, '/lame-duck', { method: 'POST', headers: MARKER })).status).toBe(200);
    await reader.hears('lame-duck');
    expect(guard.state).toBe('lame-duck');
    expect((await askAdmin(at.port, '/readyz')).status).toBe(503);
    const drained = await askAdmin(at.port, '/drain', { method: 'POST', headers: MARKER });
    expect(drained).toMatchObject({ status: 202 });
    expect(drained.json()).toMatchObject({ isReady: false });
    await reader.hears('drain');
  });

  it('ends a server as its own way of ending says, once', async () => {
    let drained = 0;
    const { guard } = await serveAll((_req, res) => res.end('done'), {
      host: '127.0.0.1',
      exitOnSignal: false,
      drain: { spreadMs: 0, timeoutMs: 100 },
      onDrained: () => void drained++,
    });
    const { at } = await open({ guard });
    for (let i = 0; i < 2; i++) await askAdmin(at.port, '/drain', { method: 'POST', headers: MARKER });
    await until('it to have ended', () => drained > 0);
    expect(drained).toBe(1);
  });

  it('says what a guard does not have', async () => {
    const guard = createGuard({ health: false });
    await serve(guard);
    const { at } = await open({ guard });
    for (const path of ['/config', '/queue', '/limits/five?key=a']) {
      const answer = await askAdmin(at.port, path);
      expect(answer.status).toBe(404);
      expect(String(answer.json()['detail']).length).toBeGreaterThan(20);
    }
    expect((await askAdmin(at.port, '/reload', { method: 'POST', headers: MARKER })).status).toBe(404);
  });

  it('needs a token where others can reach it, and a long one', async () => {
    const guard = createGuard({ health: false });
    await serve(guard);
    await expect(openAdminFor({ guard }, { address: '0.0.0.0:0' })).rejects.toThrow('needs a token');
    await expect(openAdminFor({ guard }, { token: 'short' })).rejects.toThrow(
      'token must have 16 characters at least, got 5',
    );
    const { at } = await open({ guard }, { token: 'a-token-of-some-length' });
    expect((await askAdmin(at.port, '/snapshot')).status).toBe(401);
    expect((await askAdmin(at.port, '/healthz')).status).toBe(200);
  });
});
