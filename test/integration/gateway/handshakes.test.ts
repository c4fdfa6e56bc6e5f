import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { until } from '../client/until.js';
import { expectNoMishaps } from '../server/mishaps.js';
import { EchoBackend } from './echo-backend.js';
import { RunningGateway } from './running-gateway.js';

expectNoMishaps();

const folder = mkdtempSync(join(tmpdir(), 'plimsoll-handshakes-'));
const UPGRADE = 'connection: upgrade\r\nupgrade: foo\r\n';
const AGREED = 'HTTP/1.1 101 Fine\r\nconnection: upgrade\r\nupgrade: foo\r\n\r\n';

let backend: EchoBackend;
let gateway: RunningGateway;
/** What asks the backend for another protocol, and what the backend does with it. */
let asked: Socket[];
let answer: (socket: Socket) => void;
let clients: Talk[];

beforeEach(async () => {
  asked = [];
  clients = [];
  answer = () => {};
  backend = await EchoBackend.start();
  backend.server.on('upgrade', (_req, socket: Socket) => {
    socket.on('error', () => {});
    socket.on('end', () => socket.destroy());
    socket.resume();
    asked.push(socket);
    answer(socket);
  });
});
afterEach(async () => {
  for (const { socket } of clients) socket.destroy();
  await gateway.stop();
  for (const socket of asked) socket.destroy();
  await backend.stop();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function start(settings: string): Promise<void> {
  gateway = await RunningGateway.start(`${settings}\nroutes: [{ to: "${backend.url}" }]`, {
    directory: folder,
  });
}

interface Talk {
  readonly socket: Socket;
  text: string;
  isClosed: boolean;
}

/** An ordinary GET, but for two headers; `further` comes behind them. */
function ask(further = ''): Talk {
  const socket = connect({ port: gateway.port, host: '127.0.0.1', allowHalfOpen: true });
  const talk: Talk = { socket, text: '', isClosed: false };
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    talk.text += chunk.toString('latin1');
  });
  socket.on('end', () => socket.end());
  socket.on('close', () => {
    talk.isClosed = true;
  });
  socket.write(`GET / HTTP/1.1\r\nhost: x\r\n${UPGRADE}${further}\r\n`);
  clients.push(talk);
  return talk;
}

const statusOf = ({ text }: Talk) => Number(text.split(' ')[1]);
const guard = () => gateway.gateway.guard.snapshot();
const nothingRuns = () => until('nothing runs', () => guard().inFlight === 0 && guard().gate.running === 0);

