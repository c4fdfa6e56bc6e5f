import { once } from 'node:events';
import { createServer, type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { currentRequest, type GuardOptions } from '../../../src/server/index.js';
import { GuardedServer, PATIENT } from './guarded-server.js';
import { expectNoMishaps } from './mishaps.js';
import type { RawClient } from './raw-client.js';

const DEGRADE = 0.95;
const REFUSE_ALL = 2;

expectNoMishaps();

let served: GuardedServer;
beforeEach(async () => {
  served = await GuardedServer.startServer((guard) => {
    const server = createServer(guard.protect((_req, res) => res.end('hello')));
    guard.attach(server);
    new WebSocketServer({ server }).on('connection', (socket) => {
      socket.on('message', (message) => socket.send(`${message}!`));
    });
    return server;
  });
});
afterEach(() => served.stop());

const open = () => new WebSocket(`ws://127.0.0.1:${served.port}`);

const echo = async (socket: WebSocket, text: string) => {
  socket.send(text);
  const [answer] = (await once(socket, 'message')) as [Buffer];
  return answer.toString();
};

test('web sockets are let in, and take no place while they are open', async () => {
  const socket = open();
  await once(socket, 'open');
  expect(await echo(socket, 'hello')).toBe('hello!');
  expect(served.guard.snapshot()).toMatchObject({ inFlight: 0, connections: 1, gate: { running: 0 } });
  // What was let in stays, whatever comes.
  served.level = REFUSE_ALL;
  expect(await echo(socket, 'still here')).toBe('still here!');
  socket.terminate();
  await served.until(() => served.guard.snapshot().connections === 0);
});

test('they are refused like any request', async () => {
  served.level = REFUSE_ALL;
  const socket = open();
  const [, answer] = await once(socket, 'unexpected-response');
  expect(answer).toMatchObject({ statusCode: 503, headers: { 'x-envoy-overloaded': 'true' } });
  socket.on('error', () => {}).terminate();
  await served.until(() => served.guard.snapshot().connections === 0);
});

const UPGRADE = ['connection: upgrade', 'upgrade: talk'];
const AGREED = 'HTTP/1.1 101 Fine\r\nconnection: upgrade\r\nupgrade: talk\r\ncontent-length: 0\r\n\r\n';

/** A server whose handler of upgrades does what it is told. */
async function upgrading(
  onUpgrade: (socket: Socket, req: IncomingMessage) => void,
  options: Partial<GuardOptions> = PATIENT,
): Promise<GuardedServer> {
  await served.stop();
  served = await GuardedServer.startServer((guard) => {
    const server = createServer(guard.protect((_req, res) => res.end('hello')));
    server.on('upgrade', (req, socket) => onUpgrade(socket as Socket, req));
    guard.attach(server);
    return server;
  }, options);
  return served;
}

const nothingRuns = () =>
  served.until(() => served.guard.snapshot().inFlight === 0 && served.guard.snapshot().gate.running === 0);

describe('a handler of upgrades that takes its time', () => {
  test('keeps a place until it answers, and the next waits for its turn', async () => {
    const waiting: Socket[] = [];
    await upgrading((socket) => waiting.push(socket));
    const [first, second] = (await served.clients(2)) as [RawClient, RawClient];
    for (const client of [first, second]) client.get('/', ...UPGRADE);
    await served.until(() => served.guard.snapshot().inFlight === 2);
    expect(served.guard.snapshot()).toMatchObject({ gate: { running: 1 } });
    expect(waiting).toHaveLength(1);
    waiting[0]!.write(AGREED);
    expect(await first.answer()).toMatchObject({ status: 101 });
    await served.until(() => waiting.length === 2);
    waiting[1]!.end(AGREED.replace('101 Fine', '401 No'));
    expect(await second.answer()).toMatchObject({ status: 401 });
    await nothingRuns();
    // Joined, and nobody's request.
    await served.until(() => served.guard.snapshot().connections === 1);
  });

  test('and never answers loses it with the connection, whoever lets go of that, and however', async () => {
    const waiting: Socket[] = [];
    await upgrading((socket) => waiting.push(socket));
    const ends = [
      ({ socket }: RawClient) => socket.resetAndDestroy(),
      ({ socket }: RawClient) => socket.end(),
      () => waiting.at(-1)!.destroy(),
      () => waiting.at(-1)!.end(),
    ];
    for (const [at, end] of ends.entries()) {
      const client = served.client();
      client.get('/', ...UPGRADE);
      await served.until(() => waiting.length === at + 1);
      expect(served.guard.snapshot().inFlight).toBe(1);
      end(client);
      await nothingRuns();
    }
  });

  test('is known to the code that it runs, and knows no deadline when it has agreed', async () => {
    const deadlines: (number | undefined)[] = [];
    await upgrading((socket) => {
      deadlines.push(currentRequest()?.deadline);
      setTimeout(() => {
        socket.write(AGREED);
        deadlines.push(currentRequest()?.deadline);
      });
    });
    const client = served.client();
    client.get('/', ...UPGRADE, 'x-envoy-expected-rq-timeout-ms: 60000');
    expect(await client.answer()).toMatchObject({ status: 101 });
    expect(deadlines).toEqual([expect.any(Number), Number.POSITIVE_INFINITY]);
    expect(deadlines[0]).toBeLessThan(performance.now() + 60_000);
  });

  test('may have a protected handler answer, which is the same request', async () => {
    let answer: ((req: IncomingMessage, res: ServerResponse) => void) | undefined;
    await upgrading((socket, req) => {
      const res = new ServerResponse(req);
      res.assignSocket(socket);
      answer!(req, res);
    });
    let running = 0;
    answer = served.guard.protect((_req, res) => {
      running = served.guard.snapshot().gate.running;
      res.shouldKeepAlive = false;
      res.end('no');
    });
    const client = served.client();
    client.get('/', ...UPGRADE);
    expect(await client.answer()).toMatchObject({ status: 200, body: 'no' });
    expect(running).toBe(1);
    await nothingRuns();
  });

  test('may pass it on to another server of the same guard', async () => {
    const other = createServer();
    other.on('upgrade', (_req, socket) => socket.write(AGREED));
    await upgrading((socket, req) => other.emit('upgrade', req, socket, Buffer.alloc(0)));
    served.guard.attach(other);
    const client = served.client();
    client.get('/', ...UPGRADE);
    expect(await client.answer()).toMatchObject({ status: 101 });
    await nothingRuns();
  });

  test('has nothing to do with copies of answers', async () => {
    await upgrading((socket) => socket.write(AGREED), { stale: { serveInsteadOfRefusing: true } });
    const first = served.client();
    first.get('/');
    expect(await first.answer()).toMatchObject({ status: 200 });
    for (const [level, status] of [
      [0, 101],
      [DEGRADE, 101],
      [REFUSE_ALL, 503],
    ] as const) {
      served.level = level;
      const client = served.client();
      client.get('/', ...UPGRADE);
      expect(await client.answer()).toMatchObject({ status });
    }
    await nothingRuns();
  });

  test('is answered for when the drain is over', async () => {
    const waiting: Socket[] = [];
    await upgrading((socket) => waiting.push(socket));
    const client = served.client();
    client.get('/', ...UPGRADE);
    await served.until(() => waiting.length === 1);
    const drained = served.guard.drain({ spreadMs: 0, timeoutMs: 50 });
    expect(await client.answer()).toMatchObject({ status: 503 });
    waiting[0]!.write(AGREED);
    await drained;
    expect(served.guard.snapshot()).toMatchObject({ inFlight: 0, connections: 0 });
  });
});

test('they end with the drain, which waits for them until its time is over', async () => {
  const socket = open();
  await once(socket, 'open');
  const closed = once(socket, 'close');
  await served.guard.drain({ spreadMs: 0, timeoutMs: 100 });
  await closed;
  await served.until(() => served.guard.snapshot().connections === 0);
});

test('tunnels are let in or refused alike', async () => {
  served.server.on('connect', (_req, socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'));
  const connect = () => {
    const client = served.client();
    client.send('CONNECT other.example:443 HTTP/1.1\r\nhost: other.example:443\r\n\r\n');
    return client.answer();
  };
  expect(await connect()).toMatchObject({ status: 200 });
  served.level = REFUSE_ALL;
  expect(await connect()).toMatchObject({ status: 503, headers: { connection: 'close' } });
  await served.until(() => served.guard.snapshot().connections === 0);
});

test('whoever expects what this server does not know is decided on before anybody is asked', async () => {
  let asked = 0;
  served.server.on('checkExpectation', (_req, res) => {
    asked++;
    res.writeHead(417).end();
  });
  const client = served.client();
  client.get('/', 'expect: the-unexpected');
  expect(await client.answer()).toMatchObject({ status: 417 });
  served.level = REFUSE_ALL;
  client.get('/', 'expect: the-unexpected');
  expect(await client.answer()).toMatchObject({ status: 503 });
  expect(asked).toBe(1);
  expect(served.guard.snapshot()).toMatchObject({ inFlight: 0 });
});
