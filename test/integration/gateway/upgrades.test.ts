import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { memoryStore, type RateStore } from '../../../src/rate-limit/index.js';
import { until } from '../client/until.js';
import { expectNoMishaps } from '../server/mishaps.js';
import { EchoBackend } from './echo-backend.js';
import { RunningGateway } from './running-gateway.js';

expectNoMishaps();

let backend: EchoBackend;
let running: RunningGateway | undefined;

beforeAll(async () => {
  backend = await EchoBackend.start();
});
afterEach(async () => {
  await running?.stop();
  running = undefined;
});
afterAll(() => backend.stop());

const UPGRADE = 'GET / HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: talk\r\n';

/** Asks for another protocol, and is gone, without a goodbye, while somebody else is asked about it. */
async function resetWhile(headers: string, isAsked: () => boolean): Promise<void> {
  const client = connect(running!.port, '127.0.0.1').on('error', () => {});
  client.write(`${UPGRADE}${headers}\r\n`);
  await until('somebody is asked', isAsked);
  expect(running!.gateway.snapshot().guard.connections).toBe(1);
  client.resetAndDestroy();
  await until('it is noticed', () => running!.gateway.snapshot().guard.connections === 0);
}

describe('a client that resets its connection while', () => {
  it('a limit is looked up does no harm', async () => {
    const memory = memoryStore();
    let answer: (() => void) | undefined;
    // Redis, as it is when it stands still.
    const store: RateStore = {
      take: async (requests) => {
        await new Promise<void>((resolve) => {
          answer = resolve;
        });
        return await memory.take(requests);
      },
      peek: (requests) => memory.peek(requests),
      settle: (settlements) => memory.settle(settlements),
      schedule: (request) => memory.schedule(request),
      reset: (rule, key) => memory.reset(rule, key),
      close: () => memory.close(),
    };
    const settings = `routes: [{ to: "${backend.url}", limits: [{ name: all, rate: 100/s, key: ip }] }]`;
    running = await RunningGateway.start(settings, { store, storeTimeoutMs: 60_000 });
    await resetWhile('', () => answer !== undefined);
    answer!();
    expect(running.errors).toEqual([]);
  });

  it('its token is verified does no harm', async () => {
    let asked = 0;
    const keys = createServer((socket) => {
      asked++;
      socket.on('error', () => {});
    }).listen(0, '127.0.0.1');
    await once(keys, 'listening');
    const { port } = keys.address() as AddressInfo;
    const settings = `identity: { jwt: { jwksUrl: "http://127.0.0.1:${port}/" } }\nroutes: [{ to: "${backend.url}" }]`;
    running = await RunningGateway.start(settings);
    const head = Buffer.from('{"alg":"RS256","kid":"a"}').toString('base64url');
    await resetWhile(`authorization: Bearer ${head}.e30.AAAA\r\n`, () => asked > 0);
    keys.close();
  });
});