describe('a request for another protocol is bounded as any other:', () => {
  it('it is one of those of its customer', async () => {
    writeFileSync(join(folder, 'quotas.yaml'), 'unit: requests\neveryoneElse: { requests: 1 }\n');
    await start('quota: { file: quotas.yaml }');
    answer = (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok');
    const seen = new Set<number>();
    // A second has room for one: however slow the machine, a thousand in turn are more than that.
    for (let i = 0; i < 1_000 && seen.size < 2; i++) {
      const talk = ask();
      await until('an answer', () => talk.isClosed);
      seen.add(statusOf(talk));
    }
    expect(seen).toEqual(new Set([200, 429]));
  });

  it('it has a place until it is answered, and no longer than any has', async () => {
    await start('overload: { timeout: 1s, concurrency: 3 }');
    const talks = Array.from({ length: 12 }, () => ask());
    await until('as many as may', () => asked.length === 3);
    expect(guard()).toMatchObject({ gate: { running: 3 } });
    expect(gateway.gateway.guard.loadReport().inFlight).toBeGreaterThanOrEqual(3);
    await until('answers', () => talks.every(({ isClosed }) => isClosed));
    // Late is who was asked for in vain; who waits behind that is refused, or late as well.
    for (const talk of talks) expect([503, 504]).toContain(statusOf(talk));
    expect(asked.length).toBeLessThan(12);
    await nothingRuns();
  });

  it('an answer that is not read has its place until it is cut off', async () => {
    await start('overload: { requestTimeout: 1s }');
    answer = (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 500000000\r\n\r\n');
      socket.write(Buffer.alloc(50_000_000));
    };
    const talk = ask();
    talk.socket.pause();
    await until('more than it takes', () => talk.socket.readableLength > 0);
    expect(guard().inFlight).toBe(1);
    await until('it is cut off', () => guard().connections === 0);
    await nothingRuns();
    await until('the backend is left', () => asked[0]!.destroyed);
  });

  it('a long answer comes whole', async () => {
    await start('');
    answer = (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 20000000\r\n\r\n');
      socket.end(Buffer.alloc(20_000_000, 'x'));
    };
    const talk = ask();
    await until('its end', () => talk.isClosed);
    expect(talk.text.length - talk.text.indexOf('\r\n\r\n') - 4).toBe(20_000_000);
    await nothingRuns();
  });

  it('an answer that goes on has its place until it is over', async () => {
    await start('');
    answer = (socket) => socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n');
    const talk = ask();
    await until('its beginning', () => talk.text.includes('ok'));
    expect(guard().inFlight).toBe(1);
    asked[0]!.end('0\r\n\r\n');
    await until('its end', () => talk.isClosed);
    expect(talk.text).toMatch(/ok\r\n0\r\n\r\n$/);
    await nothingRuns();
  });
});

it('connections that were joined are no requests, have no deadline, and are asked after by the system', async () => {
  const keepAlive = vi.spyOn(Socket.prototype, 'setKeepAlive');
  await start('overload: { timeout: 500ms, concurrency: 1 }');
  answer = (socket) => {
    socket.write(AGREED);
    socket.on('data', (chunk) => socket.write(chunk));
  };
  for (let i = 0; i < 3; i++) {
    const talk = ask();
    await until('they agree', () => talk.text === AGREED.replace('Fine', 'Switching Protocols'));
  }
  await nothingRuns();
  expect(guard().connections).toBe(3);
  const kept = keepAlive.mock.contexts.map((socket) => (socket as Socket).localPort);
  expect(kept.filter((port) => port === gateway.port)).toHaveLength(3);
  keepAlive.mockRestore();
  // Longer than any request may take.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  for (const talk of clients) {
    talk.socket.write('still here');
    await until('an echo', () => talk.text.endsWith('still here'));
  }
});

describe('its place is free again', () => {
  beforeEach(() => start('overload: { concurrency: 1 }'));

  /** One that is with its backend. */
  const underWay = async () => {
    const talk = ask();
    await until('it is asked for', () => asked.length === 1);
    expect(guard()).toMatchObject({ inFlight: 1, gate: { running: 1 } });
    return talk;
  };

  it.each([
    ['breaks', (socket: Socket) => socket.resetAndDestroy()],
    ['says that it waits no longer', (socket: Socket) => socket.end()],
  ])('when its client %s', async (_name, leave) => {
    const { socket } = await underWay();
    leave(socket);
    await nothingRuns();
    await until('its backend is left', () => asked[0]!.destroyed);
  });

  it.each([
    ['leaves', (socket: Socket) => socket.resetAndDestroy(), 502],
    ['declines', (socket: Socket) => socket.end('HTTP/1.1 403 No\r\ncontent-length: 0\r\n\r\n'), 403],
    ['agrees to something else', (socket: Socket) => socket.write(AGREED.replace('foo', 'bar')), 502],
  ])('when its backend %s', async (_name, end, status) => {
    const talk = await underWay();
    // Not a second time.
    answer = end;
    end(asked[0]!);
    await until('an answer', () => talk.isClosed);
    expect(statusOf(talk)).toBe(status);
    await nothingRuns();
  });

  it('when there is no route for it, or it has a body', async () => {
    const talk = ask('content-length: 5\r\n');
    await until('an answer', () => talk.isClosed);
    expect(statusOf(talk)).toBe(400);
    await nothingRuns();
  });

  it('when the gateway leaves, which says so', async () => {
    const talk = await underWay();
    await gateway.gateway.close({ timeoutMs: 100, spreadMs: 0 });
    await until('an answer', () => talk.isClosed);
    expect(statusOf(talk)).toBe(503);
    expect(guard()).toMatchObject({ inFlight: 0, connections: 0 });
  });
});
