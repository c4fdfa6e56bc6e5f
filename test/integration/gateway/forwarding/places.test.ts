import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../client/until.js';
import { expectNoMishaps } from '../../server/mishaps.js';
import { EchoBackend } from '../echo-backend.js';
import { RunningGateway } from '../running-gateway.js';

expectNoMishaps();

let backend: EchoBackend;
let gateway: RunningGateway;
const sockets: Socket[] = [];

beforeEach(async () => {
  backend = await EchoBackend.start();
  backend.handler = (req, res) => {
    // Long after its client has gone, however busy the machine is.
    if (req.url === '/slow') setTimeout(() => res.end('late'), 10_000).unref();
    else res.end(Buffer.alloc(30_000_000));
  };
  backend.server.on('upgrade', (_req, socket: Socket) => {
    socket.on('error', () => {});
    socket.on('end', () => socket.end());
    socket.resume();
    setTimeout(() => {
      socket.write('HTTP/1.1 101 Fine\r\nconnection: upgrade\r\nupgrade: talk\r\n\r\n');
    }, 30);
  });
  gateway = await RunningGateway.start(`
overload: { requestTimeout: 1s }
services: { own: { backends: ["${backend.url}"] } }
routes: [{ to: own }]`);
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await gateway.stop();
  await backend.stop();
});

/** Requests that have a place at a backend. */
const active = () => gateway.gateway.generation.services.get('own')!.client.snapshot().active;

function tell(text: string): Socket {
  const socket = connect(gateway.port, '127.0.0.1').on('error', () => {});
  sockets.push(socket);
  socket.write(text);
  return socket;
}

const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nhost: a\r\n${more}\r\n`;

describe('a place at a backend is given back', () => {
  it('when a client goes that has sent several requests without waiting', async () => {
    const socket = tell(get('/slow') + get('/large').repeat(12));
    await until('requests', () => active() === 13);
    socket.destroy();
    await until('places', () => active() === 0);
  });

  it.each([
    ['goes', 0],
    ['goes before the backend agrees', 10],
    ['goes when it does', 31],
    ['goes after it', 100],
  ])('when a client %s that has asked for another protocol', async (_name, afterMs) => {
    for (let i = 0; i < 10; i++) {
      const socket = tell(get('/', 'connection: upgrade\r\nupgrade: talk\r\n'));
      // One by the other: an end, and a break while it is on its way.
      void sleep(afterMs).then(() =>
        i % 2 === 0 ? socket.resetAndDestroy() : socket.end(() => socket.resetAndDestroy()),
      );
    }
    await sleep(afterMs + 100);
    await until('places', () => active() === 0, 5_000);
  });

  it('when a client does not read', async () => {
    const socket = tell(get('/large')).pause();
    await until('a request', () => active() === 1);
    await until('the end of it', () => active() === 0, 10_000);
    expect(gateway.gateway.guard.snapshot().inFlight).toBe(0);
    socket.destroy();
  });
});
