import * as grpc from '@grpc/grpc-js';
import {
  callOptions,
  type InterceptorOptions,
  plimsollInterceptor,
  RejectedError,
  registerPolicies,
  serviceConfigFor,
} from 'plimsoll/grpc';
import { afterEach, describe, expect, it } from 'vitest';
import {
  clientOf,
  failWith,
  type Message,
  type Say,
  say,
  sayMany,
  startServers,
  until,
} from './echo-service.js';

const { UNAVAILABLE, INTERNAL, RESOURCE_EXHAUSTED, DEADLINE_EXCEEDED, CANCELLED } = grpc.status;
const policies = registerPolicies(grpc);
const running: { stop(): void }[] = [];

afterEach(() => {
  for (const each of running.splice(0)) each.stop();
});

/** Servers, and a client with the interceptor and the plainest of our policies. */
async function make(count: number, handler: Say | undefined, options: InterceptorOptions = {}) {
  const servers = await startServers(count, handler === undefined ? {} : { say: handler });
  const interceptor = plimsollInterceptor({ service: 'echo', ...options });
  const client = clientOf(servers, {
    interceptors: [interceptor],
    'grpc.service_config': serviceConfigFor('round-robin', { subset: false }),
  });
  running.push(...servers, { stop: () => client.close() });
  const calls = () => servers.reduce((sum, server) => sum + server.calls, 0);
  return { servers, interceptor, client, calls };
}

/** Nothing of what has ended is still counted anywhere. */
async function expectNothingLeft(interceptor: ReturnType<typeof plimsollInterceptor>): Promise<void> {
  const { running: calls, active } = interceptor.snapshot();
  expect({ calls, active }).toEqual({ calls: 0, active: 0 });
  await until(() =>
    policies.snapshot().every(({ backends }) => backends.every(({ active }) => active === 0)),
  );
}

const OVERLOADED = { 'x-envoy-overloaded': 'true' };
const DONT_RETRY = { ...OVERLOADED, 'grpc-retry-pushback-ms': '-1' };

