import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectSecurely } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { customSignal } from '../../../src/core/index.js';
import { createGuard, type Guard } from '../../../src/server/index.js';
import { CERTIFICATE, KEY } from '../client/certificate.js';
import { until } from './guarded-server.js';
import { expectNoMishaps } from './mishaps.js';
import { RawClient } from './raw-client.js';

/**
 * What Node's own list of connections is for has to be the same without it: messages that do not come to an end, and
 * `close...Connections`. So all of this is asked of a bare server, too.
 */

const HEADERS_MS = 100;
const REQUEST_MS = 250;
/** Long enough for either to have struck, and for the look that finds it. */
const LONGER_MS = 450;

const HEAD = 'GET / HTTP/1.1\r\nhost: x\r\n';
const POST = 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\n\r\n';

type Kind = 'bare' | 'guarded by documented means' | 'guarded';

let server: Server;
let guard: Guard | undefined;
let clients: RawClient[] = [];
let isRefusing = false;

expectNoMishaps();

afterEach(async () => {
  for (const client of clients) client.close();
  clients = [];
  isRefusing = false;
  await guard?.drain({ timeoutMs: 0 });
  guard = undefined;
  server.closeAllConnections();
  server.close();
});

/** Answers requests of `/held` never, and others at once, whatever of their bodies has come. */
async function start(kind: Kind, prepare: (server: Server) => void = () => {}): Promise<void> {
  server = createServer(
    { headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS, connectionsCheckingInterval: 25 },
    (req, res) => {
      if (req.url !== '/held') res.end('hello');
    },
  );
  if (kind !== 'bare') {
    guard = createGuard({
      earlyRefusal: kind === 'guarded' ? 'auto' : 'off',
      signals: { custom: [customSignal('test', () => (isRefusing ? 2 : 0))] },
    });
    guard.attach(server);
  }
  prepare(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
}

async function client(): Promise<RawClient> {
  const made = new RawClient((server.address() as AddressInfo).port);
  clients.push(made);
  await once(made.socket, 'connect');
  return made;
}

/** Node's own. */
function listed(of: Server): number {
  const key = Object.getOwnPropertySymbols(of).find(
    (each) => each.description === 'http.server.connections',
  )!;
  return (of as unknown as Record<symbol, { all(): unknown[] }>)[key]!.all().length;
}

async function served(): Promise<RawClient> {
  const made = await client();
  made.get();
  expect((await made.answer()).status).toBe(200);
  return made;
}

describe.each<[Kind]>([['bare'], ['guarded by documented means'], ['guarded']])('a server, %s', (kind) => {
  test('tells a new connection that says too little, too slowly, that it is late', async () => {
    await start(kind);
    const slow = await client();
    slow.send(HEAD);
    const dribble = setInterval(() => !slow.isClosed && slow.send('x: y\r\n'), 20);
    expect((await slow.answer()).status).toBe(408);
    await slow.closed();
    clearInterval(dribble);
  });

  test('tells one that was served before', async () => {
    await start(kind);
    const slow = await served();
    slow.send(HEAD);
    expect((await slow.answer()).status).toBe(408);
    await slow.closed();
  });

  test('tells one that sends a request and a half in one piece, and then nothing', async () => {
    await start(kind);
    const slow = await client();
    slow.send(`${HEAD}\r\n${HEAD}`);
    expect((await slow.answer()).status).toBe(200);
    expect((await slow.answer()).status).toBe(408);
    await slow.closed();
  });

  test('closes one on which nothing was ever said', async () => {
    await start(kind);
    const silent = await client();
    await silent.closed();
  });

  test('tells one whose body does not come, while nobody answers', async () => {
    await start(kind);
    const slow = await client();
    slow.send(POST.replace('/', '/held'));
    const sentMs = performance.now();
    expect((await slow.answer()).status).toBe(408);
    expect(performance.now() - sentMs).toBeGreaterThan(REQUEST_MS - 10);
    await slow.closed();
  });

  test('closes one whose body does not come, and that was answered', async () => {
    await start(kind);
    const slow = await client();
    slow.send(POST);
    expect((await slow.answer()).status).toBe(200);
    await slow.closed();
  });

  test('keeps one that waits for its answer, and one that has had it', async () => {
    await start(kind);
    const idle = await served();
    const waiting = await client();
    waiting.get('/held');
    await sleep(LONGER_MS);
    expect([idle.isClosed, waiting.isClosed]).toEqual([false, false]);
    idle.get();
    expect((await idle.answer()).status).toBe(200);
  });

  test('keeps one whose bodies come in time, however many', async () => {
    await start(kind);
    const busy = await client();
    const startedMs = performance.now();
    while (performance.now() - startedMs < LONGER_MS) {
      busy.send(POST);
      await sleep(20);
      busy.send('1234');
      expect((await busy.answer()).status).toBe(200);
    }
    expect(busy.isClosed).toBe(false);
  });

  test('leaves a late one to whoever listens to clientError, and tells once', async () => {
    const told: [string | undefined, Socket][] = [];
    await start(kind, (made) =>
      made.on('clientError', (error: NodeJS.ErrnoException, socket) =>
        told.push([error.code, socket as Socket]),
      ),
    );
    const slow = await client();
    slow.send(HEAD);
    await until(() => told.length > 0);
    await sleep(HEADERS_MS);
    expect(told.map(([code]) => code)).toEqual(['ERR_HTTP_REQUEST_TIMEOUT']);
    expect(slow.isClosed).toBe(false);
    told[0]![1].destroy();
    await slow.closed();
  });

  test('tells once, also if that somebody passes the error on', async () => {
    const told: (string | undefined)[] = [];
    const closed: boolean[] = [];
    await start(kind, (made) => {
      made.on('connection', (socket) => socket.on('close', (hadError) => closed.push(hadError)));
      made.on('clientError', (error: NodeJS.ErrnoException, socket) => {
        told.push(error.code, String(error));
        socket.destroy(error);
      });
    });
    const slow = await client();
    slow.send(HEAD);
    await until(() => closed.length > 0);
    expect(closed).toEqual([true]);
    expect(told).toEqual(['ERR_HTTP_REQUEST_TIMEOUT', 'Error [ERR_HTTP_REQUEST_TIMEOUT]: Request timeout']);
  });

  test('times connections of which a listener of its own has thrown', async () => {
    await start(kind, (made) => {
      const [first, ...others] = made.listeners('connection') as (() => void)[];
      made.removeAllListeners('connection');
      made.on('connection', first!);
      made.once('connection', () => {
        throw new Error('thrown by a listener');
      });
      for (const other of others) made.on('connection', other);
    });
    const { emit } = server;
    server.emit = function (this: Server, ...args: Parameters<typeof emit>) {
      try {
        return emit.apply(this, args);
      } catch {
        return true;
      }
    } as typeof emit;
    const slow = await client();
    slow.send(HEAD);
    expect((await slow.answer()).status).toBe(408);
    await slow.closed();
  });

  test('times what is said in a tunnel that ends here', async () => {
    await start(kind, (made) =>
      made.on('connect', (_req, socket: Duplex) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
        made.emit('connection', socket);
      }),
    );
    const tunnelled = await client();
    tunnelled.send('CONNECT x:80 HTTP/1.1\r\nhost: x\r\n\r\n');
    expect((await tunnelled.answer()).status).toBe(200);
    expect((await tunnelled.answer()).status).toBe(408);
    await tunnelled.closed();
  });

  test('takes the shorter time for headers, whatever it is called', async () => {
    await start(kind);
    server.headersTimeout = LONGER_MS;
    server.requestTimeout = HEADERS_MS;
    const half = await client();
    const body = await client();
    body.send(POST.replace('/', '/held'));
    half.send(HEAD);
    expect((await half.answer()).status).toBe(408);
    expect(body.isClosed).toBe(false);
    expect((await body.answer()).status).toBe(408);
  });

  test('does not judge one that speaks something else by now', async () => {
    await start(kind, (made) =>
      made.on('upgrade', (_req, socket: Duplex) => {
        socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: echo\r\nconnection: upgrade\r\n\r\n');
        socket.pipe(socket);
      }),
    );
    const other = await client();
    other.send(`${HEAD}upgrade: echo\r\nconnection: upgrade\r\n\r\n`);
    await once(other.socket, 'data');
    // Its parser is somebody else's meanwhile.
    const slow = await client();
    slow.send(HEAD);
    await slow.closed();
    await sleep(REQUEST_MS);
    server.closeAllConnections();
    other.send('hello');
    expect(String((await once(other.socket, 'data'))[0])).toBe('hello');
  });

  test('closes idle ones when it is closed, and others when they have been answered', async () => {
    await start(kind);
    const idle = await served();
    const waiting = await client();
    const asked = once(server, 'request');
    waiting.get('/held');
    const [, held] = (await asked) as [IncomingMessage, ServerResponse];
    const closed = once(server, 'close');
    server.close();
    await idle.closed();
    expect(waiting.isClosed).toBe(false);
    held.end();
    expect((await waiting.answer()).status).toBe(200);
    waiting.close();
    await closed;
  });

  test('closes idle ones alone, or all, when it is told to', async () => {
    await start(kind);
    const idle = await served();
    const waiting = await client();
    const half = await client();
    waiting.get('/held');
    half.send(POST.replace('/', '/held'));
    await sleep(30);
    server.closeIdleConnections();
    await idle.closed();
    expect([waiting.isClosed, half.isClosed]).toEqual([false, false]);
    server.closeAllConnections();
    await Promise.all([waiting.closed(), half.closed()]);
  });
});

