import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { until } from '../../client/until.js';
import { type RawAnswerer, RawBackend } from './raw-backend.js';
import { exchange, statuses } from './raw-exchange.js';
import { TinyGateway, type TinyGatewayOptions } from './tiny-gateway.js';

const stops: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function gatewayTo(port: number, options?: TinyGatewayOptions): Promise<TinyGateway> {
  const gateway = await TinyGateway.start([port], options);
  stops.push(() => gateway.stop());
  return gateway;
}

async function rawBackend(answer: RawAnswerer): Promise<RawBackend> {
  const backend = await RawBackend.start(answer);
  stops.push(() => backend.stop());
  return backend;
}

const asking = (...headers: string[]) =>
  `GET /chat HTTP/1.1\r\n${['host: x', 'connection: Upgrade', 'upgrade: talk', ...headers].join('\r\n')}\r\n\r\n`;
const AGREED = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: talk\r\nx-kept: 1\r\n';

/** Joined, and ready to talk: the client's end, and the backend's. */
async function joined(further = '') {
  const backend = await rawBackend(() => `${AGREED}\r\n${further}`);
  backend.endsToo = false;
  const gateway = await gatewayTo(backend.port);
  const client = connect({ port: gateway.port, host: '127.0.0.1', allowHalfOpen: true });
  stops.push(() => client.destroy());
  let text = '';
  client.on('error', () => {});
  client.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  client.write(asking());
  await until('they agree', () => text.includes('\r\n\r\n'));
  const spoken = backend.connections.find(({ bytes }) => bytes !== '')!;
  return { client, backend: spoken.socket, heard: () => text, said: () => spoken.bytes, gateway };
}