describe('retries', () => {
  it('an overloaded task at once, elsewhere, and says which attempt it is', async () => {
    const { servers, client, interceptor, calls } = await make(2, undefined);
    await say(client);
    servers[0]!.handlers = { say: failWith(UNAVAILABLE, OVERLOADED) };
    const ends = [await say(client), await say(client)];
    expect(ends.map(({ error }) => error)).toEqual([null, null]);
    expect(calls()).toBe(4);
    const last = servers[1]!.seen.find((metadata) => metadata.get('x-envoy-attempt-count')[0] === '2')!;
    expect(last.get('grpc-previous-rpc-attempts')).toEqual(['1']);
    expect(servers[0]!.seen.at(-1)!.get('grpc-previous-rpc-attempts')).toEqual([]);
    await expectNothingLeft(interceptor);
  });

  it('three attempts at the most, and tells the layer above not to make more', async () => {
    const { client, calls, interceptor } = await make(1, failWith(UNAVAILABLE, OVERLOADED), {
      retry: { budget: { ratio: 5 } },
    });
    const { error } = await say(client);
    expect(calls()).toBe(3);
    expect(error).toMatchObject({ code: UNAVAILABLE, details: 'by the test' });
    expect(error!.metadata.get('grpc-retry-pushback-ms')).toEqual(['-1']);
    expect(error!.cause).toBeInstanceOf(RejectedError);
    expect(error!.cause).toMatchObject({ code: 'PLIMSOLL_OVERLOADED' });
    await expectNothingLeft(interceptor);
  });

  it('a tenth of the calls, however many fail', async () => {
    const { client, calls, interceptor } = await make(2, failWith(UNAVAILABLE, OVERLOADED), {
      throttle: false,
      // However long a busy machine takes for them.
      retry: { budget: { windowMs: 3_600_000 } },
    });
    await sayMany(client, 1_000);
    const { budget, attempts } = interceptor.snapshot();
    expect(attempts).toBe(calls());
    expect(attempts - 1_000).toBeGreaterThan(50);
    expect(attempts - 1_000).toBeLessThanOrEqual(100);
    expect(budget.retries).toBe(attempts - 1_000);
    await expectNothingLeft(interceptor);
  });

  it('nothing when the backend asks not to', async () => {
    const { client, calls } = await make(2, failWith(UNAVAILABLE, DONT_RETRY));
    const { error } = await say(client);
    expect(calls()).toBe(1);
    expect(error!.cause).toMatchObject({ code: 'PLIMSOLL_DONT_RETRY' });
    // A handler's own failure, too: gRFC A6 has it for every status.
    const other = await make(2, failWith(INTERNAL, { 'grpc-retry-pushback-ms': '-1' }), { idempotent: true });
    await say(other.client);
    expect(other.calls()).toBe(1);
  });

  it('after as long as the backend asks to wait, if there is so much time', async () => {
    const { client, calls } = await make(
      1,
      failWith(UNAVAILABLE, { ...OVERLOADED, 'grpc-retry-pushback-ms': '150' }),
      {
        retry: { maxAttempts: 2 },
      },
    );
    const begunMs = performance.now();
    await say(client);
    expect(performance.now() - begunMs).toBeGreaterThan(149);
    expect(calls()).toBe(2);
    await say(client, 'soon', { deadline: Date.now() + 100 });
    expect(calls()).toBe(3);
  });

  it('what failed or broke only where doing it twice does no harm', async () => {
    const failing = failWith(INTERNAL);
    const { client, calls, servers } = await make(1, failing, {
      retry: { maxAttempts: 2, budget: { ratio: 5 } },
    });
    await say(client);
    expect(calls()).toBe(1);
    await say(client, 'twice', callOptions({ idempotent: true }));
    expect(calls()).toBe(3);
    const named = await make(1, failing, { idempotent: ['/test.Echo/Say'], retry: { maxAttempts: 2 } });
    await say(named.client);
    expect(named.calls()).toBe(2);
    // A reset is no proof that nothing was done.
    servers[0]!.handlers = { say: (call) => resetOf(call) };
    const { error } = await say(client);
    expect([calls(), error!.code]).toEqual([4, UNAVAILABLE]);
    await say(client, 'twice', callOptions({ idempotent: true }));
    expect(calls()).toBe(6);
  });

  it('a stream until its answer has begun, with the request that was sent', async () => {
    const { client, servers, calls } = await make(1, undefined, { retry: { budget: { ratio: 5 } } });
    let failures = 0;
    servers[0]!.handlers = {
      list: (call) => {
        if (failures++ === 0) call.emit('error', refusal());
        else {
          call.write({ text: `${call.request.text} 1` });
          call.write({ text: `${call.request.text} 2` });
          call.end();
        }
      },
    };
    expect(await listOf(client, 'item')).toEqual({ texts: ['item 1', 'item 2'], code: undefined });
    expect(calls()).toBe(2);
    servers[0]!.handlers = {
      list: (call) => {
        call.write({ text: 'begun' });
        call.emit('error', refusal());
      },
    };
    expect(await listOf(client, 'item')).toEqual({ texts: ['begun'], code: UNAVAILABLE });
    expect(calls()).toBe(3);
  });

  it('nothing of a request stream that has begun', async () => {
    const { client, servers, calls } = await make(1, undefined, { retry: { budget: { ratio: 5 } } });
    servers[0]!.handlers = {
      collect: (call, done) => call.once('data', () => done(refusal())),
    };
    const code = await new Promise<number | undefined>((resolve) => {
      type Collect = (
        callback: (error: grpc.ServiceError | null) => void,
      ) => grpc.ClientWritableStream<Message>;
      const stream = (client['collect'] as Collect).call(client, (error) => resolve(error?.code));
      stream.on('error', () => {});
      stream.write({ text: 'first' });
    });
    expect([code, calls()]).toEqual([UNAVAILABLE, 1]);
  });
});

