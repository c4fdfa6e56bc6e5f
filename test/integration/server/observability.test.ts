import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { metrics } from '@opentelemetry/api';
import {
  AggregationTemporality,
  type DataPoint,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createGuard, type Handler } from '../../../src/server/index.js';
import { GuardedServer } from './guarded-server.js';
import { expectNoMishaps } from './mishaps.js';

const REFUSE_ALL = 2;

expectNoMishaps();

let exporter: InMemoryMetricExporter;
let reader: PeriodicExportingMetricReader;
let served: GuardedServer;
beforeEach(async () => {
  exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
  const handler: Handler = (req, res) => {
    res.statusCode = req.url === '/broken' ? 500 : 200;
    res.end();
  };
  const routes = [{ path: '/users/:id' }, { path: '/broken' }];
  served = await GuardedServer.start(handler, { routes });
});
afterEach(async () => {
  await served.stop();
  metrics.disable();
  await reader.shutdown();
});

/** Sends one after the other, on one connection. */
const send = async (...requests: [path: string, ...headers: string[]][]) => {
  const client = served.client();
  for (const [path, ...headers] of requests) {
    client.get(path, ...headers);
    await client.answer();
  }
  client.close();
};

/** All series of an instrument, as they are now. */
const collect = async (name: string): Promise<DataPoint<number>[]> => {
  exporter.reset();
  await reader.forceFlush();
  const all = exporter
    .getMetrics()
    .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
  const found = all.find(({ descriptor }) => descriptor.name === `plimsoll.server.${name}`);
  return (found?.dataPoints ?? []) as DataPoint<number>[];
};

const countOf = (points: readonly DataPoint<number>[], attributes: object) => {
  const found = points.filter((point) =>
    Object.entries(attributes).every(([name, value]) => point.attributes[name] === value),
  );
  expect(found, JSON.stringify(attributes)).toHaveLength(1);
  return found[0]!.value;
};

describe('metrics of OpenTelemetry', () => {
  test('say what became of requests, by criticality, route, customer and reason', async () => {
    await send(
      ['/users/1', 'x-plimsoll-customer: anna'],
      ['/users/2', 'x-plimsoll-customer: anna'],
      ['/broken', 'x-plimsoll-customer: otto', 'x-request-criticality: CRITICAL_PLUS'],
      ['/', 'x-envoy-expected-rq-timeout-ms: 0'],
    );
    served.level = REFUSE_ALL;
    await send(['/users/3', 'x-plimsoll-customer: otto', 'x-request-criticality: SHEDDABLE']);
    const requests = await collect('requests');
    expect(countOf(requests, { criticality: 'CRITICAL', outcome: 'ended' })).toBe(2);
    expect(countOf(requests, { criticality: 'CRITICAL_PLUS', outcome: 'failed' })).toBe(1);
    expect(countOf(requests, { criticality: 'SHEDDABLE', outcome: 'refused' })).toBe(1);
    const refusals = await collect('refusals');
    expect(countOf(refusals, { criticality: 'SHEDDABLE', reason: 'utilization' })).toBe(1);
    expect(countOf(refusals, { criticality: 'CRITICAL', reason: 'deadline' })).toBe(1);
    expect(countOf(refusals, { criticality: 'CRITICAL', reason: 'utilization' })).toBe(0);
    const routes = await collect('route.requests');
    expect(countOf(routes, { route: '/users/:id', outcome: 'ended' })).toBe(2);
    expect(countOf(routes, { route: '/users/:id', outcome: 'refused' })).toBe(1);
    expect(countOf(routes, { route: '/broken', outcome: 'failed' })).toBe(1);
    const customers = await collect('customer.requests');
    expect(countOf(customers, { customer: 'anna', outcome: 'ended' })).toBe(2);
    expect(countOf(customers, { customer: 'otto', outcome: 'ended' })).toBe(1);
    expect(countOf(customers, { customer: 'otto', outcome: 'refused' })).toBe(1);
    expect(countOf(await collect('utilization'), { signal: 'test' })).toBe(REFUSE_ALL);
    const load = await collect('load');
    expect(countOf(load, { kind: 'in-flight' })).toBe(0);
    expect(countOf(load, { kind: 'concurrency-limit' })).toBeGreaterThan(0);
  });

  test('have few series, however many customers and paths there are', async () => {
    const requests = Array.from({ length: 1_000 }, (_, i): [string, string] => [
      `/path/${i}`,
      `x-plimsoll-customer: customer-${i}`,
    ]);
    await send(...requests);
    const points = await collect('customer.requests');
    const customers = new Set(points.map(({ attributes }) => attributes['customer']));
    expect(customers.size).toBe(201);
    const ended = points.filter(({ attributes }) => attributes['outcome'] === 'ended');
    // Nobody is lost from the sum.
    expect(ended.reduce((sum, { value }) => sum + value, 0)).toBe(1_000);
    expect(countOf(ended, { customer: '(other)' })).toBe(800);
    const routes = await collect('route.requests');
    expect(new Set(routes.map(({ attributes }) => attributes['route']))).toEqual(new Set(['other']));
  });

  test('end with the guard', async () => {
    const read = vi.spyOn(served.guard, 'snapshot');
    await collect('requests');
    expect(read).toHaveBeenCalledTimes(1);
    await served.stop();
    await collect('requests');
    expect(read).toHaveBeenCalledTimes(1);
  });
});

