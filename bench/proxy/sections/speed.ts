import { atLeast } from '../../overload/checks.js';
import { type Cores, chooseCores } from '../../overload/cores.js';
import { median, roundTo } from '../../overload/statistics.js';
import type { Report } from '../../report.js';
import { startBackend } from '../nginx.js';
import type { ProxyOptions } from '../options.js';
import { NGINX, OURS, PEERS, type ProxyName, type RunningProxy, startProxy } from '../proxies.js';
import { warmUp, wrk } from '../wrk.js';

/** Cold code runs at a third of its speed, and its compiler has to share the core. */
const WARM_UP_SECONDS = 5;

interface Round {
  readonly perSecond: number;
  /** Of the proxy, for one request: says more than the rate where others use the machine. */
  readonly cpuUs: number;
}

/** How many requests a second each passes on, one core for itself, load and backend on another. */
export async function measureSpeed({ runs, seconds }: ProxyOptions): Promise<Report> {
  const cores = chooseCores();
  const backend = await startBackend(cores.load);
  const running = new Map<ProxyName, RunningProxy>();
  const rounds = new Map<ProxyName, Round[]>();
  try {
    for (const name of [OURS, NGINX, ...PEERS] as const) {
      const proxy = await startProxy(cores, name, backend.port);
      running.set(name, proxy);
      rounds.set(name, []);
      await warmUp(cores.load, proxy.port, WARM_UP_SECONDS);
    }
    // In turn, so that what disturbs one disturbs all.
    for (let run = 0; run < runs; run++)
      for (const [name, proxy] of running) rounds.get(name)!.push(await measure(cores, proxy, seconds));
  } finally {
    for (const proxy of running.values()) await proxy.stop();
    await backend.stop();
  }
  return reportOf(cores, rounds);
}

async function measure({ load }: Cores, proxy: RunningProxy, seconds: number): Promise<Round> {
  const before = await proxy.cpuMs();
  const { requests, perSecond } = await wrk(load, proxy.port, seconds);
  return { perSecond, cpuUs: ((await proxy.cpuMs()) - before) * (1_000 / requests) };
}

function reportOf({ note }: Cores, rounds: ReadonlyMap<ProxyName, readonly Round[]>): Report {
  const rate = (name: ProxyName) => median(rounds.get(name)!.map(({ perSecond }) => perSecond));
  const fastest = Math.max(...PEERS.map(rate));
  return {
    bench: `proxy: requests a second (${note})`,
    rows: [...rounds].map(([name, all]) => ({
      proxy: name,
      'requests/s': Math.round(rate(name)),
      'of nginx': roundTo(rate(name) / rate(NGINX), 3),
      'CPU µs/request': roundTo(median(all.map(({ cpuUs }) => cpuUs)), 1),
      'least CPU µs': roundTo(Math.min(...all.map(({ cpuUs }) => cpuUs)), 1),
    })),
    checks: [
      atLeast('of the fastest proxy on Node', rate(OURS) / fastest, 1.3),
      atLeast('of nginx with one worker', rate(OURS) / rate(NGINX), 0.22),
    ],
  };
}