describe('the throttle', () => {
  it('withholds calls of a kind that is being refused, and says so by a stable code', async () => {
    const { client, calls, interceptor } = await make(1, failWith(UNAVAILABLE, DONT_RETRY));
    const ends = await sayMany(client, 600, 5, () => callOptions({ criticality: 'SHEDDABLE' }));
    const withheld = ends.filter(({ error }) => error!.details.startsWith('PLIMSOLL_THROTTLED'));
    expect(withheld.length).toBeGreaterThan(400);
    expect(withheld[0]!.error).toMatchObject({
      code: UNAVAILABLE,
      cause: { code: 'PLIMSOLL_THROTTLED', retry: 'no' },
    });
    expect(withheld[0]!.error!.metadata.getMap()).toEqual({
      'x-envoy-overloaded': 'true',
      'grpc-retry-pushback-ms': '-1',
    });
    expect(calls() + withheld.length).toBe(600);
    const before = calls();
    await say(client, 'hello', callOptions({ criticality: 'CRITICAL_PLUS' }));
    expect(calls()).toBe(before + 1);
    await expectNothingLeft(interceptor);
  });

  it('counts a limit against that customer only, and what says nothing of the service against nobody', async () => {
    const limited = failWith(RESOURCE_EXHAUSTED, { 'x-envoy-ratelimited': 'true' });
    const { client, interceptor, servers, calls } = await make(1, limited);
    await sayMany(client, 50, 5, () => callOptions({ customer: 'mail' }));
    await say(client, 'hello', callOptions({ customer: 'maps' }));
    const rejects = () =>
      Object.fromEntries(interceptor.snapshot().throttle.map(({ customer, rejects }) => [customer, rejects]));
    expect(rejects()['mail']).toBeGreaterThan(10);
    expect(rejects()['maps']).toBe(1);
    // Each attempt once: a limit is not retried.
    expect(calls()).toBe(interceptor.snapshot().attempts);
    for (const code of [grpc.status.NOT_FOUND, grpc.status.UNIMPLEMENTED, RESOURCE_EXHAUSTED, INTERNAL]) {
      servers[0]!.handlers = { say: failWith(code) };
      await say(client, 'hello', callOptions({ customer: `own ${code}` }));
      expect(rejects()[`own ${code}`]).toBe(0);
    }
  });
});

describe('the end of a call', () => {
  it('by its caller is counted nowhere, at whatever moment', async () => {
    const { client, interceptor, servers } = await make(2, () => {});
    const ends = await Promise.all([
      say(client, 'now', {}, new grpc.Metadata(), (call) => call.cancel()),
      say(client, 'next tick', {}, new grpc.Metadata(), (call) => process.nextTick(() => call.cancel())),
      say(client, 'soon', {}, new grpc.Metadata(), (call) => setImmediate(() => call.cancel())),
      say(client, 'later', {}, new grpc.Metadata(), (call) => {
        void until(() => servers.some(({ calls }) => calls > 0)).then(() => call.cancel());
      }),
    ]);
    expect(ends.map(({ error }) => error!.code)).toEqual([CANCELLED, CANCELLED, CANCELLED, CANCELLED]);
    expect(interceptor.snapshot().throttle[0]).toMatchObject({ requests: 0 });
    await expectNothingLeft(interceptor);
  });

  it('by its deadline counts against the service if it was sent, and not otherwise', async () => {
    const { client, interceptor, calls } = await make(1, () => {});
    const { error } = await say(client, 'slow', { deadline: Date.now() + 50 });
    expect([error!.code, calls()]).toEqual([DEADLINE_EXCEEDED, 1]);
    expect(interceptor.snapshot().throttle[0]).toMatchObject({ requests: 1, rejects: 1 });
    const late = await say(client, 'late', { deadline: Date.now() - 1 });
    expect(late.error).toMatchObject({ code: DEADLINE_EXCEEDED, cause: { code: 'PLIMSOLL_DEADLINE' } });
    expect(interceptor.snapshot().throttle[0]).toMatchObject({ requests: 1 });
    expect(calls()).toBe(1);
    await expectNothingLeft(interceptor);
  });

  it('where no backend can be reached is an error that says so, and counts for nothing', async () => {
    const [gone] = await startServers(1);
    gone!.stop();
    const interceptor = plimsollInterceptor();
    const client = clientOf([gone!], {
      interceptors: [interceptor],
      'grpc.service_config': serviceConfigFor('weighted'),
    });
    running.push({ stop: () => client.close() });
    const { error } = await say(client);
    expect(error).toMatchObject({
      code: UNAVAILABLE,
      cause: { code: 'PLIMSOLL_NO_BACKEND', retry: 'later' },
    });
    expect(error!.details).toMatch(
      /^PLIMSOLL_NO_BACKEND: none of 1 backends is usable: 1 refusing; .*ECONNREFUSED/,
    );
    expect(interceptor.snapshot()).toMatchObject({ attempts: 1, throttle: [{ requests: 0 }] });
    await expectNothingLeft(interceptor);
  });

  it('is the same where the policy is not ours', async () => {
    const servers = await startServers(2, { say: failWith(UNAVAILABLE, OVERLOADED) });
    const interceptor = plimsollInterceptor({ retry: { budget: { ratio: 5 } } });
    const client = clientOf(servers, { interceptors: [interceptor] });
    running.push(...servers, { stop: () => client.close() });
    const { error } = await say(client);
    expect(error!.cause).toMatchObject({ code: 'PLIMSOLL_OVERLOADED' });
    expect(interceptor.snapshot()).toMatchObject({ attempts: 3, running: 0, active: 0 });
    for (const server of servers) server.stop();
    await until(
      () => client.getChannel().getConnectivityState(true) === grpc.connectivityState.TRANSIENT_FAILURE,
    );
    const gone = await say(client);
    expect(gone.error!.code).toBe(UNAVAILABLE);
    expect(interceptor.snapshot()).toMatchObject({ throttle: [{ requests: 3 }], running: 0, active: 0 });
  });
});

