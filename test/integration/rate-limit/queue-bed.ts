import { Redis } from 'ioredis';
import { afterEach } from 'vitest';
import {
  createOverflowQueue,
  type OverflowAnswer,
  type OverflowingRequest,
  type OverflowQueue,
  type OverflowQueueOptions,
} from '../../../src/rate-limit/queueing/index.js';
import { RedisServer } from '../../redis/redis-server.js';

const owned: (() => Promise<void>)[] = [];

/** Ends what the tests of a file have started, the last first. */
export function endAfterEach(): void {
  afterEach(async () => {
    for (const end of owned.splice(0).reverse()) await end();
  });
}

export function own<T>(thing: T, end: (thing: T) => unknown): T {
  owned.push(async () => void (await end(thing)));
  return thing;
}

export async function aRedis(args: readonly string[] = [], port?: number): Promise<RedisServer> {
  return own(await RedisServer.start(args, port), (server) => server.stop());
}

export async function aQueue(options: OverflowQueueOptions): Promise<OverflowQueue> {
  const queue = own(await createOverflowQueue({ closeMs: 500, ...options }), (made) => made.close());
  return queue;
}

/** Looks again and again, and gives what it sees at last. */
export async function until<T>(
  what: string,
  look: () => Promise<T> | T,
  withinMs = 20_000,
): Promise<Exclude<T, false | undefined>> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const seen = await look();
    if (seen) return seen as Exclude<T, false | undefined>;
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export function aRequest(url: string, more: Partial<OverflowingRequest> = {}): OverflowingRequest {
  const nowMs = Date.now();
  return {
    method: 'POST',
    url,
    headers: ['Content-Type', 'text/plain'],
    body: Buffer.from('hello'),
    rule: 'posts',
    key: 'ann',
    dueMs: nowMs,
    nowMs,
    ...more,
  };
}

export const header = ({ headers }: OverflowAnswer, name: string): string | undefined =>
  headers[headers.indexOf(name) + 1];

export const idOf = ({ body }: OverflowAnswer): string => (JSON.parse(body) as { id: string }).id;

/** Its id, when it was accepted. */
export async function accepted(
  queue: OverflowQueue,
  url: string,
  more?: Partial<OverflowingRequest>,
): Promise<string> {
  const answer = await queue.accept(aRequest(url, more));
  if (answer.status !== 202) throw new Error(`${answer.status} ${answer.body} ${queue.snapshot().lastError}`);
  return idOf(answer);
}

/** All that Redis has, as text, names of keys included. */
export async function contents(port: number): Promise<string> {
  const client = own(new Redis(port), (made) => made.disconnect());
  let text = '';
  for (const key of await client.keys('*')) {
    const type = await client.type(key);
    text += `${key}\n`;
    if (type === 'hash') text += JSON.stringify(await client.hgetall(key));
    if (type === 'string') text += await client.get(key);
    if (type === 'stream') text += JSON.stringify(await client.xrange(key, '-', '+'));
    if (type === 'zset') text += JSON.stringify(await client.zrange(key, '0', '-1'));
    if (type === 'list') text += JSON.stringify(await client.lrange(key, 0, -1));
    if (type === 'set') text += JSON.stringify(await client.smembers(key));
  }
  return text;
}
