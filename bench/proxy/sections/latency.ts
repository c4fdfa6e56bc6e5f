import { atMost } from '../../overload/checks.js';
import { chooseCores, leaveServerCore } from '../../overload/cores.js';
import type { FloodResult } from '../../overload/load/summary.js';
import { LoadGenerator } from '../../overload/load-generator.js';
import { median, roundTo } from '../../overload/statistics.js';
import type { Report } from '../../report.js';
import { runAtOnce, startBackend } from '../nginx.js';
import type { ProxyOptions } from '../options.js';
import { NGINX, OURS, type RunningProxy, startProxy } from '../proxies.js';
import { warmUp, wrk } from '../wrk.js';

const WARM_UP_SECONDS = 5;
/**
 * Then by what is measured: with single arrivals other code is compiled than with bursts, by threads that share the proxy's
 * core for milliseconds at a time.
 */
const WARM_UP_FLOOD_SECONDS = 10;
const CONNECTIONS = 64;
/** Of each flood the first second is not counted. */
const FLOOD_WARM_UP_MS = 1_000;

/** The fastest of the others on Node: what Node adds, whoever's code it runs. */
const CONTROL = 'fast-proxy, undici';

/** What Node takes at the least: bytes are handed on, and nothing else is done. */
const RELAY = 'relay';

/** Where a flood goes: to the backend itself, or through a proxy. nginx shows what the arrangement adds by itself. */
const WAYS = ['direct', OURS, NGINX, CONTROL, RELAY] as const;
type Way = (typeof WAYS)[number];

/** On each way, whom it leads to, and whose CPU is looked at. */
type Ends = Readonly<Record<Way, Pick<RunningProxy, 'port' | 'cpuMs'>>>;

interface Measured extends FloodResult {
  /** Of whoever answers, for one request. */
  readonly cpuUs: number;
}

/**
 * What the way through the proxy adds at half of what it can do, with a core for it alone. The backend is on that of the
 * generator, and goes first there: it takes some 10 µs of it, while the generator goes round until the next request is due.
 */
export async function measureLatency({ runs, seconds }: ProxyOptions): Promise<Report[]> {
  const cores = chooseCores();
  const backend = await startBackend(cores.load);
  if (!runAtOnce(backend)) console.error('proxy: the backend waits for its turn on the core of the load');
  const ours = await startProxy(cores, OURS, backend.port);
  const nginx = await startProxy(cores, NGINX, backend.port);
  const control = await startProxy(cores, CONTROL, backend.port);
  const relay = await startProxy(cores, RELAY, backend.port);
  const load = new LoadGenerator(cores);
  const comeBack = leaveServerCore(cores);
  try {
    if (!(await load.watch(cores))) console.error('proxy: nobody can tell when a core stood still');
    await warmUp(cores.load, control.port, WARM_UP_SECONDS);
    await warmUp(cores.load, relay.port, WARM_UP_SECONDS);
    await warmUp(cores.load, ours.port, WARM_UP_SECONDS);
    const { perSecond } = await wrk(cores.load, ours.port, seconds);
    const rate = Math.round(perSecond / 2);
    const ends: Ends = { direct: backend, [OURS]: ours, [NGINX]: nginx, [CONTROL]: control, [RELAY]: relay };
    const measure = async (perSecond: number): Promise<Round[]> => {
      const rounds: Round[] = [];
      await measureRound(load, ends, perSecond, WARM_UP_FLOOD_SECONDS, runs);
      for (let run = 0; run < runs; run++)
        rounds.push(await measureRound(load, ends, perSecond, seconds, run));
      return rounds;
    };
    const atHalfLoad = await measure(rate);
    const halfCoreRate = Math.round(500_000 / median(atHalfLoad.map((round) => round[OURS].cpuUs)));
    const atHalfCore = await measure(halfCoreRate);
    return [
      {
        bench: 'proxy: latency at half load',
        rows: rowsOf(rate, atHalfLoad),
        checks: [atMost('p99 added, ms', p99Added(atHalfLoad, OURS), 1, whyMore(atHalfLoad))],
      },
      // Of this nothing is promised: it tells how much of the above is the queue before a core that is busy most of the time.
      {
        bench: 'proxy: latency with half of the core in use',
        rows: rowsOf(halfCoreRate, atHalfCore),
        checks: [],
      },
    ];
  } finally {
    comeBack();
    await load.stop();
    await relay.stop();
    await control.stop();
    await nginx.stop();
    await ours.stop();
    await backend.stop();
  }
}

type Round = Readonly<Record<Way, Measured>>;

/** The same arrivals on each way, one after the other; each round begins with another. */
async function measureRound(
  load: LoadGenerator,
  ends: Ends,
  rate: number,
  seconds: number,
  run: number,
): Promise<Round> {
  const results: Partial<Record<Way, Measured>> = {};
  for (let turn = 0; turn < WAYS.length; turn++) {
    const way = WAYS[(run + turn) % WAYS.length]!;
    results[way] = await flood(load, ends[way], rate, seconds, run);
  }
  return results as Round;
}

async function flood(
  load: LoadGenerator,
  end: Ends[Way],
  rate: number,
  seconds: number,
  seed: number,
): Promise<Measured> {
  await load.open(end.port, CONNECTIONS);
  const before = await end.cpuMs();
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
  const cpuMs = (await end.cpuMs()) - before;
  await load.close();
  const { first, whole } = result;
  return { ...result, cpuUs: (cpuMs * 1_000) / (first.arrivals + whole.arrivals) };
}

const p99 = ({ steady }: FloodResult) => steady.good.p99Ms;

function p99Added(rounds: readonly Round[], way: Way): number {
  return median(rounds.map((round) => p99(round[way]) - p99(round.direct)));
}

/** What stands between the figure and its bound is not all ours. */
function whyMore(rounds: readonly Round[]): string {
  const cpuUs = (way: Way) => median(rounds.map((round) => round[way].cpuUs)).toFixed(0);
  const added = (way: Way) => p99Added(rounds, way).toFixed(2);
  return (
    `In this run, at this rate: a relay on Node that only hands on bytes adds ${added(RELAY)} ms and takes ${cpuUs(RELAY)} µs ` +
    `of CPU for a request, nginx ${added(NGINX)} ms and ${cpuUs(NGINX)} µs, ours ${cpuUs(OURS)} µs.`
  );
}

function rowsOf(rate: number, rounds: readonly Round[]): Report['rows'] {
  const of = (way: Way, figure: (result: Measured) => number, digits: number) =>
    roundTo(median(rounds.map((round) => figure(round[way]))), digits);
  return WAYS.map((way) => ({
    way: way === 'direct' ? way : `through ${way}`,
    'requests/s': rate,
    'p50 ms': of(way, ({ steady }) => steady.good.p50Ms, 3),
    'p99 ms': of(way, p99, 3),
    'p99 added ms': roundTo(p99Added(rounds, way), 3),
    'p99 ms, stalls and all': of(way, ({ whole }) => whole.good.p99Ms, 3),
    'calm %': of(way, ({ calmSeconds, whole }) => (100 * calmSeconds) / whole.seconds, 0),
    'lag p99 ms': of(way, ({ lagP99Ms }) => lagP99Ms, 3),
    'CPU µs/request': of(way, ({ cpuUs }) => cpuUs, 1),
  }));
}