/** What comes over the channels, as far as it is looked at here. */
interface Told {
  readonly request: { readonly route: string; readonly customer: string; readonly criticality: string };
  readonly refusal?: object;
  readonly isOnlyReported?: boolean;
  readonly isError?: boolean;
  readonly latencyMs?: number;
}

describe('diagnostics channels', () => {
  test('tell of each request that is refused or ends', async () => {
    const told: unknown[] = [];
    const note = (message: unknown, name: string | symbol) => {
      const { request, refusal, isError, isOnlyReported, latencyMs } = message as Told;
      const { route, customer, criticality } = request;
      if (latencyMs !== undefined) expect(latencyMs).toBeGreaterThanOrEqual(0);
      told.push([
        String(name).split(':')[2],
        route,
        customer,
        criticality,
        isError ?? refusal,
        isOnlyReported,
      ]);
    };
    const channels = ['plimsoll:server:refused', 'plimsoll:server:ended'];
    for (const channel of channels) subscribe(channel, note);
    try {
      await send(['/users/1'], ['/broken', 'x-plimsoll-customer: anna']);
      served.level = REFUSE_ALL;
      await send(['/users/2', 'x-request-criticality: SHEDDABLE']);
      served.guard.mode = 'dry-run';
      await send(['/users/3']);
    } finally {
      for (const channel of channels) unsubscribe(channel, note);
    }
    const refusal = { reason: 'utilization', answer: 'task-overloaded' };
    expect(told).toEqual([
      ['ended', '/users/:id', 'anonymous', 'CRITICAL', false, undefined],
      ['ended', '/broken', 'anna', 'CRITICAL', true, undefined],
      ['refused', '/users/:id', 'anonymous', 'SHEDDABLE', refusal, false],
      ['refused', '/users/:id', 'anonymous', 'CRITICAL', refusal, true],
      ['ended', '/users/:id', 'anonymous', 'CRITICAL', false, undefined],
    ]);
  });
});

describe('a snapshot', () => {
  test('is plain data', async () => {
    await send(['/users/1', 'x-plimsoll-customer: __proto__'], ['/broken']);
    served.level = REFUSE_ALL;
    await send(['/']);
    const snapshot = served.guard.snapshot();
    expect(structuredClone(snapshot)).toEqual(snapshot);
    expect(JSON.parse(JSON.stringify(snapshot))).toEqual(snapshot);
    expect(Object.keys(snapshot.customers).sort()).toEqual(['__proto__', 'anonymous']);
    // Later events do not change it.
    const before = JSON.stringify(snapshot);
    await send(['/']);
    expect(JSON.stringify(snapshot)).toBe(before);
  });

  test('says why', async () => {
    const { guard } = served;
    expect(guard.snapshot().why).toBe('refuses nothing');
    served.level = 1.1;
    expect(guard.snapshot().why).toBe(
      'refuses 100 % of SHEDDABLE, 100 % of SHEDDABLE_PLUS, 50 % of CRITICAL: test is at 1.10 of its target',
    );
    guard.mode = 'dry-run';
    expect(guard.snapshot().why).toMatch(
      /^would refuse 100 % of SHEDDABLE,.*: test is at 1\.10 of its target$/,
    );
    guard.mode = 'off';
    expect(guard.snapshot().why).toMatch(/off/);
    guard.mode = 'enforce';
    await served.stop();
    expect(guard.snapshot()).toMatchObject({ state: 'closed', why: expect.stringMatching(/closed/) });
  });

  test('can be had of a guard that measures nothing', async () => {
    const guard = createGuard({
      starting: true,
      signals: { cpu: false, eventLoop: false, executor: false, memory: false },
    });
    expect(guard.snapshot()).toMatchObject({ why: 'refuses everything: it is starting', connections: 0 });
    guard.ready();
    expect(guard.snapshot().why).toBe('refuses nothing');
    await guard.drain({ timeoutMs: 0 });
  });
});
