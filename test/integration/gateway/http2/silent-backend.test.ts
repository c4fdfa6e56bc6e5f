import { once } from 'node:events';
import { createServer as createHttp2 } from 'node:http2';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { until } from '../../server/guarded-server.js';
import { expectNoMishaps } from '../../server/mishaps.js';
import { Http2Stage } from './http2-stage.js';

expectNoMishaps();

const stage = new Http2Stage();
afterEach(() => stage.stop());

/** A way to a backend on which connections may fall silent, as when a firewall has forgotten them. */
async function aWay() {
  const backend = stage.owns(createHttp2(), (made) => made.close());
  backend.on('stream', (stream) => {
    stream.on('error', () => {});
    stream.respond({ ':status': 200 });
    stream.end('fine');
  });
  backend.on('session', (session) => stage.owns(session, () => session.destroy()));
  backend.listen(0, '127.0.0.1');
  await once(backend, 'listening');
  const open = new Set<Socket>();
  const way = createServer((from) => {
    const to = connect((backend.address() as AddressInfo).port, '127.0.0.1');
    for (const socket of [from, to]) {
      stage.owns(socket, () => socket.destroy());
      open.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => open.delete(socket));
    }
    from.pipe(to);
    to.pipe(from);
  });
  stage.owns(way, () => way.close());
  way.listen(0, '127.0.0.1');
  await once(way, 'listening');
  const silence = () => {
    const silent = [...open];
    for (const socket of silent) {
      socket.unpipe();
      socket.pause();
    }
    return silent;
  };
  return { url: `http://127.0.0.1:${(way.address() as AddressInfo).port}`, silence };
}

it('a connection to a backend that has fallen silent is not asked again, and closed with the last who asked', async () => {
  const { url, silence } = await aWay();
  const staged = await stage.gateway(`
services: { own: { backends: ["${url}"], http2: true } }
routes: [{ to: own, timeout: 1500ms }]`);
  const client = stage.client(staged.port);
  await until(
    () => staged.gateway.generation.services.get('own')!.client.snapshot().backends[0]!.state === 'ready',
  );
  expect((await client.ask('/')).status).toBe(200);
  const silent = silence();
  const late = await Promise.all([client.ask('/'), client.ask('/')]);
  expect(late.map(({ status }) => status)).toEqual([504, 504]);
  expect((await client.ask('/')).status).toBe(200);
  // What was written to it is read at last: that it is over.
  for (const socket of silent) socket.resume();
  await until(() => silent.some(({ readableEnded, destroyed }) => readableEnded || destroyed));
});
