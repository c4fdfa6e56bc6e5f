import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, describe, expect, test } from 'vitest';
import { customSignal } from '../../../src/core/index.js';
import { type RunningServer, type ServeOptions, serve } from '../../../src/server/index.js';
import { UdpClient } from '../health/udp-client.js';
import { until } from './guarded-server.js';
import { expectNoMishaps } from './mishaps.js';
import { RawClient } from './raw-client.js';

/** How a whole server tells of its health, also when it has no time for anything else. */

expectNoMishaps();

let running: RunningServer;
let level = 0;
const errors: unknown[] = [];
const closing: { close(): void }[] = [];

const start = async (options: ServeOptions = {}) => {
  level = 0;
  errors.length = 0;
  running = await serve((_req, res) => res.end('hello'), {
    host: '127.0.0.1',
    exitOnSignal: false,
    signals: { custom: [customSignal('test', () => level)] },
    onError: (error) => errors.push(error),
    ...options,
  });
};

afterEach(async () => {
  for (const each of closing.splice(0)) each.close();
  await running.close({ timeoutMs: 0 });
});

const client = () => {
  const made = new RawClient(running.port);
  closing.push(made);
  return made;
};

const udpClient = () => {
  const made = new UdpClient(running.port);
  closing.push(made);
  return made;
};

const ask = async (path: string, from = client(), ...headers: string[]) => {
  from.get(path, ...headers);
  return from.answer();
};

for (const earlyRefusal of ['auto', 'off'] as const) {
  test(`health pages are answered when everything else is refused, earlyRefusal: ${earlyRefusal}`, async () => {
    await start({ earlyRefusal });
    level = 2;
    const from = client();
    for (let i = 0; i < 3; i++) {
      expect((await ask('/', from)).status).toBe(503);
      expect(await ask('/plimsoll/live', from)).toMatchObject({ status: 200, body: '{"state":"ready"}' });
      const ready = await ask('/plimsoll/ready?probe', from, 'x-envoy-expected-rq-timeout-ms: 0');
      expect(ready).toMatchObject({ status: 200 });
      expect(ready.headers['endpoint-load-metrics']).toMatch(/^TEXT /);
    }
    // What only looks like one of them is a request like any other.
    expect((await ask('/plimsoll/other', from)).status).toBe(503);
    expect((await ask('/plimsoll-live', from)).status).toBe(503);
    expect(running.guard.snapshot()).toMatchObject({ inFlight: 0, counts: { CRITICAL: { refused: 5 } } });
  });
}

test('a watch stream tells of each state, ends with the server, and does not delay its end', async () => {
  await start({ starting: true, drain: { spreadMs: 50, timeoutMs: 60_000 } });
  const watching = client();
  const states: string[] = [];
  watching.socket.on('data', (chunk: Buffer) => {
    for (const [, state] of chunk.toString().matchAll(/"state":"([a-z-]+)"/g))
      if (states.at(-1) !== state) states.push(state!);
  });
  watching.get('/plimsoll/watch');
  await until(() => states.length === 1);
  running.guard.ready();
  await until(() => states.length === 2);
  const startedMs = performance.now();
  await running.close();
  expect(performance.now() - startedMs).toBeLessThan(30_000);
  await watching.closed();
  expect(states.slice(0, 3)).toEqual(['starting', 'ready', 'lame-duck']);
});

test('strangers hear whether it is ready, and not how loaded it is', async () => {
  await start({ trust: 'none' });
  const ready = await ask('/plimsoll/ready');
  expect(ready).toMatchObject({ status: 200, body: '{"state":"ready"}' });
  expect(ready.headers).not.toHaveProperty('endpoint-load-metrics');
  expect((await ask('/plimsoll/watch')).status).toBe(403);
});

test('health can be left out', async () => {
  await start({ health: false });
  expect((await ask('/plimsoll/live')).body).toBe('hello');
});

describe('health by UDP', () => {
  test('is answered on the port of the server, also when everything is refused', async () => {
    await start();
    level = 2;
    expect((await ask('/')).status).toBe(503);
    expect(await udpClient().ask()).toMatchObject({ state: 'ready', report: { inFlight: 0 } });
  });

  test('tells of each change of state at once, without being asked', async () => {
    await start({ starting: true });
    const udp = udpClient();
    expect((await udp.ask()).state).toBe('starting');
    await udp.register();
    const first = udp.next(({ kind }) => kind === 'push');
    running.guard.ready();
    expect((await first).state).toBe('ready');
    udp.acknowledge(await first);
    const second = udp.next(({ kind, state }) => kind === 'push' && state === 'lame-duck');
    running.guard.lameDuck();
    expect((await second).state).toBe('lame-duck');
  });

  test('is told of and done without when the port is taken', async () => {
    await start();
    const { port } = running;
    await running.close({ timeoutMs: 0 });
    const taken = createSocket('udp4').bind(port, '127.0.0.1');
    closing.push(taken);
    await once(taken, 'listening');
    await start({ port });
    expect(errors).toMatchObject([{ code: 'EADDRINUSE' }]);
    expect((await ask('/')).status).toBe(200);
  });

  test('does not mind garbage', async () => {
    await start();
    const udp = udpClient();
    for (const length of [0, 1, 63, 64, 65, 1_400]) udp.send(Buffer.alloc(length, 0xff));
    expect((await udp.ask()).state).toBe('ready');
    expect(udp.received).toHaveLength(1);
  });
});
