// Express behind a guard, with rate limits and a cheaper answer under load. Run: npm test -- examples
import { once } from 'node:events';
import express from 'express';
import { customSignal, DEGRADING_THRESHOLDS } from 'plimsoll/core';
import { guardExpress } from 'plimsoll/express';
import { createRateLimits, limitExpress } from 'plimsoll/rate-limit';
import { createGuard } from 'plimsoll/server';

// A signal of our own: how many wait for a connection to the database, against the ten that are all right.
let waiting = 0;
const guard = createGuard({
  signals: { custom: [customSignal('pool', () => waiting, 10)] },
  thresholds: DEGRADING_THRESHOLDS,
});
const limits = createRateLimits({
  rules: [{ name: 'per-key', key: 'api-key', algorithm: 'token-bucket', rate: '60/minute', burst: 2 }],
});

const app = express();
app.get('/feed', limitExpress(limits), (_req, res) => {
  res.send('all there is to read');
});
const server = guardExpress(guard, app, {
  degraded: (_req, res) => {
    res.end('the headlines');
  },
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as { port: number };

async function ask(key: string, criticality = 'CRITICAL'): Promise<string> {
  const headers = { 'x-api-key': key, 'x-request-criticality': criticality };
  const answer = await fetch(`http://127.0.0.1:${port}/feed`, { headers });
  const text = answer.ok ? await answer.text() : answer.statusText;
  return `${answer.status} ${text}`;
}

for (const key of ['ann', 'ann', 'ann', 'bob']) console.log(`${key} asks             `, await ask(key));

waiting = 10;
await new Promise((resolve) => setTimeout(resolve, 300)); // signals are read ten times a second
console.log('the pool is full, cy ', await ask('cy'));
console.log('and for a crawler    ', await ask('crawler', 'SHEDDABLE'));
console.log('why                  ', guard.snapshot().why);

await guard.drain({ spreadMs: 0, timeoutMs: 1_000 });
await limits.close();
