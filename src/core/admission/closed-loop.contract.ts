import { CRITICALITIES, type Criticality, criticalityRank } from '../criticality.js';
import { SeededRandom } from '../seeded-random.js';
import type { QueuePressure } from './queue-pressure.js';
import { refusalOrder } from './refusal-order.js';
import type { Thresholds } from './thresholds.js';

/** A server with one worker and an unbounded queue whose only defence is the pressure, on a virtual clock. */
export interface ClosedLoop {
  readonly pressure: QueuePressure;
  readonly thresholds: Thresholds;
  /** Requests at random, so many a second for so long, one phase after the other. */
  readonly phases: readonly { readonly perSecond: number; readonly ms: number }[];
  /** Parts of the requests by criticality; they add up to 1. */
  readonly mix: Partial<Record<Criticality, number>>;
  readonly serviceMs: number;
  /** Most critical first instead of first come, first served. */
  readonly criticalFirst?: boolean;
  /** What a degraded request takes of what a full one does. */
  readonly degradedCost?: number;
  /** Each task makes so many calls, 30 ms apart, all under one trace id. */
  readonly callsPerTask?: number;
  readonly seed?: number;
}

/** What happened in 100 ms. */
interface Slice {
  arrived: number;
  refused: number;
  degraded: number;
  /** Sum over arrivals of the share of their criticality that was being refused: free of chance. */
  shares: number;
  taken: number;
  waitedMs: number;
  longestMs: number;
  busyMs: number;
  readonly arrivedBy: number[];
  readonly refusedBy: number[];
}

export interface LoopReport {
  readonly slices: readonly Slice[];
  /** Of the tasks that began a second or more before the end, those none of whose calls were refused. */
  readonly tasksServed: number;
}

interface Call {
  readonly at: number;
  readonly task: number;
  readonly criticality: Criticality;
  readonly order: number;
}

interface Waiting {
  readonly at: number;
  readonly costMs: number;
}

const SLICE_MS = 100;
const CALL_GAP_MS = 30;

export function runLoop(loop: ClosedLoop): LoopReport {
  const { pressure, thresholds, serviceMs } = loop;
  const calls = drawCalls(loop);
  const queues = CRITICALITIES.map(() => ({ waiting: [] as Waiting[], next: 0 }));
  const slices: Slice[] = [];
  const refusedTasks = new Set<number>();
  let freeMs = 0;

  const work = (until: number): void => {
    for (;;) {
      const queue = queues.findLast(({ waiting, next }) => next < waiting.length);
      if (queue === undefined) return;
      const { at, costMs } = queue.waiting[queue.next]!;
      const start = Math.max(freeMs, at);
      if (start > until) return;
      queue.next++;
      pressure.observe(start - at, start);
      freeMs = start + costMs;
      const slice = sliceAt(slices, start);
      slice.taken++;
      slice.waitedMs += start - at;
      slice.longestMs = Math.max(slice.longestMs, start - at);
      slice.busyMs += costMs;
    }
  };

  for (const { at, task, criticality, order } of calls) {
    work(at);
    const utilization = pressure.utilization(at);
    const verdict = thresholds.decide(criticality, utilization, order);
    pressure.onDecision(criticality, verdict !== 'refuse');
    const rank = criticalityRank(criticality);
    const slice = sliceAt(slices, at);
    slice.arrived++;
    slice.arrivedBy[rank]!++;
    slice.shares += thresholds.refusedShare(criticality, utilization);
    if (verdict === 'refuse') {
      slice.refused++;
      slice.refusedBy[rank]!++;
      refusedTasks.add(task);
    } else {
      if (verdict === 'degrade') slice.degraded++;
      const costMs = verdict === 'degrade' ? serviceMs * (loop.degradedCost ?? 1) : serviceMs;
      queues[loop.criticalFirst === true ? rank : 0]!.waiting.push({ at, costMs });
    }
  }
  return { slices, tasksServed: shareOfTasks(calls, refusedTasks) };
}

function drawCalls({ phases, mix, callsPerTask = 1, seed = 21 }: ClosedLoop): Call[] {
  const random = new SeededRandom(seed);
  const calls: Call[] = [];
  let now = 0;
  let end = 0;
  let task = 0;
  for (const { perSecond, ms } of phases) {
    end += ms;
    for (;;) {
      const next = now - (Math.log(1 - random.next()) * 1_000 * callsPerTask) / perSecond;
      if (next >= end) break;
      now = next;
      task++;
      const criticality = drawCriticality(mix, random.next());
      const order = refusalOrder(drawTraceId(random));
      for (let call = 0; call < callsPerTask; call++) {
        calls.push({ at: now + call * CALL_GAP_MS, task, criticality, order });
      }
    }
    now = end;
  }
  return callsPerTask === 1 ? calls : calls.sort((a, b) => a.at - b.at);
}

