import { quantileOfSorted } from '../statistics.js';
import type { Share } from './arrivals.js';
import type { Calm } from './calm.js';
import type { FloodOptions, FloodRecord } from './open-loop.js';
import { OUTCOME } from './outcomes.js';

export interface Latency {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** Requests of one criticality. */
export interface CriticalityPart {
  readonly arrivals: number;
  readonly good: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** What became of the requests that were due in some part of a flood. */
export interface Part {
  readonly seconds: number;
  readonly arrivals: number;
  /** Good answers per second. */
  readonly goodput: number;
  readonly good: Latency;
  readonly refused: Latency;
  readonly failed: number;
  /** Not answered within the timeout; `late` of them were answered after it. */
  readonly timedOut: number;
  readonly late: number;
  readonly lost: number;
  readonly unsent: number;
  readonly byCriticality: Readonly<Record<string, CriticalityPart>>;
}

export interface FloodResult {
  readonly first: Part;
  /** After the warm-up: all of it, and … */
  readonly whole: Part;
  /** … what of it was calm, or all of it when nothing was. */
  readonly steady: Part;
  readonly calmSeconds: number;
  /** How far the generator was behind its own schedule. */
  readonly lagP99Ms: number;
  readonly lagMaxMs: number;
  /** When the first refusal was there; undefined when nobody was refused. */
  readonly firstRefusalMs: number | undefined;
  /** From then on whoever came was answered promptly, this way or that. */
  readonly settledMs: number;
}

export function summarizeFlood(record: FloodRecord, calm: Calm, options: FloodOptions): FloodResult {
  const { mix, seconds, tailMs, warmUpMs } = options;
  const endMs = seconds * 1_000 - tailMs;
  const lags = Float64Array.from(record.lagMs).sort();
  const whole = summarizePart(record, mix, warmUpMs, endMs);
  const calmMs = calm.calmMs(warmUpMs, endMs);
  return {
    first: summarizePart(record, mix, 0, warmUpMs),
    whole,
    steady: calmMs === 0 ? whole : summarizePart(record, mix, warmUpMs, endMs, calm),
    calmSeconds: calmMs / 1_000,
    lagP99Ms: quantileOfSorted(lags, 0.99),
    lagMaxMs: quantileOfSorted(lags, 1),
    firstRefusalMs: firstRefusalMs(record),
    settledMs: settledAfterMs(record),
  };
}

export function summarizePart(
  record: FloodRecord,
  mix: readonly Share[],
  fromMs: number,
  toMs: number,
  calm?: Calm,
): Part {
  const numbers = [...record.atMs.keys()].filter((number) => {
    const atMs = record.atMs[number]!;
    return atMs >= fromMs && atMs < toMs && (calm === undefined || calm.isCalm(atMs));
  });
  const lengthMs = calm === undefined ? toMs - fromMs : calm.calmMs(fromMs, toMs);
  const having = (outcome: number) => numbers.filter((number) => record.outcomes[number] === outcome);
  const good = having(OUTCOME.good);
  const late = having(OUTCOME.late).length;
  const names = [...mix.map(({ criticality }) => criticality), 'CRITICAL'];
  const partOf = (kind: number): CriticalityPart => {
    const ofKind = (all: number[]) => all.filter((number) => record.kinds[number] === kind);
    const { count, p50Ms, p99Ms } = latencyOf(record, ofKind(good));
    return { arrivals: ofKind(numbers).length, good: count, p50Ms, p99Ms };
  };
  return {
    seconds: lengthMs / 1_000,
    arrivals: numbers.length,
    goodput: (good.length / lengthMs) * 1_000,
    good: latencyOf(record, good),
    refused: latencyOf(record, having(OUTCOME.refused)),
    failed: having(OUTCOME.failed).length,
    timedOut: having(OUTCOME.timedOut).length + late,
    late,
    lost: having(OUTCOME.lost).length,
    unsent: having(OUTCOME.unsent).length,
    byCriticality: Object.fromEntries(names.map((name, kind) => [name, partOf(kind)])),
  };
}

function latencyOf(record: FloodRecord, numbers: readonly number[]): Latency {
  const sorted = Float64Array.from(numbers, (number) => record.latencyMs[number]!).sort();
  return {
    count: sorted.length,
    p50Ms: quantileOfSorted(sorted, 0.5),
    p99Ms: quantileOfSorted(sorted, 0.99),
    maxMs: quantileOfSorted(sorted, 1),
  };
}

function firstRefusalMs({ atMs, latencyMs, outcomes }: FloodRecord): number | undefined {
  const first = outcomes.indexOf(OUTCOME.refused);
  return first < 0 ? undefined : atMs[first]! + latencyMs[first]!;
}

const BIN_MS = 50;
const LOOK_AT_MS = 1_000;
const PROMPT_MS = 100;
/** One in twenty may be caught by a pause. */
const PROMPT_SHARE = 0.95;

/** The end of the last slice of 50 ms in the first second in which too many were not answered within 100 ms. */
export function settledAfterMs({ atMs, outcomes, latencyMs }: FloodRecord): number {
  const bins = LOOK_AT_MS / BIN_MS;
  const [arrived, prompt] = [new Uint32Array(bins), new Uint32Array(bins)];
  for (const [number, at] of atMs.entries()) {
    const bin = Math.floor(at / BIN_MS);
    if (bin >= bins) break;
    const outcome = outcomes[number];
    const isProper = outcome === OUTCOME.good || outcome === OUTCOME.refused;
    arrived[bin]!++;
    if (isProper && latencyMs[number]! <= PROMPT_MS) prompt[bin]!++;
  }
  const last = arrived.findLastIndex((count, bin) => prompt[bin]! < PROMPT_SHARE * count);
  return (last + 1) * BIN_MS;
}
