import { Redis } from 'ioredis';
import { createLimiter, redisStore } from 'plimsoll/rate-limit';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { quantileOfSorted } from '../../overload/statistics.js';

export interface RedisSpeedOptions {
  readonly url: string;
  readonly who: 'plimsoll' | 'rate-limiter-flexible';
  /** Callers that each wait for their answer before they ask again. */
  readonly callers: number;
  readonly ms: number;
}

export interface RedisSpeed {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of one core, of this process. */
  readonly cpuUsPerDecision: number;
}

const LIMIT = 1_000_000_000;
const KEYS = 1_000;

type Take = (key: string) => Promise<unknown>;

let contenders: Record<RedisSpeedOptions['who'], Take> | undefined;

/** The same limit in both: a fixed window of an hour, which is what the peer has. */
async function contendersAt(url: string): Promise<Record<RedisSpeedOptions['who'], Take>> {
  const store = await redisStore({ url });
  const limiter = createLimiter({ algorithm: 'fixed-window', limit: LIMIT, window: 'h', store });
  const storeClient = new Redis(url, { enableOfflineQueue: false });
  await new Promise((resolve) => storeClient.once('ready', resolve));
  const peer = new RateLimiterRedis({ storeClient, points: LIMIT, duration: 3_600, keyPrefix: 'peer' });
  return { plimsoll: (key) => limiter.take(key), 'rate-limiter-flexible': (key) => peer.consume(key) };
}

export async function speedOnRedis({ url, who, callers, ms }: RedisSpeedOptions): Promise<RedisSpeed> {
  contenders ??= await contendersAt(url);
  const take = contenders[who];
  const keys = Array.from({ length: KEYS }, (_, i) => `user:${i}`);
  const latencies: number[] = [];
  const cpuBefore = process.cpuUsage();
  const startedMs = performance.now();
  const endMs = startedMs + ms;
  let next = 0;
  const call = async (): Promise<void> => {
    for (let now = performance.now(); now < endMs; ) {
      await take(keys[next++ % KEYS]!);
      const then = performance.now();
      latencies.push(then - now);
      now = then;
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
  const elapsedMs = performance.now() - startedMs;
  const { user, system } = process.cpuUsage(cpuBefore);
  latencies.sort((a, b) => a - b);
  return {
    perSecond: (latencies.length / elapsedMs) * 1_000,
    p50Ms: quantileOfSorted(latencies, 0.5),
    p99Ms: quantileOfSorted(latencies, 0.99),
    cpuUsPerDecision: (user + system) / latencies.length,
  };
}
