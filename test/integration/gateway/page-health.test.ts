import { afterEach, expect, it } from 'vitest';
import { until } from '../client/until.js';
import { expectNoMishaps } from '../server/mishaps.js';
import { EchoBackend } from './echo-backend.js';
import { LoggingGateway } from './logging/logging-gateway.js';

expectNoMishaps();

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** A server that knows nothing of us: its page has a status, and it counts what else it is asked. */
async function startPaged() {
  const page = { url: '', status: 200, requests: 0 };
  const backend = await EchoBackend.start();
  stops.push(() => backend.stop());
  backend.handler = (req, res) => {
    if (req.url === '/healthz/ready') res.statusCode = page.status;
    else page.requests++;
    res.end('OK');
  };
  page.url = backend.url;
  return page;
}

it('a backend whose page says 503 gets nothing until it says 200, and the log tells of both', async () => {
  const [ill, well] = await Promise.all([startPaged(), startPaged()]);
  const gateway = await LoggingGateway.start(`
services:
  api:
    backends: ["${ill.url}", "${well.url}"]
    policy: round-robin
    health: { path: /healthz/ready, every: 200ms }
routes: [{ to: api }]
`);
  stops.push(() => gateway.stop());
  const told = (state: string) =>
    gateway.lines.some(({ msg, backend }) => msg === `backend ${state}` && backend === ill.url);
  const ask = async (times: number) => {
    for (let i = 0; i < times; i++) expect((await gateway.ask('/')).status).toBe(200);
  };
  while (ill.requests === 0 || well.requests === 0) await ask(2);
  ill.status = 503;
  await until('unhealthy', () => told('unhealthy'));
  expect(gateway.lines.find(({ msg }) => msg === 'backend unhealthy')).toMatchObject({
    ...{ level: 'warn', service: 'api', before: 'ready' },
  });
  const before = ill.requests;
  await ask(10);
  expect(ill.requests).toBe(before);
  ill.status = 200;
  while (ill.requests === before) await ask(2);
  await until('ready', () => told('ready'));
});
