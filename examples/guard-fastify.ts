// Fastify behind a guard, with rate limits: what is refused never reaches it. Run: npm test -- examples
import { fastify } from 'fastify';
import { guardFastify } from 'plimsoll/fastify';
import { createRateLimits, limitFastify } from 'plimsoll/rate-limit';
import { createGuard, currentRequest } from 'plimsoll/server';

const guard = createGuard({ starting: true });
const limits = createRateLimits({
  rules: [
    {
      name: 'logins',
      match: { method: 'POST', path: '/login' },
      key: 'ip',
      algorithm: 'sliding-log',
      rate: '3/minute',
    },
  ],
});

let reached = 0;
const app = fastify({ serverFactory: guardFastify(guard) });
app.addHook('onRequest', async () => {
  reached++;
});
app.addHook('onRequest', limitFastify(limits));
app.post('/login', async () => 'welcome');
app.get('/who', async () => {
  const { criticality, customer } = currentRequest()!;
  return { criticality, customer };
});
await app.listen({ host: '127.0.0.1', port: 0 });
const { port } = app.server.address() as { port: number };

async function ask(method: string, path: string, headers: Record<string, string> = {}): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers });
  return `${answer.status} ${(await answer.text()).slice(0, 60)}`;
}

console.log('not ready yet  ', await ask('GET', '/who'));
guard.ready();
console.log('ready          ', await ask('GET', '/who'));
const told = { 'x-request-criticality': 'SHEDDABLE', 'x-plimsoll-customer': 'acme' };
console.log('a trusted peer ', await ask('GET', '/who', told));
console.log('too late       ', await ask('GET', '/who', { 'x-envoy-expected-rq-timeout-ms': '0' }));
for (let login = 1; login <= 4; login++) console.log(`login ${login}        `, await ask('POST', '/login'));
console.log('Fastify has seen', reached, 'of 8 requests');

// As on SIGTERM: a lame duck first, then no new connections, then the end.
await guard.drain({ spreadMs: 0, timeoutMs: 1_000 });
await app.close();
await limits.close();
