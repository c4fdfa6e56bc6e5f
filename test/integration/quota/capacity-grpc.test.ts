import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as grpc from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from 'vitest';
import { addCapacityService, grpcCapacity } from '../../../src/grpc/index.js';
import { createCapacityClient, createCapacityServer, redisMastership } from '../../../src/quota/index.js';
import { decodeAsPublished, encodeAsPublished } from '../../../src/wire/capacity/capacity-proto.contract.js';
import { RedisServer } from '../../redis/redis-server.js';
import { root } from '../../tidy/sources.js';
import { until } from '../client/until.js';
import { expectNoMishaps } from '../server/mishaps.js';
import { describeCapacity } from './capacity.contract.js';
import { CapacityBed, FIRST, TIMES } from './capacity-bed.js';
import { BY_GRPC, bound, call } from './capacity-grpc-bed.js';

expectNoMishaps();
const bed = new CapacityBed(BY_GRPC);

const owned: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of owned.splice(0).reverse()) await end();
});

const RESOURCES = { gpu: { ...FIRST, capacity: 100 } };
const { INVALID_ARGUMENT, NOT_FOUND, OK, RESOURCE_EXHAUSTED } = grpc.status;

const request = (turn: number, more: object = {}) =>
  encodeAsPublished('GetCapacityRequest', {
    client: 'a',
    life: 'b',
    resources: [{ resource: 'gpu', turn, wants: 60, ...more }],
  });

describeCapacity('gRPC', bed);

describe('a client of another make', () => {
  it('speaks what is published', async () => {
    const { url, server } = await bed.server({ resources: RESOURCES });
    const { code, answer } = await call(url, 'GetCapacity', request(1));
    expect(code).toBe(OK);
    expect(decodeAsPublished('GetCapacityResponse', answer!)).toMatchObject({
      resources: [{ resource: 'gpu', lease: { capacity: 60, refreshMs: 250 }, safeCapacity: 100 }],
      mastership: null,
    });
    const below = await call(
      url,
      'GetServerCapacity',
      encodeAsPublished('GetServerCapacityRequest', {
        server: 'region',
        life: 'b',
        resources: [{ resource: 'gpu', turn: 1, bands: [{ priority: 0, wants: 500, subclients: 3 }] }],
      }),
    );
    expect(decodeAsPublished('GetCapacityResponse', below.answer!)).toMatchObject({
      resources: [{ resource: 'gpu', lease: { capacity: 40 } }],
    });
    const discovered = await call(url, 'Discovery', Buffer.alloc(0));
    expect(decodeAsPublished('DiscoveryResponse', discovered.answer!)).toMatchObject({ isMaster: true });
    const release = { client: 'a', life: 'b', resources: ['gpu'] };
    const released = await call(url, 'ReleaseCapacity', encodeAsPublished('ReleaseCapacityRequest', release));
    expect(decodeAsPublished('ReleaseCapacityResponse', released.answer!)).toEqual({ mastership: null });
    expect(server.snapshot().counts).toEqual({ granted: 2, notGranted: 0, released: 1, unreadable: 0 });
  });

  it('has no news of what is late, and of resources that are unknown beside one that is not', async () => {
    const { url } = await bed.server({ resources: RESOURCES });
    const resources = [
      { resource: 'tpu', turn: 1 },
      { resource: 'gpu', turn: 1, wants: 1 },
    ];
    const both = encodeAsPublished('GetCapacityRequest', { client: 'a', life: 'b', resources });
    const first = await call(url, 'GetCapacity', both);
    expect(decodeAsPublished('GetCapacityResponse', first.answer!)).toMatchObject({
      resources: [{ resource: 'gpu' }],
    });
    const late = await call(url, 'GetCapacity', both);
    expect(decodeAsPublished('GetCapacityResponse', late.answer!)).toEqual({
      resources: [],
      mastership: null,
    });
  });
});

