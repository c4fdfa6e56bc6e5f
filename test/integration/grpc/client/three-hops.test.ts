import * as grpc from '@grpc/grpc-js';
import { createClient } from 'plimsoll/client';
import { callOptions, guardGrpc, plimsollInterceptor } from 'plimsoll/grpc';
import { createGuard, currentRequest, serve } from 'plimsoll/server';
import { afterEach, describe, expect, it } from 'vitest';
import { clientOf, EchoServer, failWith, type Say, say } from './echo-service.js';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface Seen {
  readonly criticality: string;
  readonly customer: string;
  readonly attempt: number;
  readonly remainingMs: number;
  readonly traceId: string | undefined;
}

/** What the request being served says of itself. */
function here(): Seen {
  const request = currentRequest()!;
  const { criticality, customer, attempt, traceId } = request;
  return { criticality, customer, attempt, traceId, remainingMs: request.remainingMs() };
}

const LOCAL = { port: 0, host: '127.0.0.1' } as const;

async function httpServer(handler: Parameters<typeof serve>[0], refusals: 'throw' | 'answer' = 'answer') {
  const running = await serve(handler, LOCAL);
  const client = createClient({ backends: [`http://127.0.0.1:${running.port}`], refusals });
  ends.push(
    () => running.close({ spreadMs: 0, timeoutMs: 100 }),
    () => client.destroy(),
  );
  return client;
}

async function grpcServer(handler: Say) {
  const guard = createGuard({ health: { udp: false } });
  const server = new EchoServer({ say: handler }, (each) => guardGrpc(each, guard));
  await server.start();
  const client = clientOf([server], { interceptors: [plimsollInterceptor()] });
  ends.push(
    () => server.stop(),
    () => client.close(),
  );
  return { server, client };
}

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

describe('three hops', () => {
  it('HTTP, gRPC, HTTP keep criticality, customer, trace, the deadline, and count attempts each for itself', async () => {
    const seen: Record<'b' | 'c', Seen[]> = { b: [], c: [] };
    const toC = await httpServer((_req, res) => {
      seen.c.push(here());
      res.end('c');
    });
    let isFirst = true;
    const b = await grpcServer((_call, done) => {
      seen.b.push(here());
      if (isFirst) {
        isFirst = false;
        done({ code: grpc.status.INTERNAL, details: 'the first fails' });
        return;
      }
      toC.fetch('/').then(async (answer) => done(null, { text: await answer.text() }), done);
    });
    const toA = await httpServer(async (_req, res) => {
      const { error, reply } = await say(b.client, 'hello', callOptions({ idempotent: true }));
      if (error !== null) throw error;
      res.end(reply!.text);
    });
    const answer = await toA.fetch('/', {
      criticality: 'SHEDDABLE_PLUS',
      customer: 'mail',
      timeoutMs: 10_000,
      headers: { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` },
    });
    expect(await answer.text()).toBe('c');
    const kept = { criticality: 'SHEDDABLE_PLUS', customer: 'mail', traceId: TRACE };
    expect(seen.b).toMatchObject([
      { ...kept, attempt: 1 },
      { ...kept, attempt: 2 },
    ]);
    expect(seen.c).toMatchObject([{ ...kept, attempt: 1 }]);
    expect(seen.b[0]!.remainingMs).toBeLessThanOrEqual(10_000);
    expect(seen.c[0]!.remainingMs).toBeLessThanOrEqual(seen.b[0]!.remainingMs);
    expect(seen.c[0]!.remainingMs).toBeGreaterThan(5_000);
  });

  it('make a refusal at the last don’t retry to all above, and each makes its own attempts only', async () => {
    const calls = { b: 0, c: 0 };
    const toC = await httpServer((_req, res) => {
      calls.c++;
      res.writeHead(503, { 'x-envoy-overloaded': 'true' }).end();
    }, 'throw');
    const b = await grpcServer((_call, done) => {
      calls.b++;
      toC.fetch('/').then(() => done(null, { text: '' }), done);
    });
    const toA = await httpServer(async (_req, res) => {
      const { error } = await say(b.client);
      if (error !== null) throw error;
      res.end();
    });
    const answer = await toA.fetch('/');
    expect(answer.status).toBe(503);
    expect(answer.headers.get('grpc-retry-pushback-ms')).toBe('-1');
    // One retry is always granted to whoever is right above the one that refuses.
    expect(calls).toEqual({ b: 1, c: 2 });
  });

  it('hand on errors without what a backend said of itself', async () => {
    const guard = createGuard({ health: { udp: false } });
    const leaving = new EchoServer({ say: failWith(grpc.status.NOT_FOUND) }, (each) =>
      guardGrpc(each, guard),
    );
    await leaving.start();
    const toLeaving = clientOf([leaving], { interceptors: [plimsollInterceptor()] });
    ends.push(
      () => leaving.stop(),
      () => toLeaving.close(),
    );
    guard.lameDuck();
    // As handlers do: the error of a call is their own answer.
    const a = await grpcServer((call, done) =>
      say(toLeaving, call.request.text).then(({ error }) => done(error)),
    );
    const plain = clientOf([a.server]);
    ends.push(() => plain.close());
    const { error } = await say(plain);
    expect(error).toMatchObject({ code: grpc.status.NOT_FOUND, details: 'by the test' });
    expect(error!.metadata.get('x-envoy-immediate-health-check-fail')).toEqual([]);
  });

  it('gRPC, HTTP, gRPC keep them as well', async () => {
    const seen: Seen[] = [];
    const c = await grpcServer((_call, done) => {
      seen.push(here());
      done(null, { text: 'c' });
    });
    const toB = await httpServer(async (_req, res) => {
      seen.push(here());
      const { error, reply } = await say(c.client);
      if (error !== null) throw error;
      res.end(reply!.text);
    });
    const a = await grpcServer((_call, done) => {
      toB.fetch('/').then(async (answer) => done(null, { text: await answer.text() }), done);
    });
    const options = callOptions({ criticality: 'CRITICAL_PLUS', customer: 'maps', timeoutMs: 8_000 });
    expect((await say(a.client, 'hello', options)).reply).toEqual({ text: 'c' });
    const kept = { criticality: 'CRITICAL_PLUS', customer: 'maps', attempt: 1 };
    expect(seen).toMatchObject([kept, kept]);
    expect(seen[1]!.remainingMs).toBeLessThanOrEqual(seen[0]!.remainingMs);
    expect(seen[0]!.remainingMs).toBeLessThanOrEqual(8_000);
  });
});
