import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../server/guarded-server.js';
import { expectNoMishaps } from '../../server/mishaps.js';
import { Http2Stage, type Staged } from './http2-stage.js';
import { block, END_HEADERS, END_STREAM, FRAME, GET, POST, RawHttp2 } from './raw-frames.js';

expectNoMishaps();

const stage = new Http2Stage();
afterEach(() => stage.stop());

const ENHANCE_YOUR_CALM = 11;

async function aGateway(): Promise<Staged> {
  const backend = await stage.backend();
  return stage.gateway(`routes: [{ to: "${backend.url}" }]`);
}

async function aFlooder({ port }: Staged): Promise<RawHttp2> {
  return stage.owns(await RawHttp2.open(port), ({ socket }) => socket.destroy());
}

/** Somebody else, all the while. */
async function isServed({ port }: Staged): Promise<boolean> {
  const client = stage.client(port);
  // The guard may be full for a moment: bodies that do not come are waited for, a little.
  for (let i = 0; i < 100; i++) {
    const { status } = await client.ask('/');
    if (status === 200) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

describe('a flood of', () => {
  it('streams that are reset at once ends the connection, and nobody else is hurt', async () => {
    const staged = await aGateway();
    const raw = await aFlooder(staged);
    const cancel = Buffer.from([0, 0, 0, 8]);
    let stream = 1;
    await until(() => {
      for (let i = 0; i < 50 && !raw.isClosed; i++, stream += 2) {
        raw.headers(stream, GET);
        raw.send(FRAME.rst, 0, stream, cancel);
      }
      return raw.goAway !== undefined || raw.isClosed;
    });
    // It may not get to read it.
    if (raw.goAway !== undefined) expect(raw.goAway).toBe(ENHANCE_YOUR_CALM);
    await until(() => raw.isClosed);
    expect(stream).toBeLessThan(20_000);
    expect(await isServed(staged)).toBe(true);
    await until(() => staged.gateway.guard.snapshot().inFlight === 0);
    expect(staged.errors).toEqual([]);
  });

  it('streams is bounded: those beyond are refused', async () => {
    const staged = await aGateway();
    const raw = await aFlooder(staged);
    for (let stream = 1; stream < 2 * 200; stream += 2) raw.headers(stream, POST, END_HEADERS);
    await until(() => raw.isClosed || raw.of(FRAME.rst).length >= 72);
    expect(staged.gateway.guard.snapshot().inFlight).toBeLessThanOrEqual(128);
    expect(await isServed(staged)).toBe(true);
    raw.socket.destroy();
    await until(() => staged.gateway.guard.snapshot().inFlight === 0);
  });

  it('headers that go on and on ends the connection', async () => {
    const staged = await aGateway();
    const raw = await aFlooder(staged);
    raw.send(FRAME.headers, END_STREAM, 1, block(GET));
    let sent = 0;
    await until(() => {
      for (let i = 0; i < 20; i++, sent++)
        raw.send(FRAME.continuation, 0, 1, block([[`x-${sent}`, 'a'.repeat(1_000)]]));
      return raw.goAway !== undefined || raw.isClosed;
    });
    expect(await isServed(staged)).toBe(true);
  });

  it.each([
    ['pings', FRAME.ping, Buffer.alloc(8)],
    ['settings', FRAME.settings, Buffer.alloc(0)],
  ])('%s ends the connection', async (_name, type, payload) => {
    const staged = await aGateway();
    const raw = await aFlooder(staged);
    await until(() => {
      for (let i = 0; i < 5_000 && !raw.isClosed; i++) raw.send(type, 0, 0, payload);
      return raw.goAway !== undefined || raw.isClosed;
    });
    expect(await isServed(staged)).toBe(true);
  });

  it('empty pieces of a body ends the connection', async () => {
    const staged = await aGateway();
    const raw = await aFlooder(staged);
    raw.headers(1, POST, END_HEADERS);
    await until(() => {
      for (let i = 0; i < 100 && !raw.isClosed; i++) raw.send(FRAME.data, 0, 1);
      return raw.goAway !== undefined || raw.isClosed;
    });
    expect(await isServed(staged)).toBe(true);
  });
});

describe('a client that', () => {
  it('says nothing, or the half of it, is not waited for', async () => {
    const backend = await stage.backend();
    const staged = await stage.gateway(
      `overload: { headersTimeout: 300ms, keepAlive: 300ms }\nroutes: [{ to: "${backend.url}" }]`,
    );
    const sockets = ['', 'PRI * HT', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'].map((text) => {
      const socket = stage.owns(connect(staged.port, '127.0.0.1'), (made) => made.destroy());
      socket.on('error', () => {}).resume();
      if (text !== '') socket.write(text);
      return socket;
    });
    await until(() => sockets.every(({ closed }) => closed));
    expect(await isServed(staged)).toBe(true);
  });

  it('does not read keeps others waiting on no connection, and its streams are ended', async () => {
    const backend = await stage.backend();
    backend.handler = (req, res) => res.end(req.url === '/large' ? Buffer.alloc(1_000_000) : 'fine');
    const staged = await stage.gateway(
      `overload: { requestTimeout: 500ms }\nroutes: [{ to: "${backend.url}" }]`,
    );
    const raw = await aFlooder(staged);
    // It has room for nothing, and says so before it asks.
    raw.send(FRAME.settings, 0, 0, Buffer.from([0, 4, 0, 0, 0, 0]));
    for (let stream = 1; stream < 20; stream += 2)
      raw.headers(stream, [GET[0]!, GET[1]!, [':path', '/large'], GET[3]!]);
    await until(() => raw.of(FRAME.headers).length > 0);
    expect(await isServed(staged)).toBe(true);
    await until(() => raw.of(FRAME.rst).length === 10);
    await until(() => staged.gateway.guard.snapshot().inFlight === 0);
  });
});