describe('an upgrade', () => {
  it('carries WebSockets, both ways, to their end', async () => {
    const server: Server = createServer();
    const sockets = new WebSocketServer({ server });
    sockets.on('connection', (socket, req) => {
      socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
      socket.send(`${req.url} ${req.headers['x-forwarded-for']} ${req.headers.cookie}`);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    stops.push(() => {
      sockets.close();
      server.closeAllConnections();
      server.close();
    });
    const gateway = await gatewayTo((server.address() as AddressInfo).port);
    const client = new WebSocket(`ws://127.0.0.1:${gateway.port}/chat?a=b`, { headers: { cookie: 'c=d' } });
    const [greeting] = await once(client, 'message');
    expect(String(greeting)).toBe('/chat?a=b 127.0.0.1 c=d');
    const large = Buffer.alloc(3_000_000, 'x');
    client.send(large);
    const [echoed] = (await once(client, 'message')) as [Buffer];
    expect(echoed.equals(large)).toBe(true);
    client.close(4_001, 'bye');
    const [code, reason] = await once(client, 'close');
    expect([code, String(reason)]).toEqual([4_001, 'bye']);
    await until('nothing is left', () => gateway.sockets.size === 0);
  });

  it('passes on what was said with it, in one piece with what follows', async () => {
    const { client, backend, heard, said } = await joined('first words');
    expect(heard()).toMatch(/^HTTP\/1\.1 101 /);
    expect(heard()).toContain('\r\nx-kept: 1\r\n');
    await until('first words', () => heard().endsWith('\r\n\r\nfirst words'));
    client.write('more');
    await until('more', () => said().endsWith('more'));
    backend.write('and more');
    await until('and more', () => heard().endsWith('and more'));
  });

  it('lets either side stop talking and go on listening', async () => {
    const { client, backend, heard, said } = await joined();
    client.end('my last word');
    await until('it is heard', () => said().endsWith('my last word'));
    backend.write('not mine');
    await until('the other goes on', () => heard().endsWith('not mine'));
    backend.end('but this is');
    await until('and ends', () => heard().endsWith('but this is'));
  });

  it('lets the backend be the first to stop', async () => {
    const { client, backend, heard, said } = await joined();
    let isEnded = false;
    client.on('end', () => {
      isEnded = true;
    });
    backend.end('all that I know');
    await until(
      'it is heard, and that it was the last',
      () => heard().endsWith('all that I know') && isEnded,
    );
    client.write('not all that I do');
    await until('the other goes on', () => said().endsWith('not all that I do'));
    client.end();
  });

  it('ends when the service is given up', async () => {
    const { client, gateway } = await joined();
    await gateway.client.destroy();
    await until('the client is told', () => client.destroyed || client.readableEnded);
    await until('nothing is left', () => gateway.sockets.size === 0);
  });

  it('ends with either side when that breaks', async () => {
    const one = await joined();
    one.client.resetAndDestroy();
    await until('the backend is told', () => one.backend.destroyed);
    const other = await joined();
    other.backend.resetAndDestroy();
    await until('the client is told', () => other.client.destroyed || other.client.readableEnded);
  });

  it('waits for whoever does not listen', async () => {
    const { client, backend } = await joined();
    client.pause();
    let written = 0;
    let isFull = false;
    const chunk = Buffer.alloc(65_536);
    const fill = () => {
      for (isFull = false; written < 500_000_000; written += chunk.length)
        if (!backend.write(chunk)) {
          isFull = true;
          return;
        }
    };
    backend.on('drain', fill);
    fill();
    let before = -1;
    for (let quiet = 0; quiet < 10; quiet = written === before ? quiet + 1 : 0) {
      before = written;
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    expect(isFull).toBe(true);
    expect(written).toBeLessThan(64_000_000);
  });
});

describe('an upgrade that is none', () => {
  it('is an ordinary answer when the backend does not agree, and the last on its connection', async () => {
    const backend = await rawBackend(() => 'HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\n\r\nno');
    const gateway = await gatewayTo(backend.port);
    const text = await exchange(gateway.port, `${asking()}GET /hidden HTTP/1.1\r\nhost: x\r\n\r\n`);
    expect(text).toMatch(/^HTTP\/1\.1 403 [\s\S]*connection: close[\s\S]*\r\n\r\nno$/i);
    expect(statuses(text)).toEqual([403]);
    expect(backend.bytes).not.toContain('hidden');
  });

  it.each([
    ['another protocol than was asked for', AGREED.replace('upgrade: talk', 'upgrade: h2c')],
    ['two of them', `${AGREED}upgrade: talk\r\n`],
  ])('is 502 when the backend goes on with %s', async (_name, answer) => {
    const backend = await rawBackend(() => `${answer}\r\n`);
    const gateway = await gatewayTo(backend.port);
    expect(statuses(await exchange(gateway.port, asking()))).toEqual([502]);
    await until('the backend is left', () =>
      backend.connections.filter(({ bytes }) => bytes !== '').every(({ socket }) => socket.destroyed),
    );
  });

  it('is 502 when there is no answer', async () => {
    const backend = await rawBackend((_request, socket) => {
      socket.destroy();
      return undefined;
    });
    const gateway = await gatewayTo(backend.port, { client: { retry: false } });
    const text = await exchange(gateway.port, asking());
    expect(statuses(text)).toEqual([502]);
    expect(gateway.errors).toEqual([]);
  });

  it.each([
    ['h2c', 'upgrade: h2c'],
    ['HTTP/2.0', 'upgrade: HTTP/2.0'],
    ['TLS', 'upgrade: TLS/1.0'],
    ['a list', 'upgrade: talk, h2c'],
  ])('is not asked for of a backend that would speak %s with the client, unread', async (_name, header) => {
    const backend = await rawBackend(() => 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
    const gateway = await gatewayTo(backend.port);
    const text = await exchange(
      gateway.port,
      `GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade, http2-settings\r\nhttp2-settings: x\r\n${header}\r\n\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 200 [\s\S]*connection: close[\s\S]*ok$/i);
    expect(backend.bytes).not.toMatch(/upgrade|http2/i);
  });

  it('is none when it is for HTTP/2, as Java asks with each request: its body is read as ever', async () => {
    const backend = await rawBackend(() => 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
    const gateway = await gatewayTo(backend.port);
    const asked = 'connection: upgrade, http2-settings\r\nhttp2-settings: x\r\nupgrade: h2c\r\n';
    const text = await exchange(
      gateway.port,
      `POST / HTTP/1.1\r\nhost: x\r\n${asked}content-length: 5\r\n\r\nhello`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 200 [\s\S]*connection: close[\s\S]*ok$/i);
    expect(backend.bytes).toContain('\r\n\r\nhello');
    expect(backend.bytes).not.toMatch(/upgrade|http2/i);
  });

  it('is 413 or the like never, but 400 when it has a body', async () => {
    const backend = await rawBackend(() => `${AGREED}\r\n`);
    const gateway = await gatewayTo(backend.port);
    expect(statuses(await exchange(gateway.port, asking('content-length: 5')))).toEqual([400]);
    expect(backend.bytes).toBe('');
  });
});
