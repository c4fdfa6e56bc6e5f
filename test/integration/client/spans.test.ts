import { Readable } from 'node:stream';
import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ClientOptions } from '../../../src/client/index.js';
import { refusalHeaders } from '../../../src/wire/index.js';
import { until } from '../server/guarded-server.js';
import { expectNoMishaps } from '../server/mishaps.js';
import { CollectedSpans, traceparentOf } from './collected-spans.js';
import { Fleet, type PlainServer } from './fleet.js';

expectNoMishaps();

const spans = CollectedSpans.beforeEach();
const fleet = new Fleet();
/** Headers of each request that a backend got. */
let seen: Record<string, string | string[] | undefined>[];

beforeEach(() => {
  seen = [];
});
afterEach(() => fleet.stop());

/** `/refused` is shed, `/broken` ends the connection, `/half` has half an answer, `/never` none. */
function aBackend(): Promise<PlainServer> {
  return fleet.plain((req, res) => {
    seen.push(req.headers);
    const path = req.url!.split('?')[0];
    if (path === '/refused') res.writeHead(503, refusalHeaders('task-overloaded')).end();
    else if (path === '/missing') res.writeHead(404).end();
    else if (path === '/broken') res.destroy();
    else if (path === '/half') res.write('half');
    else if (path !== '/never') res.end('ok');
  });
}

async function aClient(options: Partial<ClientOptions> = {}) {
  const backend = await aBackend();
  const client = fleet.client({
    backends: [backend.url],
    health: false,
    throttle: false,
    retry: { maxAttempts: 2, budget: { ratio: 10 } },
    ...options,
  });
  await until(() => client.snapshot().states.ready === 1);
  return { backend, client };
}

const finished = () =>
  spans.ended.map(({ name, kind, attributes, status }) => ({
    name,
    kind,
    attributes,
    isError: status.code === SpanStatusCode.ERROR,
  }));

