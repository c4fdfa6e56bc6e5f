import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import * as grpc from '@grpc/grpc-js';
import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import {
  callOptions,
  type InterceptorOptions,
  plimsollInterceptor,
  registerPolicies,
  serviceConfigFor,
} from 'plimsoll/grpc';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { collectMetrics } from '../../client/collected-metrics.js';
import { CollectedSpans, traceparentOf } from '../../client/collected-spans.js';
import { clientOf, failWith, type Say, say, startServers, until } from './echo-service.js';

const { UNAVAILABLE, NOT_FOUND, INTERNAL } = grpc.status;
const OVERLOADED = { 'x-envoy-overloaded': 'true' };

registerPolicies(grpc);

const ends: (() => unknown)[] = [];
afterEach(() => {
  for (const end of ends.splice(0).reverse()) end();
});

/** By what is asked for: `refused`, `failed`, `missing`, `never`; all else is answered. */
const asAsked: Say = (call, done) => {
  if (call.request.text === 'refused') failWith(UNAVAILABLE, OVERLOADED)(call, done);
  else if (call.request.text === 'failed') failWith(INTERNAL)(call, done);
  else if (call.request.text === 'missing') failWith(NOT_FOUND)(call, done);
  else if (call.request.text !== 'never') done(null, call.request);
};

/** Attempts are counted here: nothing else should hold any back. */
async function make(options: InterceptorOptions = {}, policy: object = {}) {
  const servers = await startServers(1, { say: asAsked });
  const interceptor = plimsollInterceptor({
    service: 'orders',
    throttle: false,
    retry: { budget: { ratio: 10 } },
    ...options,
  });
  const client = clientOf(servers, {
    interceptors: [interceptor],
    'grpc.service_config': serviceConfigFor('round-robin', { service: 'orders', subset: false, ...policy }),
  });
  const close = () => {
    client.close();
    interceptor.close();
  };
  ends.push(() => servers[0]!.stop(), close);
  return { server: servers[0]!, client, interceptor, close };
}

describe('metrics of OpenTelemetry', () => {
  const seriesOf = collectMetrics();

  /** All series of an instrument, as they are now, by one label. */
  const collect = async (name: string, label: string): Promise<Record<string, number>> => {
    const series = await seriesOf(`plimsoll.client.${name}`);
    for (const { labels } of series)
      expect(labels).toEqual({ service: 'orders', protocol: 'grpc', [label]: labels[label] });
    return Object.fromEntries(series.map(({ labels, value }) => [labels[label], value]));
  };

  it('say what became of calls and attempts', async () => {
    const { client, interceptor } = await make();
    await say(client);
    await say(client, 'there', callOptions({ criticality: 'SHEDDABLE' }));
    await say(client, 'refused');
    await say(client, 'failed');
    await say(client, 'missing');
    expect(await collect('requests', 'criticality')).toEqual({
      SHEDDABLE: 1,
      SHEDDABLE_PLUS: 0,
      CRITICAL: 4,
      CRITICAL_PLUS: 0,
    });
    expect(await collect('attempts', 'outcome')).toMatchObject({
      answered: 3,
      'task-overloaded': 3,
      failed: 1,
      broken: 0,
      aborted: 0,
    });
    expect(await collect('attempts.by_number', 'number')).toEqual({ 1: 5, 2: 1, 3: 1 });
    expect(await collect('rejected', 'code')).toEqual({ PLIMSOLL_OVERLOADED: 1 });
    expect(interceptor.snapshot()).toMatchObject({ attempts: 7, counts: { answered: 3, failed: 1 } });
    expect(await collect('backends', 'state')).toMatchObject({ ready: 1, refusing: 0 });
  });

  it('say what runs and what waits', async () => {
    const { client, server } = await make({}, { roster: { activeLimit: 1 }, waiting: { maxWaitMs: 60_000 } });
    await say(client);
    const calls: grpc.ClientUnaryCall[] = [];
    const keep = (call: grpc.ClientUnaryCall) => calls.push(call);
    const running = [1, 2].map(() => say(client, 'never', {}, new grpc.Metadata(), keep));
    await until(() => server.calls === 2);
    expect(await collect('active', 'kind')).toEqual({ active: 2, waiting: 1 });
    for (const call of calls) call.cancel();
    await Promise.all(running);
    await until(() => server.calls === 2);
    expect(await collect('attempts', 'outcome')).toMatchObject({ answered: 1, aborted: 2 });
    expect(await collect('active', 'kind')).toMatchObject({ active: 0 });
  });

  it('say what the throttle withheld, and who was never sent', async () => {
    const { client, interceptor, server } = await make({
      throttle: { minimumRequests: 1, k: 1.01, windowMs: 60_000 },
      retry: false,
    });
    for (let i = 0; i < 300; i++) await say(client, 'refused');
    const { PLIMSOLL_THROTTLED: throttled } = await collect('rejected', 'code');
    expect(throttled).toBeGreaterThan(100);
    expect(throttled).toBe(interceptor.snapshot().refused);
    expect(throttled! + server.calls).toBe(300);
  });

  it('end with the interceptor and with the channel', async () => {
    const { client, close } = await make();
    await say(client);
    close();
    expect(await collect('requests', 'criticality')).toEqual({});
    expect(await collect('backends', 'state')).toEqual({});
  });

  it('have no more labels than there are services, criticalities, outcomes and codes', async () => {
    const { client } = await make();
    for (let i = 0; i < 50; i++) await say(client, 'x', callOptions({ customer: `customer ${i}` }));
    for (const name of ['requests', 'attempts', 'attempts.by_number', 'rejected', 'backends', 'active'])
      expect((await seriesOf(`plimsoll.client.${name}`)).length).toBeLessThanOrEqual(12);
  });
});

