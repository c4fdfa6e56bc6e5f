import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../client/until.js';
import { expectNoMishaps } from '../server/mishaps.js';
import { EchoBackend } from './echo-backend.js';
import { RunningGateway } from './running-gateway.js';

expectNoMishaps();

let backend: EchoBackend;
let gateway: RunningGateway;
let socket: Socket;
let text = '';

/** Each version has another client of the service. */
function settings(version: number, route = ''): string {
  return `
services: { own: { backends: ["${backend.url}"], activeLimit: ${100 + version} } }
routes: [{ to: own${route} }]`;
}

beforeEach(async () => {
  backend = await EchoBackend.start();
});
afterEach(async () => {
  socket.destroy();
  await gateway.stop();
  await backend.stop();
});

/** Says the head, and what there is of the body; the rest when other settings hold. */
async function halves(first: string, rest: string, route?: string): Promise<string> {
  gateway = await RunningGateway.start(settings(0, route));
  socket = connect(gateway.port, '127.0.0.1');
  text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
  });
  await once(socket, 'connect');
  socket.write(first);
  const [came] = gateway.gateway.generation.routes;
  await until('a request', () => came!.counts.requests > 0);
  await sleep(50);
  await gateway.reload(settings(1, route));
  await sleep(50);
  socket.write(rest);
  await until('an answer', () => text.includes('\r\n\r\n'));
  return text.slice(0, text.indexOf('\r\n'));
}

describe('a request whose body is on its way when settings change', () => {
  it.each([
    ['of a known length', 'content-length: 5\r\n\r\nhe', 'llo', ''],
    ['of which nothing has come', 'transfer-encoding: chunked\r\n\r\n', '5\r\nhello\r\n0\r\n\r\n', ''],
    ['in a batch', 'content-length: 5\r\n\r\nhe', 'llo', ', batch: {}'],
  ])('%s is served by what held when it came', async (_name, first, rest, route) => {
    expect(await halves(`POST / HTTP/1.1\r\nhost: a\r\n${first}`, rest, route)).toBe('HTTP/1.1 200 OK');
    expect(backend.seen.at(-1)!.body).toBe('hello');
  });
});
