import { atMost } from '../../overload/checks.js';
import { chooseCores } from '../../overload/cores.js';
import type { FloodResult } from '../../overload/load/summary.js';
import { LoadGenerator } from '../../overload/load-generator.js';
import { median, roundTo } from '../../overload/statistics.js';
import type { Report } from '../../report.js';
import { runAtOnce, startBackend } from '../nginx.js';
import type { ProxyOptions } from '../options.js';
import { OURS, startProxy } from '../proxies.js';
import { warmUp, wrk } from '../wrk.js';

const WARM_UP_SECONDS = 5;
const CONNECTIONS = 64;
/** Of each flood the first second is not counted. */
const FLOOD_WARM_UP_MS = 1_000;

/**
 * What the way through the proxy adds at half of what it can do. The generator keeps a schedule and needs its core for
 * itself, so here the backend is on the proxy's, and goes first there.
 */
export async function measureLatency({ runs, seconds }: ProxyOptions): Promise<Report> {
  const cores = chooseCores();
  const backend = await startBackend(cores.server);
  if (!runAtOnce(backend)) console.error('proxy: the backend waits for its turn on the core of the proxy');
  const proxy = await startProxy(cores, OURS, backend.port);
  const load = new LoadGenerator(cores);
  try {
    await warmUp(cores.load, proxy.port, WARM_UP_SECONDS);
    const { perSecond } = await wrk(cores.load, proxy.port, seconds);
    const rate = Math.round(perSecond / 2);
    const direct: FloodResult[] = [];
    const through: FloodResult[] = [];
    for (let run = 0; run < runs; run++) {
      direct.push(await flood(load, backend.port, rate, seconds, run));
      through.push(await flood(load, proxy.port, rate, seconds, run));
    }
    return reportOf(rate, direct, through);
  } finally {
    await load.stop();
    await proxy.stop();
    await backend.stop();
  }
}

async function flood(
  load: LoadGenerator,
  port: number,
  rate: number,
  seconds: number,
  seed: number,
): Promise<FloodResult> {
  await load.open(port, CONNECTIONS);
  const result = await load.flood({
    perSecond: rate,
    seconds: seconds + FLOOD_WARM_UP_MS / 1_000,
    spacing: 'poisson',
    mix: [],
    seed: seed + 1,
    timeoutMs: 1_000,
    warmUpMs: FLOOD_WARM_UP_MS,
    tailMs: 100,
    maxLagMs: 5,
  });
  await load.close();
  return result;
}

function reportOf(rate: number, direct: readonly FloodResult[], through: readonly FloodResult[]): Report {
  const p50 = (all: readonly FloodResult[]) => median(all.map(({ steady }) => steady.good.p50Ms));
  const p99 = (all: readonly FloodResult[]) => median(all.map(({ steady }) => steady.good.p99Ms));
  const row = (way: string, all: readonly FloodResult[]) => ({
    way,
    'requests/s': rate,
    'p50 ms': roundTo(p50(all), 3),
    'p99 ms': roundTo(p99(all), 3),
    'lag p99 ms': roundTo(median(all.map(({ lagP99Ms }) => lagP99Ms)), 3),
  });
  return {
    bench: 'proxy: latency at half load',
    rows: [row('direct', direct), row('through plimsoll', through)],
    checks: [atMost('p99 added, ms', p99(through) - p99(direct), 1)],
  };
}