describe('diagnostics channels', () => {
  const NAMES = ['attempt', 'outcome', 'end', 'backend-state'];
  const told: { name: string; message: Record<string, unknown> }[] = [];
  const note = (message: unknown, name: string | symbol) => {
    told.push({ name: String(name).split(':')[2]!, message: message as Record<string, unknown> });
  };
  beforeEach(() => {
    told.length = 0;
    for (const name of NAMES) subscribe(`plimsoll:client:${name}`, note);
  });
  afterEach(() => {
    for (const name of NAMES) unsubscribe(`plimsoll:client:${name}`, note);
  });

  const of = (name: string) => told.filter((each) => each.name === name).map(({ message }) => message);

  it('tell of each attempt, how it ended, and how the call did', async () => {
    const { client, server } = await make({ retry: { maxAttempts: 2, budget: { ratio: 10 } } });
    await say(client);
    await say(client, 'refused');
    expect(of('attempt')).toMatchObject([
      { service: 'orders', attempt: 1, request: { path: '/test.Echo/Say', criticality: 'CRITICAL' } },
      { attempt: 1 },
      { attempt: 2 },
    ]);
    const backend = server.address;
    expect(of('outcome')).toMatchObject([
      { service: 'orders', backend, outcome: 'answered', status: 0 },
      { backend, outcome: 'task-overloaded', status: UNAVAILABLE },
      { backend, outcome: 'task-overloaded', status: UNAVAILABLE },
    ]);
    expect(of('end')).toMatchObject([
      { service: 'orders', error: undefined, request: { attempts: 1 } },
      { service: 'orders', error: { code: 'PLIMSOLL_OVERLOADED' }, request: { attempts: 2 } },
    ]);
    for (const { latencyMs } of [...of('outcome'), ...of('end')]) expect(latencyMs).toBeGreaterThanOrEqual(0);
    expect(of('backend-state')).toContainEqual({ service: 'orders', backend, state: 'ready' });
  });

  it('tell one outcome of every attempt and one end of every call, also when the caller gives up', async () => {
    const { client, server } = await make();
    let call: grpc.ClientUnaryCall | undefined;
    const ended = say(client, 'never', {}, new grpc.Metadata(), (made) => {
      call = made;
    });
    await until(() => server.calls === 1);
    call!.cancel();
    await ended;
    await say(client, 'never', { deadline: Date.now() + 50 });
    expect(of('outcome').map(({ outcome }) => outcome)).toEqual(['aborted', 'broken']);
    expect(of('end').map(({ error }) => (error as grpc.StatusObject).code)).toEqual([
      grpc.status.CANCELLED,
      grpc.status.DEADLINE_EXCEEDED,
    ]);
  });
});

