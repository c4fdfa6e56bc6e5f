import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGateway, type Gateway, parseGatewaySettings } from '../../../src/gateway/index.js';
import { until } from '../client/until.js';
import { expectNoMishaps } from '../server/mishaps.js';
import { EchoBackend } from './echo-backend.js';

expectNoMishaps();

const CLIENTS = 40;

/** Sends and resets each of its connections in one breath, while the gateway stands still. */
const RESETTING = `
const { connect } = require('node:net');
const { workerData: { port, text, clients, over } } = require('node:worker_threads');
let open = clients;
for (let i = 0; i < clients; i++) {
  const socket = connect(port, '127.0.0.1', () => socket.write(text, () => socket.resetAndDestroy()));
  socket.on('error', () => {}).on('close', () => {
    open--;
    if (open > 0) return;
    Atomics.store(over, 0, 1);
    Atomics.notify(over, 0);
  });
}`;

let backend: EchoBackend;
let gateway: Gateway;
let port: number;

beforeEach(async () => {
  backend = await EchoBackend.start();
});
afterEach(async () => {
  await gateway.close({ timeoutMs: 100, spreadMs: 0 });
  await backend.stop();
});

async function start(http2: boolean): Promise<void> {
  const settings = `
listen: { address: "127.0.0.1:0", http2: ${http2} }
trustedCallers: [10.0.0.0/8]
trustedProxies: [10.0.0.0/8]
identity: { header: { name: x-user, from: [10.0.0.0/8] } }
routes:
  - { name: known, path: /known, to: "${backend.url}", identity: required }
  - { name: any, to: "${backend.url}" }
`;
  gateway = await createGateway(parseGatewaySettings(settings, 'test.yaml', {}));
  port = (await gateway.listen())[0]!.port;
}

/** The gateway accepts their connections when all of them are broken, and so have no address any more. */
async function sendAndReset(head: string, body = ''): Promise<void> {
  const over = new Int32Array(new SharedArrayBuffer(4));
  const text = `${head}\r\nhost: x\r\n${CLAIMS}\r\n\r\n${body}`;
  const worker = new Worker(RESETTING, { eval: true, workerData: { port, text, clients: CLIENTS, over } });
  Atomics.wait(over, 0, 0);
  await worker.terminate();
}

const CLAIMS = [
  'x-user: boss',
  'x-plimsoll-customer: boss',
  'x-request-criticality: CRITICAL_PLUS',
  'x-forwarded-for: 6.6.6.6',
  'x-forwarded-proto: https',
].join('\r\n');

const requests = () =>
  Object.values(gateway.snapshot().routes).reduce((sum, { requests: count }) => sum + count, 0);

describe.each([false, true])('who resets a connection at once (listens for HTTP/2, too: %s)', (http2) => {
  beforeEach(() => start(http2));

  it.each([
    ['POST /known HTTP/1.1\r\ncontent-length: 5', 'hello'],
    ['POST / HTTP/1.1\r\ncontent-length: 5', 'hello'],
    ['GET / HTTP/1.1', ''],
    ['GET /known HTTP/1.1\r\nconnection: upgrade\r\nupgrade: talk', ''],
    ['GET / HTTP/1.1\r\nconnection: upgrade\r\nupgrade: talk', ''],
  ])('is believed nothing, and comes from no network of ours: %j', async (head, body) => {
    await sendAndReset(head, body);
    // Behind all of them.
    const answer = await fetch(`http://127.0.0.1:${port}/`);
    expect(answer.status).toBe(200);
    await until('all is over', () => gateway.guard.snapshot().inFlight === 0);
    expect(gateway.guard.snapshot().customers).not.toHaveProperty('boss');
    for (const { headers } of backend.seen) {
      expect(headers).toMatchObject({
        'x-plimsoll-customer': 'anonymous',
        'x-request-criticality': 'CRITICAL',
      });
      expect(headers['x-forwarded-for'] ?? '').not.toContain('6.6.6.6');
      expect(headers['x-forwarded-proto']).toBe('http');
    }
    // What speaks HTTP/1.1 from its first byte is not even read.
    if (!http2) expect(requests()).toBe(1);
  });
});
