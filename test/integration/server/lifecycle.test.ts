import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { until } from './guarded-server.js';
import type { RawAnswer } from './raw-client.js';
import { ServerProcess } from './server-process.js';

const LAME_DUCK = { 'x-envoy-immediate-health-check-fail': 'true', connection: 'close' };

const processes: ServerProcess[] = [];
afterEach(async () => {
  const stopped = processes.splice(0);
  await Promise.all(stopped.map((each) => each.stop()));
  expect(stopped.map(({ stderr }) => stderr).join('')).toBe('');
});

const start = async (options?: Parameters<typeof ServerProcess.start>[0]) => {
  const made = await ServerProcess.start(options);
  processes.push(made);
  return made;
};

const ask = async (server: ServerProcess, path = '/'): Promise<RawAnswer> => {
  const client = server.client();
  client.get(path);
  const answer = await client.answer();
  client.close();
  return answer;
};

const isRefused = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => resolve(false)).on('error', () => resolve(true));
    socket.on('connect', () => socket.destroy());
  });

describe('a server that starts', () => {
  test('says that it is not ready, until it is', async () => {
    const server = await start({ starting: true });
    const client = server.client();
    client.get('/');
    const refused = await client.answer();
    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '1', connection: 'keep-alive' } });
    expect(JSON.parse(refused.body)).toMatchObject({ title: 'Not ready' });
    expect(await ask(server, '/plimsoll/live')).toMatchObject({ status: 200, body: '{"state":"starting"}' });
    expect(await ask(server, '/plimsoll/ready')).toMatchObject({ status: 503 });
    await server.command('ready');
    client.get('/');
    expect(await client.answer()).toMatchObject({ status: 200 });
    expect(await ask(server, '/plimsoll/ready')).toMatchObject({ status: 200 });
  });

  test('holds requests for a while if asked to', async () => {
    const server = await start({ starting: true, holdMs: 60_000 });
    const clients = [server.client(), server.client()];
    for (const client of clients) client.get('/');
    await server.until(({ connections }) => connections === 2);
    await server.command('ready');
    for (const client of clients) expect((await client.answer()).status).toBe(200);
  });

  test('holds them no longer than that', async () => {
    const server = await start({ starting: true, holdMs: 50 });
    const sentMs = performance.now();
    expect((await ask(server)).status).toBe(503);
    expect(performance.now() - sentMs).toBeGreaterThan(45);
  });

  test('and is told to end serves nobody on its way', async () => {
    const server = await start({ starting: true, drain: { spreadMs: 200, timeoutMs: 2_000 } });
    server.signal('SIGTERM');
    await server.until(({ state }) => state !== 'starting');
    expect(await ask(server)).toMatchObject({ status: 503, headers: LAME_DUCK });
    expect(await server.exited).toEqual({ code: 0, signal: null });
  });

  test('on a port that is taken fails, and leaves nothing behind that would keep the process', async () => {
    const first = await start();
    const second = await start({ port: first.port });
    expect(second.failed).toBe('EADDRINUSE');
    expect(await second.exited).toEqual({ code: 0, signal: null });
  });
});