describe('a span', () => {
  const spans = CollectedSpans.beforeEach();
  const ended = () =>
    spans.ended.map(({ name, kind, attributes, status }) => ({
      name,
      kind,
      attributes,
      isError: status.code === SpanStatusCode.ERROR,
    }));

  it('is made for an attempt, with what the conventions ask for', async () => {
    const { client, server } = await make();
    await say(client);
    expect(ended()).toEqual([
      {
        name: 'test.Echo/Say',
        kind: SpanKind.CLIENT,
        isError: false,
        attributes: {
          'rpc.system.name': 'grpc',
          'rpc.method': 'test.Echo/Say',
          'rpc.response.status_code': 'OK',
          'server.address': 'orders',
          'network.peer.address': '127.0.0.1',
          'network.peer.port': server.port,
        },
      },
    ]);
    expect(server.seen[0]!.get('traceparent')).toEqual([traceparentOf(spans.ended[0]!)]);
  });

  it('is made for each attempt, of the trace in which the call is made, and each backend sees its own', async () => {
    const { client, server } = await make({ retry: { maxAttempts: 2, budget: { ratio: 10 } } });
    await trace.getTracer('test').startActiveSpan('earlier', () => say(client));
    spans.forget();
    await trace.getTracer('test').startActiveSpan('outer', async (outer) => {
      await say(client, 'refused');
      outer.end();
    });
    const [first, second, outer, ...others] = spans.ended;
    expect(others).toEqual([]);
    const { traceId, spanId } = outer!.spanContext();
    for (const span of [first!, second!]) expect(span.parentSpanContext).toMatchObject({ traceId, spanId });
    expect(first!.attributes).not.toHaveProperty('previous-rpc-attempts');
    expect(second!.attributes).toMatchObject({
      'previous-rpc-attempts': 1,
      'rpc.response.status_code': 'UNAVAILABLE',
      'error.type': 'UNAVAILABLE',
    });
    const parents = server.seen.slice(1).map((metadata) => metadata.get('traceparent')[0]);
    expect(parents).toEqual([first!, second!].map(traceparentOf));
  });

  it('ends once, whoever gives up', async () => {
    const { client, server } = await make();
    let call: grpc.ClientUnaryCall | undefined;
    const running = say(client, 'never', {}, new grpc.Metadata(), (made) => {
      call = made;
    });
    await until(() => server.calls === 1);
    expect(ended()).toEqual([]);
    call!.cancel();
    await running;
    await say(client, 'never', { deadline: Date.now() + 50 });
    expect(ended()).toMatchObject([
      { isError: true, attributes: { 'rpc.response.status_code': 'CANCELLED' } },
      { isError: true, attributes: { 'rpc.response.status_code': 'DEADLINE_EXCEEDED' } },
    ]);
  });

  it('carries baggage, with the criticality beside it', async () => {
    const { client, server } = await make();
    const baggage = propagation.createBaggage({ plan: { value: 'gold' } });
    await context.with(propagation.setBaggage(context.active(), baggage), () =>
      say(client, 'there', callOptions({ criticality: 'SHEDDABLE' })),
    );
    expect(server.seen[0]!.get('baggage')).toEqual(['plan=gold,criticality=SHEDDABLE']);
  });

  it('is not made where none are wanted', async () => {
    const { client, server } = await make({ spans: false });
    await say(client);
    expect(ended()).toEqual([]);
    expect(server.seen[0]!.get('traceparent')).toEqual([]);
  });
});
