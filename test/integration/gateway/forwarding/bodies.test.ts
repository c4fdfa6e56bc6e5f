import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../client/until.js';
import { RawBackend } from './raw-backend.js';
import { exchange, statuses } from './raw-exchange.js';
import { TinyGateway, type TinyGatewayOptions } from './tiny-gateway.js';

const stops: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function serve(handler: (req: IncomingMessage, res: ServerResponse) => void): Promise<number> {
  const server: Server = createServer(handler);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function gatewayTo(port: number, options?: TinyGatewayOptions): Promise<TinyGateway> {
  const gateway = await TinyGateway.start([port], options);
  stops.push(() => gateway.stop());
  return gateway;
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += chunk.toString('latin1');
  return text;
}

describe('the body of a request', () => {
  const echo = () =>
    serve((req, res) => {
      void textOf(req).then((body) => {
        const { 'content-length': length, 'transfer-encoding': coding } = req.headers;
        res.end(JSON.stringify({ bytes: body.length, length, coding }));
      });
    });

  it.each([
    ['short', 'content-length', 10],
    ['as long as is read before it is sent', 'content-length', 65_536],
    ['longer', 'content-length', 65_537],
    ['long', 'content-length', 3_000_000],
    ['in chunks', 'transfer-encoding', 10],
    ['long, in chunks', 'transfer-encoding', 3_000_000],
  ])('arrives whole and is framed as it was: %s', async (_name, framing, bytes) => {
    const gateway = await gatewayTo(await echo());
    const headers = framing === 'content-length' ? { 'content-length': bytes } : {};
    const sent = request({ port: gateway.port, host: '127.0.0.1', method: 'POST', headers });
    const answered = once(sent, 'response');
    for (let left = bytes; left > 0; left -= 100_000) sent.write(Buffer.alloc(Math.min(left, 100_000), 'a'));
    sent.end();
    const [res] = (await answered) as [IncomingMessage];
    const seen = JSON.parse(await textOf(res));
    expect(seen.bytes).toBe(bytes);
    // Undici says the length of none of those that come in chunks.
    if (framing === 'content-length') expect(seen.length).toBe(String(bytes));
    else expect(seen.coding).toBe('chunked');
  });

  it('waits for a backend that does not read', async () => {
    const port = await serve((req, res) => {
      stops.push(() => res.end());
      req.pause();
    });
    const gateway = await gatewayTo(port);
    const socket = connect(gateway.port, '127.0.0.1');
    stops.push(() => socket.destroy());
    socket.on('error', () => {});
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000000\r\n\r\n');
    let sent = 0;
    let isFull = false;
    const chunk = Buffer.alloc(65_536);
    const fill = () => {
      for (isFull = false; sent < 500_000_000; sent += chunk.length)
        if (!socket.write(chunk)) {
          isFull = true;
          return;
        }
    };
    socket.on('drain', fill);
    fill();
    let before = -1;
    for (let quiet = 0; quiet < 10; quiet = sent === before ? quiet + 1 : 0) {
      before = sent;
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    // What the kernel holds on the way, and no more.
    expect(isFull).toBe(true);
    expect(sent).toBeLessThan(64_000_000);
  });

  it('is refused when it is too long, by its length or as it comes', async () => {
    let seen = 0;
    const port = await serve((req, res) => {
      req.on('data', (chunk: Buffer) => {
        seen += chunk.length;
      });
      req.on('end', () => res.end('ok'));
      req.on('error', () => {});
    });
    const gateway = await gatewayTo(port, { target: { maxBodyBytes: 1_000 } });
    const post = (head: string, body: string) =>
      exchange(gateway.port, `POST / HTTP/1.1\r\nhost: x\r\n${head}\r\n\r\n${body}`, (text) =>
        /(?:ok|\})$/.test(text),
      );
    expect(await post('content-length: 1001', 'a'.repeat(1_001))).toMatch(
      /^HTTP\/1\.1 413 [\s\S]*connection: close/,
    );
    expect(seen).toBe(0);
    expect(await post('content-length: 1000', 'a'.repeat(1_000))).toMatch(/^HTTP\/1\.1 200 /);
    const chunks = '100\r\n'.concat('a'.repeat(256), '\r\n').repeat(20);
    expect(await post('transfer-encoding: chunked', `${chunks}0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('that is refused does not break the connection under the answer', async () => {
    const port = await serve((_req, res) => res.end('ok'));
    const gateway = await gatewayTo(port, { target: { maxBodyBytes: 1_000 } });
    const socket = connect(gateway.port, '127.0.0.1');
    stops.push(() => socket.destroy());
    let text = '';
    let error: Error | undefined;
    socket.on('error', (reason) => {
      error = reason;
    });
    const closed = once(socket, 'close');
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5000000\r\n\r\n');
    socket.write(Buffer.alloc(5_000_000, 'a'));
    await closed;
    expect(error).toBeUndefined();
    expect(statuses(text)).toEqual([413]);
  });

  it('may be refused by the guard meanwhile, and is then answered once', async () => {
    const backend = await RawBackend.start();
    stops.push(() => backend.stop());
    backend.server.on('connection', (socket) =>
      socket.on('data', (chunk) => {
        if (chunk.includes('a'.repeat(100))) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
      }),
    );
    const gateway = await gatewayTo(backend.port, { guard: { limits: { maxBodyBytes: 1_000 } } });
    const chunks = '100\r\n'.concat('a'.repeat(256), '\r\n').repeat(20);
    for (let times = 0; times < 20; times++) {
      const text = await exchange(
        gateway.port,
        `POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n${chunks}`,
      );
      expect(statuses(text)).toHaveLength(1);
    }
    expect(gateway.errors).toEqual([]);
    await until('nothing is left', () => gateway.guard.snapshot().inFlight === 0);
  });

  it('is asked for only when it is wanted', async () => {
    const port = await serve((req, res) => {
      void textOf(req).then((body) => res.end(body));
    });
    const gateway = await gatewayTo(port, { target: { maxBodyBytes: 100_000 } });
    const head = (length: number) =>
      `POST / HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: ${length}\r\n\r\n`;
    expect(statuses(await exchange(gateway.port, head(100_001), (text) => text.endsWith('}')))).toEqual([
      413,
    ]);
    for (const length of [2, 90_000]) {
      const socket = connect(gateway.port, '127.0.0.1');
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1');
      });
      socket.write(head(length));
      await until('it is asked for', () => text === 'HTTP/1.1 100 Continue\r\n\r\n');
      socket.write('b'.repeat(length));
      await until('it is answered', () => text.endsWith('b'.repeat(length)));
      expect(statuses(text)).toEqual([100, 200]);
      socket.destroy();
    }
  });

  it('ends the request at the backend when its client leaves', async () => {
    let isAborted = false;
    let hasBegun = false;
    const port = await serve((req, res) => {
      hasBegun = true;
      req.on('error', () => {});
      res.on('close', () => {
        isAborted = true;
      });
    });
    const gateway = await gatewayTo(port);
    for (const bytes of [
      'GET / HTTP/1.1\r\nhost: x\r\n\r\n',
      'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100000\r\n\r\nabc',
      'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n',
    ]) {
      isAborted = false;
      hasBegun = false;
      const socket = connect(gateway.port, '127.0.0.1');
      socket.write(bytes);
      await until('the backend has it', () => hasBegun);
      socket.destroy();
      await until('the backend is told', () => isAborted);
    }
    await until('nothing is left', () => gateway.guard.snapshot().inFlight === 0);
    expect(gateway.errors).toEqual([]);
  });
});

describe('an answer before the body is read', () => {
  it.each([
    ['of a known length', 'content-length: 5000000', 'a'.repeat(300_000)],
    ['in chunks', 'transfer-encoding: chunked', `${(200_000).toString(16)}\r\n${'a'.repeat(200_000)}\r\n`],
  ])('reaches its client, and nothing that follows is processed: %s', async (_name, framing, body) => {
    const backend = await RawBackend.start();
    stops.push(() => backend.stop());
    // Answers each connection once, as soon as it hears anything.
    backend.server.on('connection', (socket) =>
      socket.once('data', () => socket.write('HTTP/1.1 401 Unauthorized\r\ncontent-length: 2\r\n\r\nno')),
    );
    const gateway = await gatewayTo(backend.port);
    const text = await exchange(
      gateway.port,
      `POST / HTTP/1.1\r\nhost: x\r\n${framing}\r\n\r\n${body}`,
      (all) => all.endsWith('no'),
    );
    expect(statuses(text)).toEqual([401]);
    await until('nothing is left', () => gateway.guard.snapshot().inFlight === 0);
  });

  it('is the last on its connection: what follows the rest of the body is not processed', async () => {
    const backend = await RawBackend.start();
    stops.push(() => backend.stop());
    backend.server.on('connection', (socket) =>
      socket.once('data', () => socket.write('HTTP/1.1 401 Unauthorized\r\ncontent-length: 2\r\n\r\nno')),
    );
    const gateway = await gatewayTo(backend.port);
    const socket = connect(gateway.port, '127.0.0.1');
    stops.push(() => socket.destroy());
    let text = '';
    let isClosed = false;
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('close', () => {
      isClosed = true;
    });
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n');
    await until('it is answered', () => text.endsWith('no'));
    socket.write('1\r\nb\r\n0\r\n\r\nGET /hidden HTTP/1.1\r\nhost: x\r\n\r\n');
    await until('it is closed', () => isClosed);
    expect(statuses(text)).toEqual([401]);
    expect(backend.bytes).not.toContain('hidden');
  });

  it('leaves the connection as it was when the rest is short', async () => {
    const backend = await RawBackend.start(() => 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
    stops.push(() => backend.stop());
    const gateway = await gatewayTo(backend.port);
    const text = await exchange(
      gateway.port,
      'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\nabcGET / HTTP/1.1\r\nhost: x\r\n\r\n',
      (all) => statuses(all).length === 2 && all.endsWith('ok'),
    );
    expect(statuses(text)).toEqual([200, 200]);
  });
});
