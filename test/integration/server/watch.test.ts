import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { createGuard } from '../../../src/server/index.js';
import { until } from './guarded-server.js';
import { expectNoMishaps } from './mishaps.js';

expectNoMishaps();

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** Both ends of a connection that no server of HTTP/1.1 has. */
async function aConnection(): Promise<{ here: Socket; there: Socket }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  const there = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [here] = (await accepted) as [Socket];
  stops.push(() => {
    here.destroy();
    there.destroy();
    server.close();
  });
  return { here, there };
}

it('counts a connection that somebody else reads, and none of its streams', async () => {
  const guard = createGuard();
  stops.push(() => void guard.drain({ timeoutMs: 0 }));
  const { here, there } = await aConnection();
  guard.watch(here);
  guard.watch(here);
  expect(guard.snapshot().connections).toBe(1);
  const stream = Object.assign((await aConnection()).here, { isStream: true });
  const req = Object.assign(new IncomingMessage(stream), { method: 'GET', url: '/', complete: true });
  const res = new ServerResponse(req);
  res.assignSocket(stream);
  let seen = 0;
  guard.protect((_req, answer) => {
    seen = guard.snapshot().connections;
    answer.end();
  })(req, res);
  expect([seen, guard.snapshot().inFlight]).toEqual([1, 0]);
  there.destroy();
  await until(() => guard.snapshot().connections === 0);
});

it('waits for it before it is drained, and ends it when the time is over', async () => {
  const patient = createGuard();
  const { here, there } = await aConnection();
  patient.watch(here);
  let isDrained = false;
  const drained = patient.drain({ timeoutMs: 60_000, spreadMs: 0 }).then(() => {
    isDrained = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isDrained).toBe(false);
  there.destroy();
  await drained;
  const hasty = createGuard();
  const other = await aConnection();
  hasty.watch(other.here);
  await hasty.drain({ timeoutMs: 0 });
  expect(other.here.destroyed).toBe(true);
});
