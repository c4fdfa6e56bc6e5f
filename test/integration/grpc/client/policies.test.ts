import * as grpc from '@grpc/grpc-js';
import { registerPolicies, serviceConfigFor } from 'plimsoll/grpc';
import { afterEach, describe, expect, it } from 'vitest';
import { encodeLoadReportMessage } from '../../../../src/wire/orca-message.js';
import { clientOf, EchoServer, say, sayMany, startServers, trailers, until } from './echo-service.js';

const policies = registerPolicies(grpc);

const running: { stop(): void }[] = [];

afterEach(() => {
  for (const each of running.splice(0)) each.stop();
});

async function fleet(count: number): Promise<EchoServer[]> {
  const servers = await startServers(count);
  running.push(...servers);
  return servers;
}

function connect(servers: readonly EchoServer[], serviceConfig: string) {
  const client = clientOf(servers, { 'grpc.service_config': serviceConfig });
  running.push({ stop: () => client.close() });
  return client;
}

const REPORT = 'endpoint-load-metrics-bin';

function reportWith(report: Parameters<typeof encodeLoadReportMessage>[0]) {
  return trailers({ [REPORT]: encodeLoadReportMessage(report) });
}

/** Answers with a load report in the trailers. */
function reporting(server: EchoServer, report: Parameters<typeof encodeLoadReportMessage>[0]): void {
  server.handlers = { say: ({ request }, done) => done(null, { text: request.text }, reportWith(report)) };
}

async function allReady(count: number): Promise<void> {
  await until(
    () => policies.snapshot()[0]?.backends.filter(({ state }) => state === 'ready').length === count,
  );
}

async function shares(client: ReturnType<typeof connect>, servers: readonly EchoServer[], calls: number) {
  for (const server of servers) server.calls = 0;
  const ends = await sayMany(client, calls);
  expect(ends.filter(({ error }) => error !== null)).toEqual([]);
  return servers.map((server) => server.calls / calls);
}

const UTILIZED = { applicationUtilization: 0.5, requestsPerSecond: 50 };
/** As soon as there are reports; the default is 10 s, and anew each second. */
const AT_ONCE = { blackoutMs: 0, updateMs: 20, subset: false } as const;

describe('the weighted policy', () => {
  it('gives a backend without a weight an equal share, where grpc-js gives it none', async () => {
    const servers = await fleet(4);
    for (const server of servers.slice(0, 3)) reporting(server, UTILIZED);
    const ours = connect(servers, serviceConfigFor('weighted', AT_ONCE));
    await say(ours);
    await allReady(4);
    await shares(ours, servers, 400);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const [, , , unknown] = await shares(ours, servers, 4_000);
    expect(unknown).toBeGreaterThan(0.24);
    expect(unknown).toBeLessThan(0.26);
    ours.close();

    const config = {
      loadBalancingConfig: [
        { weighted_round_robin: { blackout_period: '0s', weight_update_period: '0.1s' } },
      ],
    };
    const theirs = connect(servers, JSON.stringify(config));
    // It reads its proto file anew for each report, 10 ms a time: few calls will do.
    await shares(theirs, servers, 20);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await shares(theirs, servers, 20);
    const [, , , left] = await shares(theirs, servers, 120);
    expect(left).toBeLessThan(0.01);
  });

  it('goes by the CPU where the application says nothing', async () => {
    const servers = await fleet(2);
    reporting(servers[0]!, { cpuUtilization: 0.2, requestsPerSecond: 100 });
    reporting(servers[1]!, { cpuUtilization: 0.6, requestsPerSecond: 100 });
    const client = connect(servers, serviceConfigFor('weighted', AT_ONCE));
    await say(client);
    await allReady(2);
    await shares(client, servers, 200);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const [first] = await shares(client, servers, 2_000);
    expect(first).toBeCloseTo(0.75, 1);
  });

  it('does not apply a single weight', async () => {
    const servers = await fleet(3);
    reporting(servers[0]!, { applicationUtilization: 0.01, requestsPerSecond: 1_000 });
    const client = connect(servers, serviceConfigFor('weighted', AT_ONCE));
    await say(client);
    await allReady(3);
    await shares(client, servers, 300);
    await new Promise((resolve) => setTimeout(resolve, 50));
    for (const share of await shares(client, servers, 1_500)) expect(share).toBeCloseTo(1 / 3, 1);
  });

  it('lets a newcomer in without forgetting the weights of others', async () => {
    const servers = await fleet(3);
    const slow = { applicationUtilization: 0.9, requestsPerSecond: 90 };
    reporting(servers[0]!, { applicationUtilization: 0.3, requestsPerSecond: 90 });
    reporting(servers[1]!, slow);
    // The third listens later.
    const { port } = servers[2]!;
    servers[2]!.stop();
    const client = connect(servers, serviceConfigFor('weighted', AT_ONCE));
    await say(client);
    await allReady(2);
    await shares(client, servers, 300);
    const before = policies.snapshot()[0]!.backends.map(({ weight }) => weight);
    expect(before[0]! / before[1]!).toBeCloseTo(3, 0);
    running.push(await new EchoServer().start(port));
    await allReady(3);
    await say(client);
    const weights = policies.snapshot()[0]!.backends.map(({ weight }) => weight!);
    expect(weights[0]! / weights[1]!).toBeCloseTo(3, 0);
    // The mean of 1 and 1/3.
    expect(weights[2]! / weights[0]!).toBeCloseTo(2 / 3, 1);
  });
});

