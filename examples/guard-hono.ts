// Hono behind a guard, and a client whose requests it drains without losing one. Run: npm test -- examples
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { createClient } from 'plimsoll/client';
import { guardHono } from 'plimsoll/hono';
import { createRateLimits, limitHono } from 'plimsoll/rate-limit';
import { createGuard, currentRequest } from 'plimsoll/server';

const limits = createRateLimits({
  rules: [{ name: 'per-client', key: 'ip', algorithm: 'sliding-counter', rate: '1000/minute' }],
});

async function start() {
  const guard = createGuard();
  const app = new Hono();
  app.use(limitHono(limits));
  app.get('/', (c) => c.text(`${currentRequest()!.criticality}, attempt ${currentRequest()!.attempt}`));
  const port = await new Promise<number>((resolve) => {
    serve({ fetch: app.fetch, createServer: guardHono(guard), hostname: '127.0.0.1', port: 0 }, (at) =>
      resolve(at.port),
    );
  });
  await guard.listenForHealthChecks(port, '127.0.0.1'); // UDP: clients hear of a lame duck at once
  return { guard, port };
}

const servers = [await start(), await start()];
const client = createClient({ backends: servers.map(({ port }) => `http://127.0.0.1:${port}`) });

async function ask(times: number): Promise<string> {
  let answered = 0;
  for (let request = 0; request < times; request++) {
    const answer = await client.fetch('/', { criticality: 'SHEDDABLE_PLUS', timeoutMs: 1_000 });
    if (answer.ok) answered++;
    await answer.text();
  }
  return `${answered} of ${times}`;
}

console.log('first answer          ', await (await client.fetch('/')).text());
console.log('both serve            ', await ask(100));
const drained = servers[0]!.guard.drain({ spreadMs: 200, timeoutMs: 2_000 });
console.log('one of them is leaving', await ask(100));
await drained;
console.log('it has left           ', await ask(100));
console.log('limited by IP         ', limits.snapshot()['per-client']?.allowed, 'allowed');

await client.close();
await servers[1]!.guard.drain({ spreadMs: 0, timeoutMs: 1_000 });
await limits.close();