function drawCriticality(mix: Partial<Record<Criticality, number>>, drawn: number): Criticality {
  let left = drawn;
  let last: Criticality = 'CRITICAL';
  for (const criticality of CRITICALITIES) {
    const part = mix[criticality] ?? 0;
    if (part === 0) continue;
    if (left < part) return criticality;
    left -= part;
    last = criticality;
  }
  return last;
}

export function drawTraceId(random: SeededRandom): string {
  let id = '';
  for (let word = 0; word < 4; word++) id += random.uint32().toString(16).padStart(8, '0');
  return id;
}

function shareOfTasks(calls: readonly Call[], refused: ReadonlySet<number>): number {
  const last = calls.at(-1)!.at - 1_000;
  const tasks = new Set<number>();
  for (const { at, task } of calls) if (at < last && at > 3_000) tasks.add(task);
  let served = 0;
  for (const task of tasks) if (!refused.has(task)) served++;
  return served / tasks.size;
}

function sliceAt(slices: Slice[], at: number): Slice {
  const index = Math.floor(at / SLICE_MS);
  while (slices.length <= index) {
    const none = () => CRITICALITIES.map(() => 0);
    const counts = {
      arrived: 0,
      refused: 0,
      degraded: 0,
      shares: 0,
      taken: 0,
      waitedMs: 0,
      longestMs: 0,
      busyMs: 0,
    };
    slices.push({ ...counts, arrivedBy: none(), refusedBy: none() });
  }
  return slices[index]!;
}

export interface LoopSummary {
  readonly refusedShare: number;
  readonly degradedShare: number;
  /**
   * Standard deviation of the share that was being refused, from one 100 ms to the next: what chance does not
   * explain.
   */
  readonly shareDeviation: number;
  /** Part of the time that the worker was busy. */
  readonly used: number;
  readonly meanQueueMs: number;
  readonly longestQueueMs: number;
  readonly refusedBy: Readonly<Record<Criticality, number>>;
}

/** Between two instants, in whole slices. */
export function summarize({ slices }: LoopReport, fromMs: number, toMs: number): LoopSummary {
  const part = slices.slice(fromMs / SLICE_MS, toMs / SLICE_MS);
  const sum = (field: (slice: Slice) => number) => part.reduce((total, slice) => total + field(slice), 0);
  const shares = part.filter(({ arrived }) => arrived > 0).map((slice) => slice.shares / slice.arrived);
  const mean = shares.reduce((total, share) => total + share, 0) / shares.length;
  const variance = shares.reduce((total, share) => total + (share - mean) ** 2, 0) / shares.length;
  const refusedBy = CRITICALITIES.map((criticality, rank) => [
    criticality,
    sum((slice) => slice.refusedBy[rank]!) /
      Math.max(
        1,
        sum((slice) => slice.arrivedBy[rank]!),
      ),
  ]);
  return {
    refusedShare: sum(({ refused }) => refused) / sum(({ arrived }) => arrived),
    degradedShare: sum(({ degraded }) => degraded) / sum(({ arrived }) => arrived),
    shareDeviation: Math.sqrt(variance),
    used: sum(({ busyMs }) => busyMs) / (toMs - fromMs),
    meanQueueMs:
      sum(({ waitedMs }) => waitedMs) /
      Math.max(
        1,
        sum(({ taken }) => taken),
      ),
    longestQueueMs: Math.max(...part.map(({ longestMs }) => longestMs)),
    refusedBy: Object.fromEntries(refusedBy),
  };
}

/** How long after an instant the last request was refused. */
export function refusedUntil({ slices }: LoopReport, afterMs: number): number {
  const last = slices.findLastIndex(({ refused }) => refused > 0);
  return Math.max(0, (last + 1) * SLICE_MS - afterMs);
}

/** How long after an instant the share stayed farther than this from the one it should have. */
export function settledAfter({ slices }: LoopReport, afterMs: number, share: number, within: number): number {
  const first = afterMs / SLICE_MS;
  const last = slices.findLastIndex(
    (slice, index) => index >= first && Math.abs(slice.shares / slice.arrived - share) > within,
  );
  return Math.max(0, (last + 1) * SLICE_MS - afterMs);
}
