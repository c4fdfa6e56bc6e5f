import { RedisServer } from '../test/redis/redis-server.js';
import { atLeast } from './overload/checks.js';
import { type Cores, chooseCores, forkOn } from './overload/cores.js';
import { Asked } from './overload/questions.js';
import { median, roundTo } from './overload/statistics.js';
import type { LoadPlan } from './ratelimit-service/load.js';
import type { ServerPlan } from './ratelimit-service/server.js';
import type { Report } from './report.js';

const RUNS = 5;
const WARM_UP_MS = 500;
const RUN_MS = 1_500;

/** Calls under way, over how many connections of gRPC; HTTP/1.1 needs one for each. */
const LOADS = [
  { calls: 16, connections: 1 },
  { calls: 64, connections: 64 },
  { calls: 64, connections: 4 },
  { calls: 64, connections: 1 },
];

/** No slower than the same limit behind node:http. */
const LEAST = 1;

/** Calls of Envoy's protocol a second, beside requests to `node:http` with the same limit, on one core each. */
export async function benchRatelimitService(): Promise<Report[]> {
  const cores = chooseCores();
  console.error(`ratelimit-service: ${cores.note}`);
  const redis = await RedisServer.start();
  try {
    return [await compare('in memory', cores, undefined), await compare('on Redis', cores, redis.url)];
  } finally {
    await redis.stop();
  }
}

async function compare(where: string, cores: Cores, redis: string | undefined): Promise<Report> {
  const script = (name: string) => new URL(`./ratelimit-service/${name}.js`, import.meta.url);
  const children: Asked[] = [];
  const fork = (core: number | undefined, name: string) => {
    const child = new Asked(forkOn(core, script(name)), name);
    children.push(child);
    return child;
  };
  try {
    const load = fork(cores.load, 'load');
    const portOf = (kind: 'grpc' | 'http') =>
      fork(cores.server, 'server').ask<number>('listen', { kind, redis } satisfies ServerPlan);
    const ports = { grpc: await portOf('grpc'), http: await portOf('http') };
    const rows: object[] = [];
    const checks: Report['checks'][number][] = [];
    for (const { calls, connections } of LOADS) {
      console.error(`ratelimit-service: ${where}, ${calls} calls on ${connections} connections`);
      const speeds = { grpc: [] as number[], http: [] as number[] };
      // In turns, so that what disturbs the machine disturbs both; the first of each compiles, and is left out.
      for (let run = 0; run <= RUNS; run++) {
        for (const kind of ['grpc', 'http'] as const) {
          const plan: LoadPlan = {
            kind,
            port: ports[kind],
            calls,
            connections: kind === 'http' ? calls : connections,
            warmUpMs: WARM_UP_MS,
            ms: RUN_MS,
          };
          const perSecond = await load.ask<number>('run', plan);
          if (run > 0) speeds[kind].push(perSecond);
        }
      }
      const ratio = median(speeds.grpc.map((grpc, i) => grpc / speeds.http[i]!));
      rows.push({
        calls,
        connections,
        'gRPC/s': Math.round(median(speeds.grpc)),
        'HTTP/s': Math.round(median(speeds.http)),
        ratio: roundTo(ratio, 2),
      });
      checks.push(
        atLeast(`${where}, ${calls} calls on ${connections}: to the limiter behind node:http`, ratio, LEAST),
      );
    }
    return { bench: `ratelimit-service: ${where}`, rows, checks };
  } finally {
    await Promise.all(children.map((child) => child.stop()));
  }
}
