import * as grpc from '@grpc/grpc-js';
import { createClient } from 'plimsoll/client';
import { plimsollInterceptor } from 'plimsoll/grpc';
import { type RunningServer, serve } from 'plimsoll/server';
import { afterEach, describe, expect, it } from 'vitest';
import { clientOf, type Ended, failWith, say, startServers } from './echo-service.js';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A guarded HTTP server in front of a gRPC backend, and a client of the former. */
async function httpThenGrpc(handler: Parameters<typeof startServers>[1]) {
  const servers = await startServers(1, handler);
  const client = clientOf(servers, { interceptors: [plimsollInterceptor({ timeoutMs: 60_000 })] });
  const running: RunningServer = await serve(
    async (_req, res) => {
      const { error, reply }: Ended = await say(client);
      if (error !== null) throw error;
      res.end(reply!.text);
    },
    { port: 0, host: '127.0.0.1' },
  );
  const http = createClient({ backends: [`http://127.0.0.1:${running.port}`], refusals: 'answer' });
  ends.push(
    () => servers[0]!.stop(),
    () => client.close(),
    () => running.close({ spreadMs: 0, timeoutMs: 100 }),
    () => http.destroy(),
  );
  return { server: servers[0]!, http };
}

describe('a gRPC call of an HTTP handler', () => {
  it('keeps criticality, customer, trace and deadline', async () => {
    const { server, http } = await httpThenGrpc({});
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const answer = await http.fetch('/', {
      criticality: 'SHEDDABLE_PLUS',
      customer: 'mail',
      timeoutMs: 5_000,
      headers: { traceparent },
    });
    expect(await answer.text()).toBe('hello');
    const seen = server.seen[0]!.getMap();
    expect(seen).toMatchObject({
      'x-request-criticality': 'SHEDDABLE_PLUS',
      baggage: 'criticality=SHEDDABLE_PLUS',
      'x-plimsoll-customer': 'mail',
      'x-envoy-attempt-count': '1',
    });
    expect(seen['traceparent']).toMatch(/^00-4bf92f3577b34da6a3ce929d0e0e4736-/);
    // The interceptor's own is a minute.
    expect(server.timeoutMs).toBeLessThanOrEqual(5_000);
    expect(server.timeoutMs).toBeGreaterThan(3_000);
  });

  it('that is refused is answered as don’t retry when the handler lets it escape', async () => {
    const { http, server } = await httpThenGrpc({
      say: failWith(grpc.status.UNAVAILABLE, { 'x-envoy-overloaded': 'true' }),
    });
    const answer = await http.fetch('/');
    expect(answer.status).toBe(503);
    expect(answer.headers.get('x-envoy-overloaded')).toBe('true');
    expect(answer.headers.get('grpc-retry-pushback-ms')).toBe('-1');
    // One retry is always granted; neither layer made more.
    expect(server.calls).toBe(2);
  });
});
