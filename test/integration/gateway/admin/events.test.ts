import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../client/until.js';
import { EchoBackend } from '../echo-backend.js';
import { MARKER } from './ask-admin.js';
import { EventReader } from './event-reader.js';
import { RunningAdmin } from './running-admin.js';

let backend: EchoBackend;
let admin: RunningAdmin;
const readers: EventReader[] = [];

beforeAll(async () => {
  backend = await EchoBackend.start();
});
afterEach(async () => {
  for (const reader of readers.splice(0)) reader.close();
  await admin.stop();
});
afterAll(() => backend.stop());

async function start(settings = `routes: [{ to: "${backend.url}" }]`): Promise<void> {
  admin = await RunningAdmin.start(settings);
}

async function read(path?: string, headers?: Record<string, string>): Promise<EventReader> {
  const reader = await EventReader.open(admin.port, path, headers);
  readers.push(reader);
  return reader;
}

describe('events', () => {
  it('are a snapshot each second, and what happens', async () => {
    await start();
    const reader = await read();
    const { data } = await reader.hears('snapshot', 2);
    expect(data).toMatchObject({ state: 'ready', process: { pid: process.pid } });
    expect(reader.text).toMatch(/^retry: \d+\n\n/);
    await admin.ask('/reload', { method: 'POST', headers: MARKER });
    await reader.hears('reload');
    await admin.ask('/lame-duck', { method: 'POST', headers: MARKER });
    const { data: duck, id } = await reader.hears('lame-duck');
    expect(Math.abs(Date.now() - (duck['atMs'] as number))).toBeLessThan(10_000);
    await admin.ask('/drain', { method: 'POST', headers: MARKER });
    await reader.hears('drain');
    const late = await read('/events?snapshots=false', { 'last-event-id': id });
    await late.hears('drain');
    expect(late.told.map(({ event }) => event)).toEqual(['drain']);
  });

  it('tell of backends that come and go', async () => {
    const other = await EchoBackend.start();
    await start(`routes: [{ to: s }]\nservices: { s: { backends: ["${backend.url}", "${other.url}"] } }`);
    const reader = await read('/events?snapshots=false');
    const ready = async () => {
      const { services } = (await admin.ask('/snapshot')).json() as {
        services: { s: { states: { ready: number } } };
      };
      return services.s.states.ready;
    };
    await expect.poll(ready, { timeout: 15_000 }).toBe(2);
    // From the first look on; it takes a second.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const { url } = other;
    await other.stop();
    const isTold = () =>
      reader.told.some(
        ({ event, data }) => event === 'backend' && data['backend'] === url && data['before'] === 'ready',
      );
    await until('a backend that is gone', isTold);
    expect(reader.count('snapshot')).toBe(0);
  });

  it('come within a second of what they tell', async () => {
    const other = await EchoBackend.start();
    const { url } = other;
    await start(`routes: [{ to: s }]\nservices: { s: { backends: ["${backend.url}", "${url}"] } }`);
    const reader = await read();
    const { gateway } = admin.running;
    const stateNow = () => gateway.snapshot().services['s']!.backends.find((each) => each.url === url)?.state;
    await expect.poll(stateNow, { timeout: 15_000 }).toBe('ready');
    await reader.hears('snapshot', 3);
    await other.stop();
    await expect.poll(stateNow, { timeout: 15_000, interval: 5 }).not.toBe('ready');
    const changedMs = performance.now();
    const isTold = () =>
      reader.told.some(
        ({ event, data }) => event === 'backend' && data['backend'] === url && data['before'] === 'ready',
      );
    await until('the change', isTold);
    expect(performance.now() - changedMs).toBeLessThan(1_000);
  });

  it('are for 128 readers', async () => {
    await start();
    for (let i = 0; i < 128; i++) expect((await read('/events?snapshots=false')).status).toBe(200);
    const refused = await admin.ask('/events');
    expect(refused.status).toBe(503);
    expect(refused.headers['retry-after']).toBe('10');
    readers.shift()!.close();
    const again = async () => (await read()).status;
    await expect.poll(again, { timeout: 10_000 }).toBe(200);
  });

  it('are cut for those who do not read', async () => {
    await start();
    const slow = connect(admin.port, '127.0.0.1');
    slow.on('error', () => {});
    slow.write('GET /events HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await new Promise((resolve) => slow.once('data', resolve));
    slow.pause();
    let isCut = false;
    slow.on('close', () => {
      isCut = true;
    });
    const fast = await read();
    const event = { kind: 'reload-failed', reason: 'x'.repeat(200_000) } as const;
    // 16 MB: more than kernels keep for a connection.
    for (let i = 1; i <= 80; i++) {
      admin.running.gateway.events.emit(event);
      await until(`event ${i}`, () => fast.count('reload-failed') === i, 15_000);
    }
    slow.resume();
    await until('the slow one is cut', () => isCut);
    expect(fast.isOver).toBe(false);
    await fast.hears('snapshot', fast.count('snapshot') + 1);
  });

  it('end with the port', async () => {
    await start();
    const reader = await read();
    await reader.hears('snapshot');
    const begun = performance.now();
    await admin.stop();
    expect(performance.now() - begun).toBeLessThan(5_000);
    await until('the end', () => reader.isOver);
  });
});