describe('what comes from outside by gRPC', () => {
  it('is counted when it is no message, and harms nobody', async () => {
    const { url, server } = await bed.server({ resources: RESOURCES });
    const garbage = [
      Buffer.alloc(0),
      Buffer.from([0xff]),
      Buffer.alloc(70_000, 1),
      request(0),
      request(1, { wants: -1 }),
      request(1, { wants: Number.NaN }),
      request(1, { priority: 10 }),
      encodeAsPublished('GetCapacityRequest', { client: '', life: 'b', resources: [{ resource: 'gpu' }] }),
    ];
    for (const message of garbage) {
      expect((await call(url, 'GetCapacity', message)).code).toBe(INVALID_ARGUMENT);
    }
    expect((await call(url, 'ReleaseCapacity', Buffer.from([0xff]))).code).toBe(INVALID_ARGUMENT);
    expect((await call(url, 'GetServerCapacity', Buffer.from([0xff]))).code).toBe(INVALID_ARGUMENT);
    expect(server.snapshot().counts).toEqual({
      granted: 0,
      notGranted: 0,
      released: 0,
      unreadable: garbage.length + 2,
    });
    expect((await call(url, 'GetCapacity', request(1, { resource: 'tpu' }))).code).toBe(NOT_FOUND);
    expect((await call(url, 'GetCapacity', Buffer.alloc(5_000_000))).code).toBe(RESOURCE_EXHAUSTED);
    expect((await call(url, 'GetCapacity', request(1))).code).toBe(OK);
  });

  it('is not believed by clients', async () => {
    const grants = (lease: object, resource = 'gpu') =>
      encodeAsPublished('GetCapacityResponse', { resources: [{ resource, lease }] });
    const answers = [
      Buffer.alloc(0),
      Buffer.from([0xff]),
      grants({ capacity: -1, validMs: 1, refreshMs: 1 }),
      grants({ capacity: 1, validMs: 1e12, refreshMs: 1 }),
      grants({ capacity: 1, validMs: 1_000, refreshMs: 1_000 }, 'tpu'),
      Buffer.alloc(100_000),
      encodeAsPublished('GetCapacityResponse', { mastership: { masterAddress: 'file:///etc/passwd' } }),
    ];
    let asks = 0;
    const server = new grpc.Server();
    const same = (bytes: Buffer) => bytes;
    const method = {
      path: '/plimsoll.capacity.v1.Capacity/GetCapacity',
      requestStream: false,
      responseStream: false,
      requestSerialize: same,
      requestDeserialize: same,
      responseSerialize: same,
      responseDeserialize: same,
    };
    server.addService(
      { ask: method },
      {
        ask: (_call: unknown, callback: grpc.sendUnaryData<Uint8Array>) =>
          callback(null, answers[asks++ % answers.length]),
      },
    );
    const port = await bound(server);
    owned.push(() => server.forceShutdown());
    const client = bed.client(`grpc://127.0.0.1:${port}`, { wants: 10 });
    await until('all answers', () => asks > answers.length, 20_000);
    expect(client.capacity).toBe(0);
    await client.close();
  });

  it('is not waited for when nothing comes', async () => {
    // It takes connections, and says nothing.
    const sockets = new Set<Socket>();
    const silent = createServer((socket) => sockets.add(socket.on('error', () => {}).resume()));
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    owned.push(() => {
      for (const socket of sockets) socket.destroy();
      silent.close();
    });
    const { url } = await bed.server({ resources: RESOURCES });
    const address = `grpc://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const client = bed.client([address, url], { wants: 10, timeoutMs: 500 });
    await until('a lease', () => client.capacity === 10, 10_000);
    const deaf = bed.client(address, { wants: 10, timeoutMs: 100 });
    await until('it has asked again and again', () => deaf.snapshot().failures > 3, 10_000);
    // One each: it does not connect anew with each ask.
    expect(sockets.size).toBe(2);
  });

  it('is not waited for on a connection that has gone silent', async () => {
    const { url, server } = await bed.server({ resources: RESOURCES });
    const relay = await Relay.to(new URL(url).port);
    owned.push(() => relay.close());
    const client = bed.client(`grpc://127.0.0.1:${relay.port}`, { wants: 10, timeoutMs: 500 });
    await until('a lease', () => client.capacity === 10);
    relay.silence();
    await until(
      'a lease by another connection',
      () => relay.connections > 1 && client.snapshot().failures > 0,
    );
    const { granted } = server.snapshot().counts;
    await until('more of it', () => server.snapshot().counts.granted > granted);
    expect(relay.connections).toBe(2);
  });
});

/** Passes bytes on, until it does not. */
class Relay {
  readonly port: number;
  connections = 0;
  readonly #server: Server;
  readonly #sockets: Socket[] = [];

