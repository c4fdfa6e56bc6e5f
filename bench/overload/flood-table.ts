import type { Flooded, Lab } from './lab.js';
import type { Part } from './load/summary.js';
import type { HandlerName } from './servers/handlers.js';
import { median, roundTo } from './statistics.js';

/** One flood, and the most that its server got done in the same run, in whatever measurement. */
export interface Run extends Flooded {
  readonly peak: number;
}

/** What some runs of the same flood say: medians. */
export interface FloodRow {
  readonly server: string;
  readonly load: string;
  readonly goodput: number;
  /** Of its own peak. */
  readonly share: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly refusalP50Ms: number;
  readonly refusalP99Ms: number;
  /** Part of the CRITICAL_PLUS requests that got their answer. */
  readonly criticalPlus: number;
  readonly timedOutPerSecond: number;
  readonly unsentPerSecond: number;
  /** Goodput of the warm-up, with cold code, of the peak. */
  readonly firstShare: number;
  readonly refusedPerSecond: number;
  readonly lagP99Ms: number;
  /** The same with what happened while the machine stood still. */
  readonly p99WholeMs: number;
  readonly calmSeconds: number;
}

export interface FloodTimes {
  readonly runs: number;
  readonly seconds: number;
  readonly warmUpMs?: number;
}

/** A flood for each multiple of the peak, which is measured first; all of it `runs` times. */
export async function floodAtMultiples(
  lab: Lab,
  server: string,
  handler: HandlerName,
  multiples: readonly number[],
  { runs, ...times }: FloodTimes,
): Promise<FloodRow[]> {
  const runsOf = multiples.map((): Run[] => []);
  for (let run = 1; run <= runs; run++) {
    const peak = await lab.peak(server, handler);
    lab.say(`${handler}, ${server}: run ${run} of ${runs}, peak ${Math.round(peak)}/s`);
    const floods: Flooded[] = [];
    for (const multiple of multiples) {
      const flooded = await lab.flood(server, handler, peak * multiple, { ...times, seed: run });
      lab.say(`  ${multiple}×: ${describe(flooded)}`);
      floods.push(flooded);
    }
    // No share is above one: who serves more under load than before has shown a higher peak.
    const highest = Math.max(peak, ...floods.map(({ steady }) => steady.goodput));
    for (const [index, flooded] of floods.entries()) runsOf[index]!.push({ ...flooded, peak: highest });
  }
  return multiples.map((multiple, index) => rowOf(server, `${multiple}×`, runsOf[index]!));
}

function describe({ steady: { good, goodput, refused }, whole, calmSeconds }: Flooded): string {
  const p99 = `p99 ${good.p99Ms.toFixed(0)} ms (${whole.good.p99Ms.toFixed(0)} with what was not calm)`;
  const calm = `${calmSeconds.toFixed(1)} s calm`;
  return `${Math.round(goodput)}/s, ${p99}, refused p50 ${refused.p50Ms.toFixed(1)} ms, ${calm}`;
}

export function rowOf(server: string, load: string, runs: readonly Run[]): FloodRow {
  const middle = (figure: (run: Run) => number, digits: number) => roundTo(median(runs.map(figure)), digits);
  const perSecond = (count: (part: Part) => number) =>
    middle(({ steady }) => count(steady) / steady.seconds, 0);
  return {
    server,
    load,
    goodput: middle(({ steady }) => steady.goodput, 0),
    share: middle(({ steady, peak }) => steady.goodput / peak, 3),
    p50Ms: middle(({ steady }) => steady.good.p50Ms, 1),
    p99Ms: middle(({ steady }) => steady.good.p99Ms, 1),
    refusalP50Ms: middle(({ steady }) => steady.refused.p50Ms, 1),
    refusalP99Ms: middle(({ steady }) => steady.refused.p99Ms, 1),
    criticalPlus: middle(criticalPlusServed, 4),
    timedOutPerSecond: perSecond(({ timedOut }) => timedOut),
    unsentPerSecond: perSecond(({ unsent }) => unsent),
    firstShare: middle(({ first, peak }) => first.goodput / peak, 2),
    refusedPerSecond: perSecond(({ refused }) => refused.count),
    lagP99Ms: middle(({ lagP99Ms }) => lagP99Ms, 1),
    p99WholeMs: middle(({ whole }) => whole.good.p99Ms, 1),
    calmSeconds: middle(({ calmSeconds }) => calmSeconds, 1),
  };
}

function criticalPlusServed({ steady }: Run): number {
  const { arrivals, good } = steady.byCriticality['CRITICAL_PLUS'] ?? { arrivals: 0, good: 0 };
  return arrivals === 0 ? 1 : good / arrivals;
}
