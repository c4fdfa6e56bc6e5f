import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { GuardedServer } from './guarded-server.js';
import { expectNoMishaps } from './mishaps.js';

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