describe('a span', () => {
  test('is made for an attempt, with what the conventions ask for', async () => {
    const { backend, client } = await aClient();
    await (await client.fetch('/a?b=c', { method: 'PUT' })).text();
    expect(finished()).toEqual([
      {
        name: 'PUT',
        kind: SpanKind.CLIENT,
        isError: false,
        attributes: {
          'http.request.method': 'PUT',
          'server.address': '127.0.0.1',
          'server.port': backend.port,
          'url.full': `${backend.url}/a?b=c`,
          'http.response.status_code': 200,
        },
      },
    ]);
  });

  test('is made for each attempt: a retry has its number, and each backend sees the span that is its own', async () => {
    const { client } = await aClient();
    await expect(client.fetch('/refused')).rejects.toMatchObject({ code: 'PLIMSOLL_OVERLOADED' });
    const [first, second, ...others] = spans.ended;
    expect(others).toEqual([]);
    expect(first!.attributes).not.toHaveProperty('http.request.resend_count');
    expect(second!.attributes).toMatchObject({
      'http.request.resend_count': 1,
      'http.response.status_code': 503,
      'error.type': '503',
    });
    expect(finished().map(({ isError }) => isError)).toEqual([true, true]);
    const parents = [first!, second!].map(traceparentOf);
    expect(seen.map(({ traceparent }) => traceparent)).toEqual(parents);
    expect(new Set(parents).size).toBe(2);
  });

  test('belongs to the trace in which the request is made', async () => {
    const { client } = await aClient();
    await trace.getTracer('test').startActiveSpan('outer', async (outer) => {
      await (await client.fetch('/', { headers: { traceparent: 'theirs' } })).text();
      outer.end();
    });
    const [inner, outer] = spans.ended;
    expect(outer!.name).toBe('outer');
    expect(inner!.parentSpanContext?.spanId).toBe(outer!.spanContext().spanId);
    // Said once, by the tracer.
    expect(seen[0]!['traceparent']).toBe(traceparentOf(inner!));
  });

  test('of a retry belongs there, too', async () => {
    const { client } = await aClient();
    // Connections, and what happens on them, belong to whoever was the first to need them.
    await trace.getTracer('test').startActiveSpan('earlier', async () => {
      await (await client.fetch('/')).text();
    });
    spans.forget();
    await trace.getTracer('test').startActiveSpan('outer', async (outer) => {
      await expect(client.fetch('/refused')).rejects.toThrow();
      outer.end();
    });
    const [first, second, outer] = spans.ended;
    const { traceId, spanId } = outer!.spanContext();
    for (const span of [first!, second!]) expect(span.parentSpanContext).toMatchObject({ traceId, spanId });
  });

  test('is no error when the answer says that the caller is wrong', async () => {
    const { client } = await aClient();
    await client.fetch('/missing');
    expect(finished()).toMatchObject([{ isError: false, attributes: { 'http.response.status_code': 404 } }]);
    expect(finished()[0]!.attributes).not.toHaveProperty('error.type');
  });

  test('is an error when there is no answer, or one too late', async () => {
    const { client } = await aClient();
    await expect(client.fetch('/never', { timeoutMs: 30 })).rejects.toThrow('deadline');
    expect(finished()).toMatchObject([{ isError: true, attributes: { 'error.type': 'broken' } }]);
    spans.forget();
    await until(() => client.snapshot().states.ready === 1);
    await expect(client.fetch('/broken', { method: 'POST' })).rejects.toThrow();
    expect(finished()).toMatchObject([{ isError: true, attributes: { 'error.type': 'broken' } }]);
  });

  test('ends when the caller gives up, before or after the answer begins', async () => {
    const { client } = await aClient();
    const abort = new AbortController();
    const running = client.fetch('/never', { signal: abort.signal });
    await until(() => seen.length === 1);
    expect(finished()).toEqual([]);
    abort.abort();
    await expect(running).rejects.toThrow('aborted');
    expect(finished()).toMatchObject([{ isError: false }]);
    expect(finished()[0]!.attributes).not.toHaveProperty('http.response.status_code');
    spans.forget();
    const { body } = await client.request('/half');
    body.destroy();
    await until(() => finished().length === 1);
    expect(finished()).toMatchObject([{ isError: false, attributes: { 'http.response.status_code': 200 } }]);
  });

  test('ends when the body to be sent fails', async () => {
    const { client } = await aClient();
    const body = Readable.from(
      (async function* () {
        yield 'a';
        throw new Error('the disk is gone');
      })(),
    );
    await expect(client.request('/', { method: 'PUT', body })).rejects.toThrow('the disk is gone');
    expect(finished()).toHaveLength(1);
  });

  test('ends when the connection breaks in the middle of an answer', async () => {
    const backend = await fleet.plain((_req, res) => {
      res.write('half');
      setTimeout(() => res.destroy(), 10);
    });
    const { client } = await aClient({ backends: [backend.url] });
    const { body } = await client.request('/');
    await expect(body.text()).rejects.toThrow();
    expect(finished()).toMatchObject([{ isError: true, attributes: { 'http.response.status_code': 200 } }]);
  });

  test('is not made where none are wanted', async () => {
    const { client } = await aClient({ spans: false });
    await (await client.fetch('/')).text();
    expect(finished()).toEqual([]);
    expect(seen[0]).not.toHaveProperty('traceparent');
  });
});

describe('baggage', () => {
  test('carries the criticality beside what the tracing library writes', async () => {
    const { client } = await aClient();
    const baggage = propagation.createBaggage({
      plan: { value: 'gold' },
      criticality: { value: 'CRITICAL_PLUS' },
    });
    await context.with(propagation.setBaggage(context.active(), baggage), async () => {
      await (await client.fetch('/', { criticality: 'SHEDDABLE' })).text();
    });
    expect(seen[0]!['baggage']).toBe('plan=gold,criticality=SHEDDABLE');
    expect(seen[0]!['x-request-criticality']).toBe('SHEDDABLE');
  });

  test('is our own where the library has none', async () => {
    const { client } = await aClient();
    await (await client.fetch('/', { headers: { baggage: 'a=1' } })).text();
    expect(seen[0]!['baggage']).toBe('a=1,criticality=CRITICAL');
  });
});
