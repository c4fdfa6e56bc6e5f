import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { RedisServer } from '../../redis/redis-server.js';
import { until } from '../client/until.js';
import { EchoBackend } from './echo-backend.js';
import { GatewayProcess } from './gateway-process.js';

let redis: RedisServer;
let backend: EchoBackend;
let gateways: GatewayProcess[] = [];

beforeAll(async () => {
  redis = await RedisServer.start();
  backend = await EchoBackend.start();
});
afterEach(async () => {
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  gateways = [];
  backend.seen.length = 0;
});
afterAll(async () => {
  await backend.stop();
  await redis.stop();
});

async function startTwo(limit: string): Promise<void> {
  const settings = `
listen: 127.0.0.1:0
redis:
  url: \${REDIS_URL}
  timeout: 5s # the machine may be busy
overload: { mode: dry-run }
limits: { few: ${limit} }
routes:
  - { path: /posts, to: "${backend.url}", limits: [few], rewrite: /v2/posts }
  - { to: "${backend.url}" }
`;
  gateways = await Promise.all([0, 1].map(() => GatewayProcess.start(settings, { REDIS_URL: redis.url })));
}

it('five a minute are five, whichever gateway is asked', async () => {
  await startTwo('{ rate: 5/min, key: ip, algorithm: sliding-log }');
  const answers = await Promise.all(
    Array.from({ length: 24 }, (_, i) => fetch(gateways[i % 2]!.url(i % 3 === 0 ? '/posts' : '/POSTS/?x=1'))),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(19);
  expect(backend.seen).toHaveLength(5);
  const refused = answers.find(({ status }) => status === 429)!;
  expect(refused.headers.get('content-type')).toBe('application/problem+json');
  const seconds = Number(refused.headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(50);
  expect(seconds).toBeLessThanOrEqual(60);
  expect(refused.headers.get('ratelimit')).toMatch(/^"few";r=0;t=\d+/);
  expect(refused.headers.get('ratelimit-policy')).toMatch(/^"few";q=5;w=60/);
  expect(refused.headers.get('x-envoy-ratelimited')).toBe('true');
  expect(await refused.json()).toMatchObject({ status: 429 });
  const passed = answers.find(({ status }) => status === 200)!;
  expect(passed.headers.get('ratelimit')).toMatch(/^"few";r=\d;t=\d+/);
  // Other routes know nothing of it.
  expect((await fetch(gateways[0]!.url('/other'))).status).toBe(200);
});

it('those over the limit are performed later when the rule says so', async () => {
  await startTwo('{ rate: 5/s, burst: 5, key: ip, algorithm: leaking-bucket, onLimit: queue }');
  const post = async (i: number): Promise<Response> => {
    const answer = await fetch(gateways[i % 2]!.url('/posts'), { method: 'POST', body: `post ${i}` });
    // A gateway on a busy machine is there before its connection to the queue is, and says so.
    return answer.status === 503 ? sleep(100).then(() => post(i)) : answer;
  };
  const answers = await Promise.all(Array.from({ length: 5 }, (_, i) => post(i)));
  const failed = answers.filter(({ status }) => status !== 200 && status !== 202);
  expect(await Promise.all(failed.map((answer) => answer.text()))).toEqual([]);
  const queued = answers.filter(({ status }) => status === 202);
  expect(queued.length).toBeGreaterThan(0);
  await until('all performed', () => backend.seen.length === 5);
  expect(backend.seen.map(({ body }) => body).sort()).toEqual(answers.map((_, i) => `post ${i}`));
  expect(new Set(backend.seen.map(({ url }) => url))).toEqual(new Set(['/v2/posts']));
  const place = new URL(queued[0]!.headers.get('location')!, gateways[1]!.url());
  const told = await becameOf(place);
  expect(told).toContain('post ');
});

/** What is told of a request once it was performed. */
async function becameOf(place: URL): Promise<string> {
  for (let look = 0; look < 400; look++) {
    const text = await (await fetch(place)).text();
    if (text.includes('"status":"done"')) return text;
    await sleep(50);
  }
  throw new Error('it was not performed within 20 s');
}
