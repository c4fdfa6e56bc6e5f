// Two servers that share one limit through Redis, and what they do when Redis is gone. Run: npm test -- examples
import { createServer } from 'node:http';
import { createRateLimits, redisStore } from 'plimsoll/rate-limit';
import { exampleRedis } from './lib/redis.js';

const redis = await exampleRedis();

async function start() {
  const store = await redisStore({ url: redis.url, prefix: `example:${process.pid}:` });
  const limits = createRateLimits({
    store,
    rules: [
      {
        name: 'posts',
        key: 'api-key',
        algorithm: 'sliding-log',
        rate: '10/minute',
        localShare: 0.2, // without Redis each of the two lets a fifth through
      },
    ],
  });
  const server = createServer(limits.wrap((_req, res) => res.end('posted'))).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  const stop = async () => {
    server.closeAllConnections();
    server.close();
    await limits.close();
    await store.close();
  };
  return { url: `http://127.0.0.1:${port}/`, limits, stop };
}

const servers = [await start(), await start()];

/** In turns to both servers. */
async function ask(times: number, key: string): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {};
  for (let request = 0; request < times; request++) {
    const { url } = servers[request % 2]!;
    const answer = await fetch(url, { headers: { 'x-api-key': key } });
    await answer.text();
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
  }
  return statuses;
}

console.log('ann posts 20 times, to either server     ', await ask(20, 'ann'));
console.log('bob has a limit of his own               ', await ask(5, 'bob'));
await redis.stop();
console.log('Redis is gone; cy posts 20 times         ', await ask(20, 'cy'));
const undecided = servers.map(({ limits }) => limits.snapshot()['posts']?.undecided);
console.log('decided without the store, by each server', undecided);

for (const server of servers) await server.stop();