describe('a server that is told to end', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('by %s loses nothing, and goes when all have', async (signal) => {
    const server = await start({ drain: { spreadMs: 100, timeoutMs: 60_000 } });
    const idle = [server.client(), server.client()] as const;
    for (const client of idle) {
      client.get('/');
      expect((await client.answer()).headers).not.toMatchObject(LAME_DUCK);
    }
    const running = server.client();
    running.get('/slow/400');
    await server.until(({ inFlight }) => inFlight === 1);
    server.signal(signal);
    await server.until(({ state }) => state === 'lame-duck');
    // While word spreads all is as ever, but for the headers.
    const late = server.client();
    late.get('/');
    expect(await late.answer()).toMatchObject({ status: 200, headers: LAME_DUCK });
    await late.closed();
    expect(await ask(server, '/plimsoll/ready')).toMatchObject({ status: 503, headers: LAME_DUCK });
    while (!(await isRefused(server.port)));
    // Then nobody else comes in; who is there may go on.
    expect(idle.map(({ isClosed }) => isClosed)).toEqual([false, false]);
    idle[0].get('/');
    expect(await idle[0].answer()).toMatchObject({ status: 200, headers: LAME_DUCK });
    await idle[0].closed();
    expect(await running.answer()).toMatchObject({ status: 200, body: 'at last', headers: LAME_DUCK });
    await running.closed();
    expect([idle[1].isClosed, server.hasExited]).toEqual([false, false]);
    const letGoMs = performance.now();
    idle[1].close();
    expect(await server.exited).toEqual({ code: 0, signal: null });
    // Long before the time that it would have had.
    expect(performance.now() - letGoMs).toBeLessThan(30_000);
    expect(server.drained).toBe('closed');
  });

  test('answers for handlers that do not end in time, and for nothing else', async () => {
    const server = await start({ drain: { spreadMs: 50, timeoutMs: 400 } });
    const never = server.client();
    never.get('/never');
    const slow = server.client();
    slow.get('/slow/200');
    await server.until(({ inFlight }) => inFlight === 2);
    server.signal('SIGTERM');
    expect(await slow.answer()).toMatchObject({ status: 200, headers: LAME_DUCK });
    const cut = await never.answer();
    expect(cut).toMatchObject({ status: 503, headers: LAME_DUCK });
    expect(JSON.parse(cut.body)).toMatchObject({ title: 'Not ready' });
    expect(await server.exited).toEqual({ code: 0, signal: null });
  });

  test('twice ends at once', async () => {
    const server = await start();
    const never = server.client();
    never.get('/never');
    await server.until(({ inFlight }) => inFlight === 1);
    server.signal('SIGTERM');
    await server.until(({ state }) => state === 'lame-duck');
    server.signal('SIGTERM');
    expect(await server.exited).toEqual({ code: 1, signal: null });
    expect(server.drained).toBeUndefined();
  });

  test('leaves signals to others if asked to', async () => {
    const server = await start({ exitOnSignal: false });
    server.signal('SIGTERM');
    expect(await server.exited).toEqual({ code: null, signal: 'SIGTERM' });
  });
});

/** A client with one connection that asks again as soon as it is answered, and goes elsewhere when it is told to. */
class ClosedLoop {
  served = 0;
  readonly lost: string[] = [];
  readonly #backends: ServerProcess[];
  isStopped = false;

  constructor(...backends: ServerProcess[]) {
    this.#backends = backends;
  }

  async run(): Promise<void> {
    let client = this.#backends[0]!.client();
    while (!this.isStopped) {
      client.get('/slow/2');
      const answer = await client.answer().catch((error: Error) => error);
      if (answer instanceof Error || answer.status !== 200) {
        this.lost.push(answer instanceof Error ? answer.message : `${answer.status}`);
        return;
      }
      this.served++;
      if (answer.headers['connection'] !== 'close') continue;
      client.close();
      this.#backends.reverse();
      client = this.#backends[0]!.client();
    }
    client.close();
  }
}

test('a server that is replaced by another loses no request of clients that listen', async () => {
  // However slow the machine is: what is refused is not lost, and another matter.
  const mode = 'dry-run';
  const first = await start({ mode, drain: { spreadMs: 300, timeoutMs: 60_000 } });
  const second = await start({ mode });
  const loops = Array.from({ length: 20 }, () => new ClosedLoop(first, second));
  const done = Promise.all(loops.map((loop) => loop.run()));
  await until(() => loops.every(({ served }) => served > 10));
  first.signal('SIGTERM');
  expect(await first.exited).toEqual({ code: 0, signal: null });
  const before = loops.map(({ served }) => served);
  await until(() => loops.every(({ served, lost }, i) => lost.length > 0 || served > before[i]! + 10));
  for (const loop of loops) loop.isStopped = true;
  await done;
  expect(loops.flatMap(({ lost }) => lost)).toEqual([]);
  expect((await second.command('snapshot')).counts.CRITICAL.ended).toBeGreaterThan(200);
});