describe('a subset', () => {
  it('is what a client connects to and calls, and nothing else', async () => {
    const servers = await fleet(20);
    const client = connect(servers, serviceConfigFor('round-robin', { subset: { size: 5, clientId: 7 } }));
    await say(client);
    await allReady(5);
    await sayMany(client, 500);
    const chosen = policies.snapshot()[0]!.backends.map(({ address }) => address);
    expect(chosen).toHaveLength(5);
    const called = servers.filter(({ calls }) => calls > 0).map(({ address }) => address);
    expect(called.toSorted()).toEqual(chosen.toSorted());
  });

  it('gets another in place of one that has died, and its own back', async () => {
    const servers = await fleet(20);
    const client = connect(servers, serviceConfigFor('round-robin', { subset: { size: 5, clientId: 7 } }));
    await say(client);
    await allReady(5);
    const members = () => policies.snapshot()[0]!.backends.map(({ address }) => address);
    const before = members();
    const dead = servers.find(({ address }) => address === before[0])!;
    dead.stop();
    await until(() => !members().includes(dead.address));
    await allReady(5);
    for (const server of servers) server.calls = 0;
    const ends = await sayMany(client, 500);
    expect(ends.filter(({ error }) => error !== null)).toEqual([]);
    expect(servers.filter(({ calls }) => calls > 0)).toHaveLength(5);
    running.push(await new EchoServer().start(dead.port));
    await until(() => members().includes(dead.address));
    expect(members().toSorted()).toEqual(before.toSorted());
  });
});

describe('a lame duck', () => {
  it('that says so in its trailers gets no new calls until it is connected to anew', async () => {
    const servers = await fleet(3);
    const client = connect(servers, serviceConfigFor('round-robin', { subset: false }));
    await say(client);
    await allReady(3);
    const [duck] = servers;
    duck!.handlers = {
      say: ({ request }, done) =>
        done(null, { text: request.text }, trailers({ 'x-envoy-immediate-health-check-fail': 'true' })),
    };
    await until(() => {
      void say(client);
      return policies.snapshot()[0]!.backends.some(({ state }) => state === 'lame-duck');
    });
    await until(() => policies.snapshot()[0]!.backends.every(({ active }) => active === 0));
    duck!.calls = 0;
    await sayMany(client, 300);
    expect(duck!.calls).toBe(0);
    // GOAWAY: the next one that listens there is another process.
    await duck!.drain();
    const next = await new EchoServer().start(duck!.port);
    running.push(next);
    await allReady(3);
    await sayMany(client, 300);
    expect(next.calls).toBe(100);
  });

  it('is still called when there is no other', async () => {
    const [only] = await fleet(1);
    only!.handlers = {
      say: ({ request }, done) =>
        done(null, { text: request.text }, trailers({ 'x-envoy-immediate-health-check-fail': 'true' })),
    };
    const client = connect([only!], serviceConfigFor('weighted', {}));
    const ends = await sayMany(client, 20, 1);
    expect(ends.filter(({ error }) => error !== null)).toEqual([]);
  });
});

