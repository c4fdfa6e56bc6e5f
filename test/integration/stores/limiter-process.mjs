// A process that limits by a Redis it shares with others. Its options come as JSON; it tells by messages what it did.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createLimiter, createRateLimits, redisStore } from 'plimsoll/rate-limit';

const { url, prefix, limit } = JSON.parse(process.argv[2]);
const store = await redisStore({ url, prefix, connectMs: 20_000 });

// A machine that is busy with other tests must not decide without the store: that is not what is tried here.
const patient = { store, timeoutMs: 60_000, onStoreFailure: 'refuse' };

/** So many at once; how many were allowed. */
async function takeMany({ algorithm, count, cost }) {
  const limiter = createLimiter({ name: algorithm, algorithm, limit, windowMs: 86_400_000, ...patient });
  const decisions = await Promise.all(Array.from({ length: count }, () => limiter.take('a', cost)));
  await limiter.close();
  return decisions.filter(({ allowed }) => allowed).length;
}

const limits = createRateLimits({
  store,
  timeoutMs: 60_000,
  rules: [
    { name: 'all', key: 'all', algorithm: 'sliding-log', limit, window: 'm', onStoreFailure: 'refuse' },
  ],
});
const server = createServer(limits.wrap((_, res) => res.end('hello')));
server.listen(0, '127.0.0.1');
await once(server, 'listening');

process.on('message', async (message) => process.send({ allowed: await takeMany(message) }));
// Whoever started it is gone, or has seen enough.
process.on('disconnect', () => process.exit(0));
process.send({ port: server.address().port });
