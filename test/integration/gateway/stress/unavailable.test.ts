import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { freePort } from '../../../redis/redis-server.js';
import { expectNoMishaps } from '../../server/mishaps.js';
import { EchoBackend } from '../echo-backend.js';
import { RunningGateway } from '../running-gateway.js';

expectNoMishaps();

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function start(settings: string): Promise<RunningGateway> {
  const running = await RunningGateway.start(settings);
  stops.push(() => running.stop());
  return running;
}

const isInternal = (name: string) => /^x-(envoy|plimsoll)|^grpc-/.test(name);

describe('a service that is not there', () => {
  it('is called unavailable, and not overloaded', async () => {
    const gateway = await start(`routes: [{ to: "http://127.0.0.1:${await freePort()}" }]`);
    for (let i = 0; i < 3; i++) {
      const { status, headers, text } = await gateway.ask('/');
      expect([status, JSON.parse(text).title, headers['retry-after']]).toEqual([
        503,
        'Service unavailable',
        '1',
      ]);
      expect(Object.keys(headers).filter(isInternal)).toEqual([]);
    }
  });

  it('is a bad gateway where its backend breaks off', async () => {
    const backend = await EchoBackend.start();
    stops.push(() => backend.stop());
    backend.handler = (req) => req.socket.destroy();
    const gateway = await start(`
services: { one: { backends: ["${backend.url}"], health: false, retry: false } }
routes: [{ to: one }]`);
    expect(await gateway.ask('/')).toMatchObject({ status: 502 });
  });

  it('is a timeout where nobody answers in time', async () => {
    // Connections are taken, and nothing is ever said on them.
    const silent = createServer((socket) => socket.on('error', () => {}));
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    stops.push(() => silent.close());
    const { port } = silent.address() as { port: number };
    const gateway = await start(`
services: { one: { backends: ["http://127.0.0.1:${port}"], health: false } }
routes: [{ to: one, timeout: 300ms }]`);
    const { status, headers, text } = await gateway.ask('/');
    expect([status, JSON.parse(text).title]).toEqual([504, 'Deadline exceeded']);
    expect(Object.keys(headers).filter(isInternal)).toEqual([]);
  });
});

describe('a service that has too much to do', () => {
  it.each([
    [true, ['grpc-retry-pushback-ms', 'x-envoy-overloaded']],
    [false, []],
  ])('says so, in headers of ours to callers that are trusted: %s', async (isTrusted, expected) => {
    const backend = await EchoBackend.start();
    stops.push(() => backend.stop());
    const held: ServerResponse[] = [];
    backend.handler = (_, res) => held.push(res);
    const gateway = await start(`
trustedCallers: [${isTrusted ? '127.0.0.0/8' : '10.0.0.0/8'}]
services: { one: { backends: ["${backend.url}"], health: false, activeLimit: 1 } }
routes: [{ to: one }]`);
    const first = gateway.ask('/');
    const { status, headers, text } = await gateway.ask('/');
    expect([status, JSON.parse(text).title]).toEqual([503, 'Overloaded']);
    const said = Object.keys(headers).filter((name) => /^x-envoy|^grpc-/.test(name));
    expect(said.sort()).toEqual(expected);
    held[0]!.end('late');
    expect((await first).text).toBe('late');
  });
});
