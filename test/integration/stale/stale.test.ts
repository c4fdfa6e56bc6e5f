import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import express from 'express';
import fastify from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { StaleCopies } from '../../../src/server/stale/stale-copies.js';
import type { StaleOptions } from '../../../src/server/stale/stale-options.js';

type Handler = (req: IncomingMessage, res: ServerResponse) => unknown;

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A server that answers in full and makes copies, or, told to be degraded, from copies alone. */
async function serving(handler: Handler, options: Partial<StaleOptions> = {}) {
  const stale = new StaleCopies(options);
  const state = { isDegraded: false, port: 0, handled: 0 };
  const server = createServer((req, res) => {
    if (state.isDegraded) {
      if (!stale.serve(req, res, performance.now())) res.writeHead(503).end();
      return;
    }
    state.handled++;
    stale.capture(req, res);
    handler(req, res);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  state.port = (server.address() as AddressInfo).port;
  closing.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const ask = (path = '/', headers: Record<string, string> = {}, method = 'GET') =>
    askOf(state.port, path, headers, method);
  /** Asks for it in full, then for the copy. */
  const askTwice = async (path = '/', first: Record<string, string> = {}, second = first) => {
    state.isDegraded = false;
    const full = await ask(path, first);
    state.isDegraded = true;
    return [full, await ask(path, second)] as const;
  };
  return { stale, state, ask, askTwice };
}

function inTurn(...steps: ((res: ServerResponse) => unknown)[]): Handler {
  return (_, res) => {
    for (const step of steps) step(res);
  };
}

async function askOf(port: number, path: string, headers: Record<string, string>, method: string, body = '') {
  const req = request({ host: '127.0.0.1', port, path, headers, method, agent: false }).end(body);
  const [res] = (await once(req, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of res) chunks.push(chunk as Buffer);
  return { status: res.statusCode!, headers: res.headers, body: Buffer.concat(chunks) } satisfies Answer;
}

describe('a stale copy', () => {
  it('is the answer as it was, marked by standard headers', async () => {
    const { askTwice, state } = await serving((_, res) => {
      res.setHeader('content-type', 'text/plain; charset=utf-8');
      res.setHeader('x-request-id', 'one');
      res.end('grüße');
    });
    const [full, copy] = await askTwice();
    expect(copy.status).toBe(200);
    expect(copy.body.toString()).toBe('grüße');
    expect(copy.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-length': '7',
      'cache-status': expect.stringMatching(/^plimsoll; hit; ttl=(0|-\d+); detail=overload$/),
      age: expect.stringMatching(/^\d+$/),
    });
    expect(Math.abs(Date.parse(copy.headers.date!) - Date.parse(full.headers.date!))).toBeLessThanOrEqual(
      1_000,
    );
    expect(copy.headers).not.toHaveProperty('x-request-id');
    expect(copy.headers).not.toHaveProperty('warning');
    expect(full.headers).not.toHaveProperty('cache-status');
    expect(state.handled).toBe(1);
  });

  it.each<[string, Handler]>([
    ['end', (_, res) => res.end(Buffer.from('abcdef'))],
    ['writeHead with an object', (_, res) => res.writeHead(200, { 'x-kind': 'a' }).end('abcdef')],
    ['writeHead with an array', (_, res) => res.writeHead(200, ['x-kind', 'a', 'x-kind', 'b']).end('abcdef')],
    ['writeHead with a length', (_, res) => res.writeHead(200, 'OK', { 'content-length': 6 }).end('abcdef')],
    ['a stream', (_, res) => Readable.from([Buffer.from('abc'), 'def']).pipe(res)],
    ['a pipeline', (_, res) => pipeline(Readable.from(['ab', 'cd', 'ef']), res)],
    [
      'write and end',
      inTurn(
        (res) => res.write('abc'),
        (res) => res.end('def'),
      ),
    ],
    [
      'flushHeaders',
      inTurn(
        (res) => res.flushHeaders(),
        (res) => res.end('abcdef'),
      ),
    ],
    [
      'turns apart',
      inTurn(
        (res) => res.write('abc'),
        (res) => setImmediate(() => res.end('def')),
      ),
    ],
    [
      'cork',
      inTurn(
        (res) => res.cork(),
        (res) => res.write('abc'),
        (res) => res.uncork(),
        (res) => res.end('def'),
      ),
    ],
  ])('is whole when it was sent by %s', async (_, handler) => {
    const { askTwice } = await serving(handler);
    const [full, copy] = await askTwice();
    expect([full.body.toString(), copy.body.toString()]).toEqual(['abcdef', 'abcdef']);
    expect(copy.headers['x-kind']).toBe(full.headers['x-kind']);
    expect(copy.headers['transfer-encoding']).toBeUndefined();
  });

  it('is none of an answer that was broken off', async () => {
    const { state, stale } = await serving((_, res) => {
      res.write('begun');
      res.on('close', () => res.end('late'));
    });
    const req = request({ host: '127.0.0.1', port: state.port }).end();
    req.on('error', () => {});
    const [res] = (await once(req, 'response')) as [IncomingMessage];
    await once(res, 'data');
    req.destroy();
    await expect.poll(() => stale.snapshot().givenUp).toBe(1);
    expect(stale.snapshot()).toMatchObject({ entries: 0, stored: 0 });
  });

  it('is none of an answer that its handler broke off', async () => {
    const { state, stale, ask } = await serving((_, res) => {
      res.write('begun');
      setImmediate(() => res.destroy());
    });
    await expect(ask()).rejects.toThrow();
    await expect.poll(() => stale.snapshot().givenUp).toBe(1);
    state.isDegraded = true;
    expect((await ask()).status).toBe(503);
  });

  it('is none of an answer that is too large, which passes unharmed', async () => {
    const piece = Buffer.alloc(10_000, 'x');
    const { askTwice, stale } = await serving(
      (_, res) => void Readable.from(Array.from({ length: 20 }, () => piece)).pipe(res),
      { maxBodyBytes: 100_000 },
    );
    const [full, copy] = await askTwice();
    expect(full.body.length).toBe(200_000);
    expect(copy.status).toBe(503);
    expect(stale.snapshot()).toMatchObject({ entries: 0, givenUp: 1 });
  });

  it('answers HEAD, conditions, and several requests at once on one connection', async () => {
    const { state, ask, askTwice } = await serving((_, res) => {
      res.setHeader('etag', '"v1"');
      res.end('hello');
    });
    await askTwice();
    const head = await ask('/', {}, 'HEAD');
    expect([head.status, head.headers['content-length'], head.body.length]).toEqual([200, '5', 0]);
    const unchanged = await ask('/', { 'if-none-match': 'W/"v1"' });
    expect([unchanged.status, unchanged.headers.etag, unchanged.body.length]).toEqual([304, '"v1"', 0]);
    const socket = connect(state.port, '127.0.0.1');
    const target = `HTTP/1.1\r\nhost: 127.0.0.1:${state.port}\r\n`;
    socket.write(`GET / ${target}\r\nHEAD / ${target}\r\nGET / ${target}if-none-match: "v1"\r\n\r\n`);
    socket.write(`GET / ${target}connection: close\r\n\r\n`);
    let text = '';
    for await (const chunk of socket) text += chunk;
    const answers = text.split(/(?=HTTP\/1\.1 )/).map((one) => one.split('\r\n\r\n'));
    expect(answers.map(([start, body]) => [start!.slice(9, 12), body])).toEqual([
      ['200', 'hello'],
      ['200', ''],
      ['304', ''],
      ['200', 'hello'],
    ]);
  });

  it('is of the encoding that was asked for, also when Vary does not say so', async () => {
    const { askTwice, ask } = await serving((req, res) => {
      if (req.headers['accept-encoding'] !== 'gzip') return res.end('plain');
      res.setHeader('content-encoding', 'gzip');
      return res.end(gzipSync('packed'));
    });
    const [, packed] = await askTwice('/', { 'accept-encoding': 'gzip' });
    expect(gunzipSync(packed.body).toString()).toBe('packed');
    expect((await ask()).status).toBe(503);
    const [, plain] = await askTwice();
    expect(plain.body.toString()).toBe('plain');
  });

  it('is forgotten once something was written there', async () => {
    const { askTwice, state, ask } = await serving((_, res) => res.end('cart'));
    expect((await askTwice('/cart'))[1].status).toBe(200);
    state.isDegraded = false;
    expect((await askOf(state.port, '/cart', {}, 'POST', 'one more')).status).toBe(200);
    state.isDegraded = true;
    expect((await ask('/cart')).status).toBe(503);
  });

  it('takes bounded memory under a flood of addresses', async () => {
    const { ask, stale } = await serving((_, res) => res.end('x'.repeat(1_000)), {
      maxEntries: 50,
      maxBytes: 100_000,
      maxBodyBytes: 2_000,
    });
    for (let i = 0; i < 200; i++) await ask(`/?${i}`);
    const { entries, bytes, stored } = stale.snapshot();
    expect(stored).toBe(200);
    expect(entries).toBeLessThanOrEqual(50);
    expect(bytes).toBeLessThanOrEqual(100_000);
  });
});

describe('nobody gets a copy of another’s answer', () => {
  it('by a session, a token, or an API key', async () => {
    const { askTwice, stale } = await serving((req, res) => res.end(JSON.stringify(req.headers)));
    for (const name of ['cookie', 'authorization', 'x-api-key']) {
      const [full, copy] = await askTwice('/me', { [name]: 'alice' }, {});
      expect([full.status, copy.status]).toEqual([200, 503]);
    }
    expect(stale.snapshot().entries).toBe(0);
  });

  it('by a cookie that the answer sets', async () => {
    const { askTwice } = await serving((_, res) =>
      res.writeHead(200, { 'Set-Cookie': 'session=1' }).end('hi'),
    );
    expect((await askTwice())[1].status).toBe(503);
  });

  it('while signed in, the page that strangers see', async () => {
    const { askTwice } = await serving((_, res) => res.end('please sign in'));
    expect((await askTwice('/', {}, { cookie: 'session=1' }))[1].status).toBe(503);
  });

  it.each([
    ['x-forwarded-host', 'evil.example'],
    ['x-forwarded-proto', 'http'],
    ['x-host', 'evil.example'],
    ['forwarded', 'host=evil.example'],
    ['host', 'evil.example'],
    ['origin', 'https://evil.example'],
    ['accept-language', 'xx'],
    ['x-original-url', '/evil'],
    ['x-http-method-override', 'DELETE'],
    ['range', 'bytes=0-1'],
  ])('by a forged %s', async (name, value) => {
    const { askTwice } = await serving((req, res) => {
      const { host, origin } = req.headers;
      res.setHeader('vary', 'accept-language');
      if (origin !== undefined) res.setHeader('access-control-allow-origin', origin);
      res.end(`links to ${req.headers[name] ?? host}`);
    });
    const [full, copy] = await askTwice('/', { [name]: value }, {});
    expect(full.body.toString()).toContain(value);
    expect(copy.status).toBe(503);
  });

  it('by a body that a GET should not have', async () => {
    const { state, ask, stale } = await serving(async (req, res) => {
      let body = '';
      for await (const chunk of req) body += chunk;
      res.end(`found ${body}`);
    });
    const full = await askOf(state.port, '/', { 'content-length': '4' }, 'GET', 'evil');
    expect(full.body.toString()).toBe('found evil');
    expect(stale.snapshot().entries).toBe(0);
    state.isDegraded = true;
    expect((await ask()).status).toBe(503);
  });
});

describe('frameworks', () => {
  it('Express: answers, tags and streams are copied', async () => {
    const app = express();
    app.get('/json', (_, res) => void res.json({ ok: true }));
    app.get('/stream', (_, res) => void Readable.from(['a', 'b']).pipe(res));
    app.get('/mine', (_, res) => void res.set('cache-control', 'private').send('mine'));
    app.get('/broken', () => {
      throw Object.assign(new Error('broken'), { status: 500 });
    });
    app.set('env', 'test');
    const { askTwice, ask } = await serving(app as unknown as Handler);
    const [full, copy] = await askTwice('/json');
    expect(JSON.parse(copy.body.toString())).toEqual({ ok: true });
    expect(copy.headers).toMatchObject({
      etag: full.headers.etag,
      'content-type': full.headers['content-type'],
    });
    expect((await ask('/json', { 'if-none-match': full.headers.etag! })).status).toBe(304);
    expect((await askTwice('/stream'))[1].body.toString()).toBe('ab');
    expect((await askTwice('/mine'))[1].status).toBe(503);
    expect((await askTwice('/broken'))[1].status).toBe(503);
  });

  it('Fastify: answers and streams are copied', async () => {
    let handle: Handler = () => {};
    const app = fastify({
      serverFactory: (handler) => {
        handle = handler as unknown as Handler;
        return createServer();
      },
    });
    app.get('/json', async () => ({ ok: true }));
    app.get('/stream', (_, reply) => reply.send(Readable.from(['a', 'b'])));
    await app.ready();
    closing.push(() => app.close());
    const { askTwice } = await serving((req, res) => handle(req, res));
    const [full, copy] = await askTwice('/json');
    expect(copy.body.toString()).toBe('{"ok":true}');
    expect(copy.headers['content-type']).toBe(full.headers['content-type']);
    expect((await askTwice('/stream'))[1].body.toString()).toBe('ab');
  });
});