test('a refused request whose body does not come is cut off as well', async () => {
  await start('guarded');
  const slow = await served();
  isRefusing = true;
  slow.send(POST);
  expect((await slow.answer()).status).toBe(503);
  expect(guard?.snapshot().isRefusingEarly).toBe(true);
  await slow.closed();
});

test('a refused request is over with its body', async () => {
  await start('guarded');
  const kept = await served();
  isRefusing = true;
  for (let i = 0; i < 3; i++) {
    kept.send(`${POST}1234`);
    expect((await kept.answer()).status).toBe(503);
  }
  await sleep(LONGER_MS);
  expect(kept.isClosed).toBe(false);
  server.closeIdleConnections();
  await kept.closed();
});

test('Node lists none of those that a guard reads early, and all others', async () => {
  await start('guarded by documented means');
  await served();
  expect(listed(server)).toBe(1);
  await guard!.drain({ timeoutMs: 0 });
  await start('guarded');
  const own = await served();
  expect(listed(server)).toBe(0);
  // By another way than the event.
  const other = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() }) as unknown as Socket;
  server.listeners('connection')[0]!.call(server, other);
  expect(listed(server)).toBe(1);
  server.closeAllConnections();
  await own.closed();
  expect(other.destroyed).toBe(true);
});

test('the same with TLS', async () => {
  server = createSecureServer({
    key: KEY,
    cert: CERTIFICATE,
    headersTimeout: HEADERS_MS,
    connectionsCheckingInterval: 25,
  }) as Server;
  server.on('request', (_req, res) => res.end('hello'));
  guard = createGuard();
  guard.attach(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const open = () =>
    connectSecurely({
      port: (server.address() as AddressInfo).port,
      ca: CERTIFICATE,
      servername: 'orders.test',
    });
  const slow = open();
  const kept = open();
  kept.write(`${HEAD}\r\n`);
  await once(kept, 'data');
  slow.write(HEAD);
  expect(listed(server)).toBe(0);
  expect(String((await once(slow, 'data'))[0])).toMatch(/^HTTP\/1\.1 408 /);
  await sleep(LONGER_MS);
  expect(kept.closed).toBe(false);
  server.close();
  await once(kept, 'close');
});