describe('flow control', () => {
  it('lets calls wait for room, and refuses those that waited in vain', async () => {
    const [server] = await fleet(1);
    const held: (() => void)[] = [];
    server!.handlers = { say: ({ request }, done) => held.push(() => done(null, { text: request.text })) };
    const config = serviceConfigFor('least-loaded', {
      roster: { activeLimit: 2 },
      waiting: { maxWaitMs: 100 },
    });
    const client = connect([server!], config);
    const ends = [say(client, '1'), say(client, '2')];
    await until(() => held.length === 2);
    const third = say(client, '3');
    held.shift()!();
    await until(() => held.length === 2);
    held.pop()!();
    expect((await third).error).toBeNull();
    const fourth = say(client, '4');
    await until(() => held.length === 2);
    const fifth = await say(client, '5');
    expect(fifth.error).toMatchObject({ code: grpc.status.UNAVAILABLE });
    expect(fifth.error!.details).toContain(
      'PLIMSOLL_ALL_BUSY: the one backend is at the limit of 2 active requests',
    );
    expect(fifth.error!.metadata.get('grpc-retry-pushback-ms')).toEqual(['-1']);
    for (const end of held.splice(0)) end();
    await Promise.all([...ends, fourth]);
    await until(() => policies.snapshot()[0]!.backends[0]!.active === 0);
  });
});

describe('Prequal', () => {
  it('asks backends by ORCA, and leaves the slow and busy one alone', async () => {
    const probes = [0, 0, 0, 0];
    const servers = await Promise.all(
      probes.map((_, index) => {
        const server = new EchoServer();
        const report = index === 0 ? { inFlight: 50, latencyMs: 500 } : { inFlight: 1, latencyMs: 5 };
        const stream = (call: grpc.ServerWritableStream<Buffer, Buffer>) => {
          probes[index]!++;
          call.write(encodeLoadReportMessage(report));
        };
        server.server.addService(ORCA, { stream });
        return server.start();
      }),
    );
    running.push(...servers);
    const client = connect(servers, serviceConfigFor('prequal', { subset: false, probeTimeoutMs: 500 }));
    await say(client);
    await allReady(4);
    await sayMany(client, 100, 4);
    for (const server of servers) server.calls = 0;
    await sayMany(client, 400, 4);
    expect(Math.min(...probes)).toBeGreaterThan(50);
    // A quarter, 100 ± 9, is what chance would give it; while answers are on their way chance does decide.
    expect(servers[0]!.calls).toBeLessThan(60);
  });

  it('goes by answers where nobody can be asked', async () => {
    const servers = await fleet(3);
    const client = connect(servers, serviceConfigFor('prequal', { subset: false, probe: 'answers' }));
    servers.forEach((server, index) => {
      reporting(server, { inFlight: index === 0 ? 60 : 1, latencyMs: index === 0 ? 400 : 4 });
    });
    await say(client);
    await allReady(3);
    await sayMany(client, 100, 4);
    for (const server of servers) server.calls = 0;
    const ends = await sayMany(client, 600, 4);
    expect(ends.filter(({ error }) => error !== null)).toEqual([]);
    // A third is what chance would give it.
    expect(servers[0]!.calls).toBeLessThan(100);
  });
});

const bytes = (value: Buffer): Buffer => value;
const ORCA: grpc.ServiceDefinition = {
  stream: {
    path: '/xds.service.orca.v3.OpenRcaService/StreamCoreMetrics',
    requestStream: false,
    responseStream: true,
    requestSerialize: bytes,
    requestDeserialize: bytes,
    responseSerialize: bytes,
    responseDeserialize: bytes,
  },
};
