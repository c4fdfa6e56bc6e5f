import { RedisServer } from '../../../test/redis/redis-server.js';
import { atLeast, atMost } from '../../overload/checks.js';
import type { Asked } from '../../overload/questions.js';
import { median, roundTo } from '../../overload/statistics.js';
import type { Report } from '../../report.js';
import { startChild } from '../child.js';
import type { RedisSpeed, RedisSpeedOptions } from '../children/redis.js';

const ROUNDS = 7;
const ROUND_MS = 1_000;
const WHO = ['rate-limiter-flexible', 'plimsoll'] as const;
const LEAST: Record<number, number> = { 64: 1, 512: 1.5 };

/** Decisions on Redis, each in one round trip, beside the limiter that most Node services use. */
export async function measureRedis(): Promise<Report[]> {
  const server = await RedisServer.start();
  const child = startChild();
  try {
    const reports: Report[] = [];
    for (const callers of [64, 512]) reports.push(await compare(child, server.url, callers));
    return reports;
  } finally {
    await child.stop();
    await server.stop();
  }
}

async function compare(child: Asked, url: string, callers: number): Promise<Report> {
  console.error(`ratelimit: Redis, ${callers} callers`);
  const rounds = Object.fromEntries(WHO.map((who) => [who, [] as RedisSpeed[]])) as Record<
    string,
    RedisSpeed[]
  >;
  // The first round compiles, and is left out.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const who of WHO) {
      const options: RedisSpeedOptions = { url, who, callers, ms: ROUND_MS };
      const speed = await child.ask<RedisSpeed>('redis', options);
      if (round > 0) rounds[who]!.push(speed);
    }
  }
  const ratio = (field: keyof RedisSpeed): number =>
    median(rounds['plimsoll']!.map((speed, i) => speed[field] / rounds['rate-limiter-flexible']![i]![field]));
  const of = (who: string, field: keyof RedisSpeed): number =>
    median(rounds[who]!.map((speed) => speed[field]));
  return {
    bench: `ratelimit: decisions on Redis, ${callers} callers`,
    rows: WHO.map((name) => ({
      name,
      'decisions/s': Math.round(of(name, 'perSecond')),
      'p50 ms': roundTo(of(name, 'p50Ms'), 2),
      'p99 ms': roundTo(of(name, 'p99Ms'), 2),
      'cpu µs': roundTo(of(name, 'cpuUsPerDecision'), 1),
    })),
    checks: [
      atLeast(
        `${callers} callers: decisions/s to rate-limiter-flexible`,
        ratio('perSecond'),
        LEAST[callers]!,
      ),
      atMost(`${callers} callers: p99 to rate-limiter-flexible`, ratio('p99Ms'), 1),
    ],
  };
}
