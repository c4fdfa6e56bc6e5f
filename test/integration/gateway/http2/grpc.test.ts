import {
  type ClientDuplexStream,
  type ClientReadableStream,
  credentials,
  type Metadata,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../server/guarded-server.js';
import { expectNoMishaps } from '../../server/mishaps.js';
import { Echo, GrpcBackend, type Text } from './grpc-backend.js';
import { Http2Stage } from './http2-stage.js';

expectNoMishaps();

const stage = new Http2Stage();
afterEach(() => stage.stop());

async function aBackend(name?: string): Promise<GrpcBackend> {
  return stage.owns(await GrpcBackend.start(name), (backend) => backend.kill());
}

/** The same calls, with promises. */
class GrpcClient {
  readonly raw: InstanceType<typeof Echo>;

  /**
   * Several gateways take turns. With one, nothing is sent again by the client itself: what a gateway does would not be
   * seen. With several, calls are that a connection which is being closed has not sent, as gRPC has it.
   */
  constructor(ports: readonly number[]) {
    const target = `ipv4:${ports.map((port) => `127.0.0.1:${port}`).join(',')}`;
    this.raw = new Echo(target, credentials.createInsecure(), {
      'grpc.enable_retries': ports.length > 1 ? 1 : 0,
      'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
    });
  }

  unary(request: Text, timeoutMs = 20_000): Promise<Text & { readonly head: Metadata }> {
    return new Promise((resolve, reject) => {
      let head: Metadata;
      const call = this.raw['Unary']!(
        request,
        { deadline: Date.now() + timeoutMs },
        (error: ServiceError | null, answer: Text) => (error ? reject(error) : resolve({ ...answer, head })),
      );
      call.on('metadata', (given: Metadata) => {
        head = given;
      });
    });
  }
}

function aClient(...ports: number[]): GrpcClient {
  return stage.owns(new GrpcClient(ports), ({ raw }) => raw.close());
}

const settings = (backends: readonly GrpcBackend[], more = '') => `
services: { echo: { backends: [${backends.map(({ url }) => `"${url}"`).join(', ')}], http2: true, policy: round-robin } }
routes: [{ to: echo${more} }]
`;

async function failureOf(promise: Promise<unknown>): Promise<ServiceError> {
  return promise.then(
    () => {
      throw new Error('it did not fail');
    },
    (error: ServiceError) => error,
  );
}

describe('gRPC', () => {
  it('carries calls of all four kinds', async () => {
    const backend = await aBackend();
    const { gateway, port, errors } = await stage.gateway(settings([backend]));
    const client = aClient(port);
    const bytes = Buffer.alloc(300_000, 7);
    const answer = await client.unary({ text: 'hello', bytes });
    expect(answer.text).toBe('one');
    expect(Buffer.compare(answer.bytes!, bytes)).toBe(0);
    expect(answer.head.get('by')).toEqual(['one']);
    expect(backend.last!.metadata.get('x-forwarded-proto')).toEqual(['http']);

    const down = client.raw['Down']!({ count: 1_000 }) as ClientReadableStream<Text>;
    const counts: number[] = [];
    for await (const { count } of down) counts.push(count as number);
    expect(counts).toEqual(Array.from({ length: 1_000 }, (_, i) => i));

    const text = await new Promise<string>((resolve, reject) => {
      const up = client.raw['Up']!((error: ServiceError | null, given: Text) =>
        error ? reject(error) : resolve(given.text!),
      );
      for (const each of ['a', 'b', 'c']) up.write({ text: each });
      up.end();
    });
    expect(text).toBe('abc');

    const both = client.raw['Both']!() as ClientDuplexStream<Text, Text>;
    const heard: string[] = [];
    both.on('data', ({ text: given }: Text) => heard.push(given!));
    for (let i = 0; i < 5; i++) {
      // Each is heard before the next is said.
      both.write({ text: `${i}` });
      await until(() => heard.length === i + 1);
    }
    const ended = new Promise((resolve) => both.on('status', resolve));
    both.end();
    expect(await ended).toMatchObject({ code: status.OK });
    expect(heard).toEqual(['one: 0', 'one: 1', 'one: 2', 'one: 3', 'one: 4']);
    await until(() => gateway.guard.snapshot().inFlight === 0);
    expect(errors).toEqual([]);
  });

  it('passes errors on with all they say', async () => {
    const backend = await aBackend();
    const { port } = await stage.gateway(settings([backend]));
    const error = await failureOf(aClient(port).unary({ text: 'fail' }));
    expect(error).toMatchObject({ code: status.FAILED_PRECONDITION, details: 'not now: ü' });
    expect(error.metadata.get('why')).toEqual(['because']);
    expect(error.metadata.get('detail-bin')).toEqual([Buffer.from([0, 1, 255])]);
  });

  it('sends each call where it belongs, and not each connection', async () => {
    const backends = [await aBackend('one'), await aBackend('two'), await aBackend('three')];
    const { gateway, port } = await stage.gateway(settings(backends));
    const client = aClient(port);
    await client.unary({ text: 'first' });
    await until(() => {
      const [route] = [...gateway.generation.services.values()];
      return route!.client.snapshot().states.ready === 3;
    });
    const before = backends.map(({ calls }) => calls);
    for (let i = 0; i < 30; i++) await client.unary({ text: 'x' });
    expect(backends.map(({ calls }, i) => calls - before[i]!)).toEqual([10, 10, 10]);
  });

  it('ends calls in time, and says by when to backends', async () => {
    const backend = await aBackend();
    const { port } = await stage.gateway(settings([backend], ', timeout: 200ms'));
    const client = aClient(port);
    expect(await failureOf(client.unary({ text: 'slow' }))).toMatchObject({ code: status.DEADLINE_EXCEEDED });
    expect(backend.last!.deadlineMs).toBeLessThan(201);
    await until(() => backend.cancelled === 1);
    const open = client.raw['Down']!({ text: 'open', count: 3 }) as ClientReadableStream<Text>;
    const counts: number[] = [];
    open.on('data', ({ count }: Text) => counts.push(count!));
    const ended = await new Promise((resolve) => open.on('error', resolve));
    expect(ended).toMatchObject({ code: status.DEADLINE_EXCEEDED });
    expect(counts).toEqual([0, 1, 2]);
  });

  it('ends a call whose client has waited long enough, or has gone', async () => {
    const backend = await aBackend();
    const { gateway, port } = await stage.gateway(settings([backend]));
    const client = aClient(port);
    expect(await failureOf(client.unary({ text: 'slow' }, 100))).toMatchObject({
      code: status.DEADLINE_EXCEEDED,
    });
    await until(() => backend.cancelled === 1);
    const both = client.raw['Both']!() as ClientDuplexStream<Text, Text>;
    both.on('error', () => {});
    both.write({ text: 'x' });
    await until(() => backend.calls === 2);
    both.cancel();
    await until(() => backend.cancelled === 2 && gateway.guard.snapshot().inFlight === 0);
    const [service] = gateway.generation.services.values();
    await until(() => service!.client.snapshot().backends[0]!.active === 0);
  });

  it('is refused in its own words', async () => {
    const backend = await aBackend();
    const { port } = await stage.gateway(`
services: { echo: { backends: ["${backend.url}"], http2: true }, none: { backends: ["http://127.0.0.1:1"], http2: true } }
limits: { few: { rate: 1/min, key: all } }
identity: { apiKeys: { keys: { "sha256:${'0'.repeat(64)}": acme } } }
routes:
  - { path: /echo.Echo/Unary, to: echo, limits: [few] }
  - { path: /echo.Echo/Up, to: echo, identity: required }
  - { path: /echo.Echo/Both, to: none }
`);
    const client = aClient(port);
    await client.unary({ text: 'x' });
    const limited = await failureOf(client.unary({ text: 'x' }));
    expect(limited.code).toBe(status.RESOURCE_EXHAUSTED);
    expect(Number(limited.metadata.get('grpc-retry-pushback-ms')[0])).toBeGreaterThan(0);
    const stranger = await failureOf(
      new Promise((resolve, reject) =>
        client.raw['Up']!((error: ServiceError | null) => (error ? reject(error) : resolve(0))).end(),
      ),
    );
    expect(stranger.code).toBe(status.UNAUTHENTICATED);
    const nobody = client.raw['Both']!() as ClientDuplexStream<Text, Text>;
    nobody.end();
    expect(await new Promise((resolve) => nobody.on('error', resolve))).toMatchObject({
      code: status.UNAVAILABLE,
    });
    const unknown = client.raw['Down']!({}) as ClientReadableStream<Text>;
    expect(await new Promise((resolve) => unknown.on('error', resolve))).toMatchObject({
      code: status.UNIMPLEMENTED,
    });
  });

  it('loses no call when a backend goes in good order, and none but those at it when it dies', async () => {
    const one = await aBackend('one');
    const two = await aBackend('two');
    const { port } = await stage.gateway(settings([one, two]));
    const client = aClient(port);
    const failed: ServiceError[] = [];
    let isOver = false;
    let answered = 0;
    const callers = Array.from({ length: 8 }, async () => {
      while (!isOver)
        await client.unary({ text: 'x' }).then(
          () => answered++,
          (error: ServiceError) => failed.push(error),
        );
    });
    await until(() => one.calls > 50 && two.calls > 50);
    await one.drain();
    const from = answered;
    await until(() => answered > from + 200);
    expect(failed).toEqual([]);
    const again = stage.owns(await GrpcBackend.start('again', one.port), (backend) => backend.kill());
    await until(() => again.calls > 20);
    two.kill();
    const later = answered;
    await until(() => answered > later + 200);
    isOver = true;
    await Promise.all(callers);
    // Those that were on their way, of eight.
    expect(failed.length).toBeLessThanOrEqual(8);
    for (const { code } of failed) expect(code).toBe(status.UNAVAILABLE);
  });

  it('loses no call when a gateway goes', async () => {
    const backend = await aBackend();
    const going = await stage.gateway(settings([backend]));
    const staying = await stage.gateway(settings([backend]));
    const client = aClient(going.port, staying.port);
    const failed: ServiceError[] = [];
    let answered = 0;
    let isOver = false;
    const callers = Array.from({ length: 8 }, async () => {
      while (!isOver)
        await client.unary({ text: 'x' }).then(
          () => answered++,
          (error: ServiceError) => failed.push(error),
        );
    });
    const served = ({ gateway }: typeof going) => Object.values(gateway.snapshot().routes)[0]!.requests;
    await until(() => served(going) > 50 && served(staying) > 50);
    await going.gateway.close({ timeoutMs: 30_000, spreadMs: 200 });
    const from = answered;
    await until(() => answered > from + 100);
    isOver = true;
    await Promise.all(callers);
    expect(failed).toEqual([]);
  });
});