  private constructor(server: Server) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
  }

  static async to(port: string): Promise<Relay> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const relay = new Relay(server);
    server.on('connection', (socket) => {
      relay.connections++;
      const onward = connect(Number(port), '127.0.0.1');
      for (const each of [socket, onward]) relay.#sockets.push(each.on('error', () => {}));
      socket.pipe(onward).pipe(socket);
    });
    return relay;
  }

  /** What is open now: nothing comes of it any more, and nobody is told. */
  silence(): void {
    for (const socket of this.#sockets) socket.unpipe().removeAllListeners('end').pause();
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}

describe('servers of gRPC of which one is master', () => {
  async function aServer(redisUrl: string) {
    const listener = new grpc.Server();
    // Where it listens has to be known before it is master.
    const port = await bound(listener);
    listener.forceShutdown();
    const url = `grpc://127.0.0.1:${port}`;
    const capacity = createCapacityServer({
      resources: { gpu: { ...TIMES, capacity: 100 } },
      mastership: redisMastership({ url: redisUrl, name: 'gpu' }),
      address: ['http://127.0.0.1:9', url],
    });
    const outer = addCapacityService(new grpc.Server(), capacity);
    await bound(outer, port);
    const stop = async () => {
      outer.forceShutdown();
      await capacity.close();
    };
    owned.push(stop);
    return { url, capacity, stop };
  }

  it('tell clients who that is, and those ask there; and go on when it is gone', async () => {
    const redis = await RedisServer.start();
    owned.push(() => redis.stop());
    const servers = [await aServer(redis.url), await aServer(redis.url)];
    await until('a master', () => servers.some(({ capacity }) => capacity.snapshot().isMaster));
    const master = servers.find(({ capacity }) => capacity.snapshot().isMaster)!;
    const other = servers.find((server) => server !== master)!;
    const discover = async () => {
      const { answer } = await call(other.url, 'Discovery', Buffer.alloc(0));
      return decodeAsPublished('DiscoveryResponse', answer!) as { mastership: { masterAddress: string } };
    };
    while ((await discover()).mastership.masterAddress === '');
    expect(await discover()).toEqual({ isMaster: false, mastership: { masterAddress: master.url } });
    // It knows of no other than that one.
    const client = bed.client(other.url, { wants: 10 });
    await until('a lease', () => client.capacity > 0);
    expect(master.capacity.snapshot().counts.granted).toBeGreaterThan(0);
    expect(other.capacity.snapshot().counts.granted).toBe(0);
    await master.stop();
    await until('an ask', () => other.capacity.snapshot().counts.granted > 0);
    await client.close();
    expect(other.capacity.snapshot().counts.released).toBe(1);
  });
});

describe('one server by two ways', () => {
  it('has one book', async () => {
    const { url, server } = await bed.server({ resources: RESOURCES });
    const { url: http } = await server.listen();
    const clients = [url, http].map((each) => bed.client(each, { wants: 80 }));
    await until('50, 50', () => clients.every(({ capacity }) => Math.abs(capacity - 50) < 0.01));
  });

  it('is asked by either by one client', async () => {
    const { url } = await bed.server({ resources: RESOURCES });
    const client = bed.client(['http://127.0.0.1:9', url], { wants: 10 });
    await until('a lease', () => client.capacity === 10);
  });
});

describe('options of capacity by gRPC', () => {
  it('are refused when they are impossible', () => {
    const [url, resource] = ['grpc://127.0.0.1:9', 'gpu'];
    expect(() => createCapacityClient({ url, resource })).toThrow('url must be an http or https address');
    const transport = grpcCapacity(grpc);
    expect(() => createCapacityClient({ url: 'grpc://a', resource, transport })).toThrow(
      'url must be an http, https, grpc or grpcs address, got grpc://a',
    );
    expect(() => createCapacityClient({ url, resource, transport: 'grpc' as never })).toThrow(
      'transport must be',
    );
    expect(() => createCapacityClient({ url, resource, transport, headers: { 'a b': 'c' } })).toThrow();
    expect(() => grpcCapacity(grpc, { credential: undefined } as never)).toThrow('no option "credential"');
    const address = ['http://a', 'grpc://a'];
    expect(() => createCapacityServer({ resources: RESOURCES, address })).toThrow('address must be');
  });
});

describe('a client by gRPC', () => {
  it('says what it is given to say', async () => {
    const seen: unknown[] = [];
    const outer = new grpc.Server({
      interceptors: [
        (_method, inner) =>
          new grpc.ServerInterceptingCall(inner, {
            start: (next) =>
              next({
                onReceiveMetadata: (metadata, on) => {
                  seen.push(metadata.get('authorization'));
                  on(metadata);
                },
              }),
          }),
      ],
    });
    const capacity = bed.add(createCapacityServer({ resources: RESOURCES }));
    const port = await bound(addCapacityService(outer, capacity));
    owned.push(() => outer.forceShutdown());
    const headers = { authorization: 'Bearer x' };
    const client = bed.client(`grpc://127.0.0.1:${port}`, { wants: 10, headers });
    await until('a lease', () => client.capacity === 10);
    expect(seen[0]).toEqual(['Bearer x']);
  });

  it('need not be closed: a program ends when nobody waits any more', async () => {
    const { url } = await bed.server({ resources: RESOURCES });
    const program = join(root, 'test/integration/quota/processes/capacity-user.mjs');
    const { stdout } = await promisify(execFile)(process.execPath, [program, url], { timeout: 60_000 });
    expect(stdout).toBe('done\n');
  });
});
