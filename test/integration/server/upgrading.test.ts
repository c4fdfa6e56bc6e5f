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
