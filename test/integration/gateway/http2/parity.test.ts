import { once } from 'node:events';
import { connect, createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { customSignal } from '../../../../src/core/index.js';
import { CERTIFICATE, KEY } from '../../client/certificate.js';
import { until } from '../../server/guarded-server.js';
import { expectNoMishaps } from '../../server/mishaps.js';
import { answerOf } from './http2-client.js';
import { Http2Stage } from './http2-stage.js';

expectNoMishaps();

const stage = new Http2Stage();
afterEach(() => stage.stop());

const GRPC = { ':method': 'POST', 'content-type': 'application/grpc', te: 'trailers' };

describe('a request by HTTP/2', () => {
  it('is refused by the guard as others are, and in the words of gRPC where it is a call', async () => {
    const backend = await stage.backend();
    let level = 0;
    const { gateway, port } = await stage.gateway(`routes: [{ to: "${backend.url}" }]`, undefined, {
      signals: { custom: [customSignal('test', () => level)] },
    });
    const client = stage.client(port);
    expect((await client.ask('/')).status).toBe(200);
    level = 2;
    let refused = await client.ask('/');
    for (let i = 0; i < 200 && refused.status === 200; i++) refused = await client.ask('/');
    expect(refused.status).toBe(503);
    expect(refused.headers).toMatchObject({
      'content-type': 'application/problem+json',
      'retry-after': /\d/,
    });
    const call = await client.ask('/a.B/C', GRPC, 'x');
    expect(call).toMatchObject({ status: 200, text: '' });
    expect(call.headers).toMatchObject({ 'content-type': 'application/grpc', 'grpc-status': '14' });
    expect(call.headers).toHaveProperty('grpc-retry-pushback-ms');
    expect(gateway.guard.snapshot()).toMatchObject({ inFlight: 0, waiting: 0 });
  });

  it('has the customer of its certificate', async () => {
    const backend = await stage.backend();
    const { port } = await stage.gateway(
      `identity: { mtls: { customers: { "DNS:orders.test": orders } } }
routes: [{ to: "${backend.url}", identity: required }]`,
      'tls: { cert: cert.pem, key: key.pem, clientCa: cert.pem }',
    );
    const ask = async (own: object) => {
      const session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false, ...own });
      stage.owns(session, (made) => made.destroy());
      return answerOf(session.request({ ':path': '/' }));
    };
    const known = await ask({ cert: CERTIFICATE, key: KEY });
    expect(JSON.parse(known.text).headers['x-plimsoll-customer']).toBe('orders');
    expect((await ask({})).status).toBe(401);
  });

  it('is limited, and told so', async () => {
    const backend = await stage.backend();
    const { port } = await stage.gateway(
      `limits: { one: { rate: 1/min, key: ip } }\nroutes: [{ to: "${backend.url}", limits: [one] }]`,
    );
    const client = stage.client(port);
    expect((await client.ask('/')).headers).toHaveProperty('ratelimit');
    const limited = await client.ask('/');
    expect([limited.status, Number(limited.headers['retry-after']) > 0]).toEqual([429, true]);
  });

  it('is ended when it has lasted as long as a stranger said that it waits, and no backend is blamed', async () => {
    const backend = await stage.backend();
    let closed = 0;
    backend.handler = (req, res) => {
      req.resume();
      res.on('close', () => closed++);
    };
    const { gateway, port } = await stage.gateway(`routes: [{ to: "${backend.url}" }]`);
    const client = stage.client(port);
    const call = client.open({ ':path': '/', ...GRPC, 'grpc-timeout': '200m' });
    call.write('x');
    expect((await answerOf(call)).headers).toMatchObject({ ':status': 200, 'grpc-status': '4' });
    await until(() => closed === 1 && gateway.guard.snapshot().inFlight === 0);
    const [service] = gateway.generation.services.values();
    await until(() => service!.client.snapshot().backends[0]!.active === 0);
    expect(service!.client.snapshot().counts).not.toHaveProperty('broken', 1);
  });
});

describe('a backend that speaks HTTP/2', () => {
  it('is asked by it with TLS, for any request', async () => {
    const server = createSecureServer({ key: KEY, cert: CERTIFICATE, allowHTTP1: true });
    const versions: string[] = [];
    server.on('request', (req, res) => {
      versions.push(req.httpVersion);
      let bytes = 0;
      req.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      req.on('end', () => {
        res.setHeader('x-host', req.headers[':authority'] ?? '');
        res.end(`${req.method} ${bytes}`);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    stage.owns(server, (made) => made.close());
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { gateway, port } = await stage.gateway(`
services: { two: { backends: [{ url: "${url}", host: orders.test }], http2: true, host: backend, tls: { ca: cert.pem } } }
routes: [{ to: two }]`);
    const client = stage.client(port);
    const posted = await client.ask('/', { ':method': 'POST' }, 'x'.repeat(100_000));
    expect([posted.text, posted.headers['x-host']]).toEqual(['POST 100000', 'orders.test']);
    const answer = await fetch(`http://127.0.0.1:${port}/`);
    expect(await answer.text()).toBe('GET 0');
    expect(versions).toEqual(['2.0', '2.0']);
    const [service] = gateway.generation.services.values();
    expect(service!.client.snapshot().backends[0]).toMatchObject({ connections: 1, active: 0 });
  });
});
