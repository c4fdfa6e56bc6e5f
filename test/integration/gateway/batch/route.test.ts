import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { customSignal } from '../../../../src/core/index.js';
import { BatchRoute } from '../../../../src/gateway/batch-route.js';
import type { ForwardTarget } from '../../../../src/gateway/forwarding/index.js';
import type { ServiceClient } from '../../../../src/gateway/services/index.js';
import { parseGatewaySettings } from '../../../../src/gateway/settings/index.js';
import { expectNoMishaps } from '../../server/mishaps.js';
import { EchoBackend } from '../echo-backend.js';
import { RunningGateway } from '../running-gateway.js';

expectNoMishaps();

it('leaves nothing behind on a connection whose requests it refuses, one after the other', async () => {
  const [settings] = parseGatewaySettings('listen: 0\nroutes: [{ to: "http://a", batch: {} }]').routes;
  if (settings!.batch === false) throw new Error('it is a batch');
  const route = new BatchRoute(settings!.batch, {} as ServiceClient, {
    own: () => undefined,
    onError: () => {},
  });
  await Promise.race([route.close(), undefined]);
  const listeners: number[] = [];
  let released = 0;
  const server = createServer((req, res) => {
    route.handle(req, res, {} as ForwardTarget, () => released++);
    listeners.push(req.socket.listenerCount('close'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const { port } = server.address() as AddressInfo;
  for (let i = 0; i < 20; i++) {
    const asked = request({ host: '127.0.0.1', port, agent }).end();
    const [answer] = await once(asked, 'response');
    expect(answer.statusCode).toBe(503);
    await once(answer.resume(), 'end');
  }
  agent.destroy();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
  expect(Math.max(...listeners)).toBe(listeners[0]);
  expect(released).toBe(20);
});

it('is not gone around by asking for another protocol', async () => {
  const backend = await EchoBackend.start();
  const gateway = await RunningGateway.start(`routes: [{ to: "${backend.url}", batch: {} }]`);
  const asked = { headers: { connection: 'upgrade', upgrade: 'websocket' } };
  expect((await gateway.ask('/', asked)).status).toBe(400);
  expect(backend.seen).toEqual([]);
  expect((await gateway.ask('/')).json().headers['x-request-criticality']).toBe('SHEDDABLE_PLUS');
  // The gateway itself lets both in as such, too: under overload they go before what somebody waits for.
  const { SHEDDABLE_PLUS: batch, CRITICAL: others } = gateway.gateway.guard.snapshot().counts;
  expect([batch.started, others.started]).toEqual([2, 0]);
  await gateway.stop();
  await backend.stop();
});

it('takes in what comes however full the gateway itself is: it waits in a line that yields', async () => {
  const backend = await EchoBackend.start();
  const file = `routes: [{ path: /jobs, to: "${backend.url}", batch: {} }, { path: /pages, to: "${backend.url}" }]`;
  const full = customSignal('full', () => 10);
  const gateway = await RunningGateway.start(file, { guard: { signals: { custom: [full] } } });
  expect((await gateway.ask('/pages')).status).toBe(503);
  const jobs = await Promise.all(Array.from({ length: 20 }, () => gateway.ask('/jobs')));
  expect(new Set(jobs.map(({ status }) => status))).toEqual(new Set([200]));
  const { guard } = gateway.gateway;
  await gateway.stop();
  await backend.stop();
  expect(guard.snapshot()).toMatchObject({ inFlight: 0, waiting: 0 });
});
