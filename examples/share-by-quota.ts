// Two backends, two customers with quotas of the whole service, one of which asks for ten times its own. The other does
// not notice. Run: npm test -- examples
import { createQuota } from 'plimsoll/quota';
import { currentRequest, serve } from 'plimsoll/server';
import { exampleRedis } from './lib/redis.js';

const redis = await exampleRedis();

/** In requests a second, on all backends together. */
const limits = {
  customers: [
    { customer: 'acme', perSecond: 50 },
    { customer: 'loud', perSecond: 30 },
  ],
  everyoneElse: { perSecond: 5 },
};

async function start(backend: string) {
  const quota = await createQuota({
    redis: { url: redis.url },
    service: `example-${process.pid}`,
    unit: 'requests',
    limits,
    backend,
  });
  const server = await serve(
    (_req, res) => {
      currentRequest()!.charge(1); // tokens, bytes, cents: whatever the unit is
      res.end('done');
    },
    { host: '127.0.0.1', exitOnSignal: false, quota, customer: (head) => head.header('x-customer') },
  );
  return { quota, server };
}

const backends = [await start('one'), await start('two')];
const counts: Record<string, { served: number; refused: number }> = {};
let sent = 0;

function send(customer: string): void {
  const { server } = backends[sent++ % 2]!;
  fetch(`http://127.0.0.1:${server.port}/`, { headers: { 'x-customer': customer } }).then(async (answer) => {
    await answer.text();
    counts[customer] ??= { served: 0, refused: 0 };
    counts[customer][answer.status === 200 ? 'served' : 'refused']++;
  });
}

const acme = setInterval(() => send('acme'), 25); // 40 a second
const loud = setInterval(() => {
  for (let request = 0; request < 3; request++) send('loud'); // 300 a second
}, 10);
for (let second = 1; second <= 5; second++) {
  for (const customer of Object.keys(counts)) delete counts[customer];
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const { acme: quiet, loud: over } = counts;
  console.log(
    `second ${second}: acme ${quiet?.served} served, ${quiet?.refused} refused; loud ${over?.served} served, ${over?.refused} refused`,
  );
}
clearInterval(acme);
clearInterval(loud);
const coordinator = backends.find(({ quota }) => quota.isCoordinator);
console.log(
  'coordinated by one of them:',
  coordinator !== undefined,
  '— stages',
  backends.map(({ quota }) => quota.stage),
);

for (const { server, quota } of backends) {
  await server.close({ spreadMs: 0, timeoutMs: 500 });
  await quota.close();
}
await redis.stop();
