import { type createServer, Server } from 'node:http';
import { createServer as createSecureServer, Server as SecureServer } from 'node:https';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { guardFastify } from '../../../src/server/fastify.js';
import { guardHono } from '../../../src/server/hono.js';
import { createGuard } from '../../../src/server/index.js';
import { FRAMEWORKS, type Seen, STREAMED_BYTES } from './framework-apps.js';
import { GuardedServer } from './guarded-server.js';
import { expectNoMishaps } from './mishaps.js';

const REFUSE_ALL = 2;

expectNoMishaps();

describe.each(Object.entries(FRAMEWORKS))('a guarded %s', (_, app) => {
  let served: GuardedServer;
  let seen: Seen;
  beforeEach(async () => {
    seen = { requests: 0, broken: 0 };
    served = await GuardedServer.startServer((guard) => app(guard, seen));
  });
  afterEach(async () => {
    await served.until(() => served.guard.snapshot().inFlight === 0);
    expect(served.guard.snapshot()).toMatchObject({ waiting: 0, gate: { running: 0 } });
    expect(served.errors).toEqual([]);
    await served.stop();
  });

  test('answers, with the load report, and again on the same connection', async () => {
    const client = served.client();
    for (let i = 0; i < 3; i++) {
      client.get('/plain');
      const answer = await client.answer();
      expect(answer).toMatchObject({ status: 200, body: 'plain' });
      expect(answer.headers['endpoint-load-metrics']).toMatch(/^TEXT /);
    }
    expect(served.sockets.size).toBe(1);
    expect(served.guard.snapshot().counts.CRITICAL).toMatchObject({ started: 3, ended: 3, failed: 0 });
  });

  test('reads bodies as they come, whole or in chunks', async () => {
    const client = served.client();
    const type = 'content-type: application/octet-stream';
    const body = 'x'.repeat(STREAMED_BYTES);
    client.send(
      `POST /upload HTTP/1.1\r\nhost: x\r\n${type}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    expect(await client.answer()).toMatchObject({ status: 200, body: `got ${STREAMED_BYTES}` });
    client.send(`POST /upload HTTP/1.1\r\nhost: x\r\n${type}\r\ntransfer-encoding: chunked\r\n\r\n`);
    const chunk = `2710\r\n${'x'.repeat(10_000)}\r\n`;
    for (let sent = 0; sent < STREAMED_BYTES; sent += 10_000) client.send(chunk);
    client.send('0\r\n\r\n');
    expect(await client.answer()).toMatchObject({ status: 200, body: `got ${STREAMED_BYTES}` });
  });

  test('streams its answers', async () => {
    const client = served.client();
    client.get('/stream');
    const { status, body } = await client.answer();
    expect(status).toBe(200);
    expect(body.length).toBe(STREAMED_BYTES);
    client.get('/plain');
    expect((await client.answer()).body).toBe('plain');
  });

  test('answers errors itself, thrown at once or later', async () => {
    const client = served.client();
    client.get('/throws');
    expect(await client.answer()).toMatchObject({ status: 500, body: 'app: thrown' });
    client.get('/rejects');
    expect(await client.answer()).toMatchObject({ status: 500, body: 'app: rejected' });
    client.get('/plain');
    expect(await client.answer()).toMatchObject({ status: 200 });
    expect(served.guard.snapshot()).toMatchObject({ handlerErrors: 0, counts: { CRITICAL: { failed: 2 } } });
  });

  test('knows the request in its handlers, after awaits too', async () => {
    const ask = async (criticality: string, customer: string) => {
      const client = served.client();
      client.get(
        '/who',
        `x-request-criticality: ${criticality}`,
        `x-plimsoll-customer: ${customer}`,
        'x-envoy-attempt-count: 2',
      );
      return JSON.parse((await client.answer()).body) as unknown;
    };
    const cases = ['SHEDDABLE', 'CRITICAL_PLUS', 'SHEDDABLE_PLUS', 'CRITICAL'].flatMap((criticality) =>
      ['anna', 'otto'].map((customer) => ({ criticality, customer })),
    );
    const answers = await Promise.all(cases.map(({ criticality, customer }) => ask(criticality, customer)));
    expect(answers).toEqual(cases.map((each) => ({ ...each, attempt: 2, degraded: false })));
  });

  test('never sees what is refused, and serves on the same connection after it', async () => {
    const client = served.client();
    served.level = REFUSE_ALL;
    for (let i = 0; i < 20; i++) {
      client.get('/plain');
      expect((await client.answer()).status).toBe(503);
    }
    client.send('POST /upload HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nhello');
    expect((await client.answer()).status).toBe(503);
    expect(seen.requests).toBe(0);
    served.level = 0;
    client.get('/plain');
    expect(await client.answer()).toMatchObject({ status: 200, body: 'plain' });
    expect(seen.requests).toBe(1);
    expect(served.sockets.size).toBe(1);
  });

  test('is left by clients before they have sent all', async () => {
    for (const framing of ['content-length: 1000', 'transfer-encoding: chunked']) {
      const client = served.client();
      const type = 'content-type: application/octet-stream';
      client.send(`POST /upload HTTP/1.1\r\nhost: x\r\n${type}\r\n${framing}\r\n\r\n5\r\nhello\r\n`);
      await served.until(() => served.guard.snapshot().inFlight === 1);
      client.close();
      await served.until(() => served.guard.snapshot().inFlight === 0);
    }
    expect(served.guard.snapshot().counts.CRITICAL.left).toBe(2);
  });

  test('is left by clients that wait, and by clients that read', async () => {
    const waiting = served.client();
    waiting.get('/hang');
    await served.until(() => seen.requests === 1);
    waiting.close();
    await served.until(() => served.guard.snapshot().inFlight === 0);
    const reading = served.client();
    reading.get('/drops');
    await new Promise((resolve) => reading.socket.once('data', resolve));
    reading.close();
    // Whoever made the stream is told, as without a guard.
    await served.until(() => seen.broken === 1 && served.guard.snapshot().inFlight === 0);
    expect(served.guard.snapshot().counts.CRITICAL).toMatchObject({ left: 2, ended: 0 });
  });
});

describe('servers that frameworks ask for', () => {
  const guard = createGuard({ health: false });
  afterAll(() => guard.drain({ timeoutMs: 0 }));

  test('Fastify gets one for TLS when it wants that, with its own times', () => {
    const make = guardFastify(guard);
    const options = { https: {}, connectionTimeout: 400, maxRequestsPerSocket: 7, keepAliveTimeout: 900 };
    const server = make(() => {}, options as never);
    expect(server).toBeInstanceOf(SecureServer);
    expect(server).toMatchObject({ timeout: 400, maxRequestsPerSocket: 7, keepAliveTimeout: 900 });
    expect(make(() => {}, { https: null } as never)).toBeInstanceOf(Server);
    expect(() => make(() => {}, { http2: true } as never)).toThrow('leave out http2');
  });

  test('Hono gets the kind that it is given', () => {
    expect(guardHono(guard)(() => {})).toBeInstanceOf(Server);
    const secure = guardHono(guard, createSecureServer as unknown as typeof createServer);
    expect(secure({}, () => {})).toBeInstanceOf(SecureServer);
  });
});
