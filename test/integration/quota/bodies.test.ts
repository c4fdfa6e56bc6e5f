import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createCapacityClient, createCapacityServer } from '../../../src/quota/index.js';
import { root } from '../../tidy/sources.js';
import { until } from '../client/until.js';
import { expectNoMishaps } from '../server/mishaps.js';
import { askOf, CapacityBed, post, TIMES } from './capacity-bed.js';

expectNoMishaps();
const bed = new CapacityBed();

const RESOURCES = { gpu: { ...TIMES, learningMs: 0, capacity: 100 } };

describe('what comes from outside', () => {
  it('is counted when it is no message, and harms nobody', async () => {
    const { url, server } = await bed.server({ resources: RESOURCES });
    const ask = `${url}/capacity/gpu/ask`;
    const garbage = [
      '',
      '{',
      'null',
      '[]',
      '"x"',
      '{}',
      '\u0000',
      askOf('a', 0, 1),
      askOf('', 1, 1),
      askOf('a', 1, -1),
    ];
    for (const body of garbage) expect((await post(ask, body)).status).toBe(400);
    expect((await post(ask, askOf('x'.repeat(257), 1, 1))).status).toBe(400);
    expect((await post(ask, Buffer.alloc(65_537, ' '))).status).toBe(413);
    expect((await post(`${url}/capacity/gpu/release`, '{}')).status).toBe(400);
    expect(server.snapshot().counts).toEqual({ granted: 0, notGranted: 0, released: 0, unreadable: 13 });
    expect(await post(ask, askOf('a', 1, 60))).toMatchObject({ status: 200 });
    // Overtaken: no news.
    expect(await post(ask, askOf('a', 1, 60))).toEqual({ status: 503, master: undefined, text: '' });
    expect((await post(`${url}/capacity/gpu/release`, '{"client":"a","life":"a"}')).status).toBe(204);
  });

  it('is refused when it is for something else', async () => {
    const { url } = await bed.server({ resources: RESOURCES });
    expect((await post(`${url}/capacity/tpu/ask`, askOf('a', 1, 1))).status).toBe(404);
    expect((await post(`${url}/`, askOf('a', 1, 1))).status).toBe(404);
    expect((await post(`${url}/capacity/gpu/ask`, '', 'GET')).status).toBe(405);
  });

  it('has a second to come', async () => {
    const { port, server } = await bed.server({ resources: RESOURCES, bodyMs: 200 });
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write('POST /capacity/gpu/ask HTTP/1.1\r\nhost: a\r\ncontent-length: 1000\r\n\r\n{');
    const drip = setInterval(() => socket.write(' '), 20);
    let said = '';
    socket.on('data', (bytes) => {
      said += bytes;
    });
    await once(socket, 'close');
    clearInterval(drip);
    expect(said).toMatch(/^HTTP\/1\.1 408 /);
    expect(server.snapshot().counts.unreadable).toBe(1);
  });

  it('is not read by too many at once', async () => {
    const { port, url } = await bed.server({ resources: RESOURCES, maxBodies: 1 });
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write('POST /capacity/gpu/ask HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\n{');
    const ask = `${url}/capacity/gpu/ask`;
    while ((await post(ask, askOf('a', 1, 1))).status !== 503);
    // Who goes in the middle of it makes room.
    socket.destroy();
    let turn = 2;
    while ((await post(ask, askOf('a', turn++, 1))).status !== 200);
  });

  it('is not believed by clients', async () => {
    const answers = ['', '{', '{}', '{"capacity":-1}', 'x'.repeat(100_000)];
    let asks = 0;
    const server = createServer((req, res) => {
      req.resume();
      res.end(answers[asks++ % answers.length]);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = bed.client(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { wants: 10 });
    await until('all answers', () => asks > answers.length);
    expect(client.capacity).toBe(0);
    await client.close();
    server.closeAllConnections();
    server.close();
  });
});

describe('a capacity server that is mounted', () => {
  it('answers what is its own, also when a framework has read the body', async () => {
    const capacity = bed.add(createCapacityServer({ resources: RESOURCES }));
    const app = createServer(async (req, res) => {
      if (req.url?.endsWith('?read')) Object.assign(req, { body: JSON.parse(askOf('b', 1, 1)) });
      if (!(await capacity.handle(req, res))) res.end('mine');
    });
    app.listen(0, '127.0.0.1');
    await once(app, 'listening');
    const url = `http://127.0.0.1:${(app.address() as AddressInfo).port}`;
    expect((await post(`${url}/`, '')).text).toBe('mine');
    expect((await post(`${url}/capacity/gpu/ask`, askOf('a', 1, 1))).status).toBe(200);
    const read = await post(`${url}/capacity/gpu/ask?read`, '');
    expect(JSON.parse(read.text)).toMatchObject({ capacity: 1 });
    app.closeAllConnections();
    app.close();
  });
});

describe('what is closed', () => {
  it('leaves nothing behind', async () => {
    const count = () => process.getActiveResourcesInfo().filter((kind) => kind.startsWith('TCP')).length;
    // Of the tests before.
    await until('nothing open', () => count() === 0);
    const server = createCapacityServer({ resources: RESOURCES });
    const { url } = await server.listen();
    const below = createCapacityServer({ resources: { gpu: TIMES }, parent: { url } });
    const client = createCapacityClient({ url: (await below.listen()).url, resource: 'gpu', wants: 10 });
    await until('an ask', () => below.snapshot().counts.granted + below.snapshot().counts.notGranted > 0);
    expect(count()).toBeGreaterThan(2);
    const waiting = client.take().catch((error: Error) => error);
    await Promise.all([client.close(), client.close()]);
    await Promise.all([below.close(), below.close(), server.close()]);
    await waiting;
    await until('nothing left', () => count() === 0);
    expect(server.snapshot()).toMatchObject({ isMaster: false, resources: {} });
  });

  it('need not be: a program ends when nobody waits any more', async () => {
    const { url } = await bed.server({ resources: RESOURCES });
    const program = join(root, 'test/integration/quota/processes/capacity-user.mjs');
    const { stdout } = await promisify(execFile)(process.execPath, [program, url], { timeout: 60_000 });
    expect(stdout).toBe('done\n');
  });
});
