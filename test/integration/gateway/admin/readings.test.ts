import { metrics } from '@opentelemetry/api';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parsePrometheus, seriesValue } from '../../../../src/gateway/admin/prometheus-text.contract.js';
import { EchoBackend } from '../echo-backend.js';
import { MARKER } from './ask-admin.js';
import { RunningAdmin } from './running-admin.js';

let backend: EchoBackend;
let admin: RunningAdmin;

beforeAll(async () => {
  backend = await EchoBackend.start();
});
afterEach(() => admin.stop());
afterAll(() => backend.stop());

const settings = () => `
routes:
  - { name: limited, path: /limited, to: s, limits: [five, { name: own, rate: 100/min, key: [customer, route] }] }
  - { name: 'tricky"\\', path: '/quoted', to: s, identity: required }
  - { name: batch, path: /batch, to: s, batch: {} }
  - { name: rest, to: s }
limits: { five: { rate: 5/min, key: ip, algorithm: sliding-log } }
identity: { apiKeys: { keys: { "sha256:${'0'.repeat(64)}": acme } } }
services: { s: { backends: ["${backend.url}"] } }
`;

const read = async () => parsePrometheus((await admin.ask('/metrics')).text);

describe('metrics', () => {
  it('are what Prometheus reads, and count what was served', async () => {
    admin = await RunningAdmin.start(settings());
    const { running } = admin;
    for (let i = 0; i < 7; i++) await running.ask('/limited');
    for (let i = 0; i < 3; i++) await running.ask('/else');
    await running.ask('/quoted');
    await running.ask('/batch');
    const answer = await admin.ask('/metrics');
    expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    const found = parsePrometheus(answer.text);
    const route = (name: string, more = {}) => ({ route: name, ...more });
    expect(seriesValue(found, 'plimsoll_gateway_route_requests_total', route('limited'))).toBe(7);
    expect(seriesValue(found, 'plimsoll_gateway_route_requests_total', route('rest'))).toBe(3);
    const refused = 'plimsoll_gateway_route_refused_total';
    expect(seriesValue(found, refused, route('limited', { reason: 'limited' }))).toBe(2);
    expect(seriesValue(found, refused, route('tricky"\\', { reason: 'unknown' }))).toBe(1);
    const decisions = 'plimsoll_ratelimit_decisions_total';
    expect(seriesValue(found, decisions, { rule: 'five', outcome: 'allowed' })).toBe(5);
    expect(seriesValue(found, decisions, { rule: 'five', outcome: 'refused' })).toBe(2);
    const sent = { service: 's', criticality: 'CRITICAL' };
    expect(seriesValue(found, 'plimsoll_client_requests_total', sent)).toBe(8);
    const batched = { route: 'batch', outcome: 'forwarded' };
    expect(seriesValue(found, 'plimsoll_gateway_batch_requests_total', batched)).toBe(1);
    expect(seriesValue(found, 'plimsoll_gateway_ready')).toBe(1);
    expect(seriesValue(found, 'process_cpu_seconds_total')).toBeGreaterThan(0.01);
    expect(seriesValue(found, 'process_resident_memory_bytes')).toBeGreaterThan(1e7);
    expect(seriesValue(found, 'process_start_time_seconds')).toBeGreaterThan(1.7e9);
    expect(found.has('nodejs_eventloop_lag_p99_seconds')).toBe(true);
    expect(seriesValue(found, 'plimsoll_server_load', { kind: 'connections' })).toBeGreaterThanOrEqual(0);
    expect(admin.errors).toEqual([]);
  });

  it('count on when settings change, and forget services that are gone', async () => {
    admin = await RunningAdmin.start(settings());
    const { running } = admin;
    for (let i = 0; i < 6; i++) await running.ask('/limited');
    await read();
    const port = 'admin: { address: "127.0.0.1:0" }';
    const next = settings()
      .replaceAll('to: s', 'to: t')
      .replace('{ s:', '{ t:')
      .replace('own, rate: 100', 'own, rate: 99');
    await running.reload(`${next}\n${port}`);
    await expect(running.reload(`routes: [{ to: "${backend.url}" }]\nworkers: 2\n${port}`)).rejects.toThrow();
    await running.ask('/limited');
    await expect
      .poll(async () => seriesValue(await read(), 'plimsoll_gateway_reloads_total', { outcome: 'ok' }))
      .toBe(1);
    const found = await read();
    expect(seriesValue(found, 'plimsoll_gateway_reloads_total', { outcome: 'failed' })).toBe(1);
    expect(seriesValue(found, 'plimsoll_gateway_route_requests_total', { route: 'limited' })).toBe(7);
    const decisions = 'plimsoll_ratelimit_decisions_total';
    expect(seriesValue(found, decisions, { rule: 'five', outcome: 'allowed' })).toBe(5);
    expect(seriesValue(found, decisions, { rule: 'five', outcome: 'refused' })).toBe(2);
    const services = found
      .get('plimsoll_client_requests_total')!
      .samples.map(({ labels }) => labels['service']);
    expect(new Set(services)).toEqual(new Set(['t']));
  });

  it('leave the provider of others alone', async () => {
    const before = metrics.getMeterProvider();
    admin = await RunningAdmin.start(settings());
    await read();
    expect(metrics.getMeterProvider()).toBe(before);
  });
});

describe('limits', () => {
  it('are told of a key, and reset', async () => {
    admin = await RunningAdmin.start(settings());
    const { running } = admin;
    for (let i = 0; i < 6; i++) await running.ask('/limited');
    const path = '/limits/five?key=127.0.0.1';
    const full = (await admin.ask(path)).json();
    expect(full).toMatchObject({ rule: 'five', decision: { allowed: false, limit: 5, remaining: 0 } });
    expect((await admin.ask('/limits/five?key=10.0.0.1')).json()).toMatchObject({
      decision: { allowed: true, limit: 5, remaining: 5, resetMs: 0, retryAfterMs: 0 },
    });
    expect((await admin.ask('/limits/own?key=anonymous%7Climited')).json()).toMatchObject({
      decision: { limit: 100, remaining: 95 },
    });
    expect((await running.ask('/limited')).status).toBe(429);
    const reset = await admin.ask(path, { method: 'DELETE', headers: MARKER });
    expect(reset.json()).toEqual({ rule: 'five', reset: true });
    expect((await running.ask('/limited')).status).toBe(200);
    expect((await admin.ask('/limits/none?key=a')).status).toBe(404);
    expect((await admin.ask('/limits/none?key=a', { method: 'DELETE', headers: MARKER })).status).toBe(404);
  });

  it('have a queue, in which batches are', async () => {
    admin = await RunningAdmin.start(settings());
    expect((await admin.ask('/queue')).json()).toMatchObject({ batches: { batch: { waiting: 0 } } });
  });
});

describe('the snapshot', () => {
  it('has all parts', async () => {
    admin = await RunningAdmin.start(settings());
    await admin.running.ask('/else');
    const snapshot = (await admin.ask('/snapshot')).json();
    expect(snapshot).toMatchObject({
      state: 'ready',
      routes: { rest: { requests: 1 } },
      services: { s: { known: 1 } },
      guard: { mode: 'enforce' },
    });
  });
});
