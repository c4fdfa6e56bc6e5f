import * as grpc from '@grpc/grpc-js';
import { callOptions, plimsollInterceptor } from 'plimsoll/grpc';
import { afterEach, describe, expect, it } from 'vitest';
import { clientOf, failWith, type Say, say, startServers, trailers } from './echo-service.js';

const { UNAVAILABLE } = grpc.status;
const OVERLOADED = { 'x-envoy-overloaded': 'true' };
const running: { stop(): void }[] = [];

afterEach(() => {
  for (const each of running.splice(0)) each.stop();
});

async function make(handler: Say) {
  const [server] = await startServers(1, { say: handler });
  const interceptors = [plimsollInterceptor({ service: 'echo', retry: { budget: { ratio: 5 } } })];
  const client = clientOf([server!], { interceptors });
  running.push(server!, { stop: () => client.close() });
  return { server: server!, client };
}

describe('a unary call that is called overloaded after its answer has begun', () => {
  const begunThenRefused: Say = (call, done) => {
    call.sendMetadata(new grpc.Metadata());
    setImmediate(done, { code: UNAVAILABLE, details: 'by the test', metadata: trailers(OVERLOADED) });
  };

  it('may have been processed, and is sent again only where that does no harm', async () => {
    const { server, client } = await make(begunThenRefused);
    const { error } = await say(client);
    expect([error!.code, server.calls]).toEqual([UNAVAILABLE, 1]);
    await say(client, 'twice', callOptions({ idempotent: true }));
    expect(server.calls).toBe(4);
  });

  it('is no proof to the layer above, either', async () => {
    const below = await make(begunThenRefused);
    const above = await make((_, done) => void say(below.client).then(({ error }) => done(error)));
    const { error } = await say(above.client);
    expect([error!.code, above.server.calls, below.server.calls]).toEqual([UNAVAILABLE, 1, 1]);
  });
});

it('a backend that asks to wait for a day is not waited for', async () => {
  const { server, client } = await make(
    failWith(UNAVAILABLE, { ...OVERLOADED, 'grpc-retry-pushback-ms': '86400000' }),
  );
  const { error } = await say(client);
  expect([error!.code, server.calls]).toEqual([UNAVAILABLE, 1]);
});