describe('what a call takes along', () => {
  it('is said by us, once, whatever was copied from the request being served', async () => {
    const { client, servers } = await make(1, undefined, {
      criticality: 'CRITICAL_PLUS',
      customer: 'mail',
      timeoutMs: 5_000,
    });
    const metadata = new grpc.Metadata();
    metadata.set('x-request-criticality', 'SHEDDABLE');
    metadata.set('x-envoy-attempt-count', '7');
    metadata.set('x-plimsoll-customer', 'somebody');
    metadata.set('grpc-previous-rpc-attempts', '6');
    metadata.set('baggage', 'tenant=a,criticality=SHEDDABLE');
    metadata.set('x-own', 'kept');
    await say(client, 'hello', {}, metadata);
    const { 'grpc-timeout': _, ...seen } = servers[0]!.seen[0]!.getMap();
    expect(seen).toMatchObject({
      'x-request-criticality': 'CRITICAL_PLUS',
      'x-envoy-attempt-count': '1',
      'x-plimsoll-customer': 'mail',
      baggage: 'tenant=a,criticality=CRITICAL_PLUS',
      'x-own': 'kept',
    });
    expect(Object.keys(seen)).not.toContain('grpc-previous-rpc-attempts');
    expect(metadata.getMap()['x-envoy-attempt-count']).toBe('7');
  });

  it('refuses impossible options with their names', () => {
    expect(() => plimsollInterceptor({ idempotent: ['Say'] })).toThrow('idempotent must hold paths such as');
    expect(() => plimsollInterceptor({ retries: 3 } as InterceptorOptions)).toThrow(
      'has no option "retries"',
    );
    expect(() => callOptions({ criticality: 'HIGH' as 'CRITICAL', nice: 1 } as never)).toThrow(
      'has no option "nice"',
    );
    expect(() => serviceConfigFor('weighted', { blackoutMs: -1 })).toThrow(
      'blackoutMs must be a finite number >= 0',
    );
    expect(() => serviceConfigFor('round-robin', { probe: 'orca' } as never)).toThrow(
      'has no option "probe"',
    );
    expect(() => serviceConfigFor('weighted', { subset: { size: 0 } })).toThrow(
      'subset.size must be an integer >= 1',
    );
  });
});

/** The connection of a call ends under it. */
function resetOf(call: grpc.ServerUnaryCall<Message, Message>): void {
  type Inside = { call: { nextCall?: unknown; stream?: { session: { destroy(): void } } } };
  let inside = (call as unknown as Inside).call;
  while (inside.stream === undefined && inside.nextCall !== undefined)
    inside = inside.nextCall as Inside['call'];
  inside.stream!.session.destroy();
}

function refusal(): Partial<grpc.StatusObject> & Error {
  const metadata = new grpc.Metadata();
  for (const [name, value] of Object.entries(OVERLOADED)) metadata.set(name, value);
  return Object.assign(new Error('by the test'), { code: UNAVAILABLE, details: 'by the test', metadata });
}

function listOf(client: ReturnType<typeof clientOf>, text: string) {
  return new Promise<{ texts: string[]; code: number | undefined }>((resolve) => {
    const texts: string[] = [];
    type List = (request: Message) => grpc.ClientReadableStream<Message>;
    const stream = (client['list'] as List).call(client, { text });
    stream.on('data', (message: Message) => texts.push(message.text));
    stream.on('error', (error: grpc.ServiceError) => resolve({ texts, code: error.code }));
    stream.on('end', () => resolve({ texts, code: undefined }));
  });
}
