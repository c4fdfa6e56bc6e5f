import { DecayingLevel } from '../measuring/decaying-level.js';
import { nearestRank } from '../measuring/nearest-rank.js';
import { SeededRandom } from '../seeded-random.js';
import { VirtualLoop } from '../virtual-loop.contract.js';
import { BatchPace } from './batch-pace.js';
import type { BatchPaceOptions } from './batch-pace-options.js';

/** A service of so many workers, used by interactive requests and by a batch that never ends. */
export interface BatchModel {
  readonly workers: number;
  readonly serviceMs: number;
  /** Interactive load as a share of the capacity, for so long each. */
  readonly phases: readonly { readonly interactive: number; readonly ms: number }[];
  /** Whether it says how full it is, smoothed over a second. */
  readonly isReporting?: boolean;
  /** Whether it refuses batches between a utilization of .9 and 1, as SHEDDABLE_PLUS is. */
  readonly isRefusing?: boolean;
  /** Interactive requests first, as a guard does with those that wait. */
  readonly criticalFirst?: boolean;
  /** Without a batch: what interactive requests see then. */
  readonly noBatch?: boolean;
  readonly pace?: Partial<BatchPaceOptions>;
  readonly seed?: number;
}

/** What happened in one second. */
export interface Second {
  interactiveMs: number[];
  batchDone: number;
  batchRefused: number;
  rate: number;
  underWay: number;
}

interface Job {
  readonly isBatch: boolean;
  readonly atMs: number;
}

export function runBatchModel(model: BatchModel): Second[] {
  const { workers, serviceMs, phases, pace: options, seed = 1 } = model;
  const random = new SeededRandom(seed);
  const draw = () => random.next();
  const loop = new VirtualLoop();
  const level = new DecayingLevel({ decayMs: 1_000 });
  const pace = new BatchPace(0, options);
  const queues: [Job[], Job[]] = [[], []];
  const seconds: Second[] = [];
  let busy = 0;
  let underWay = 0;
  let wakeMs = Number.POSITIVE_INFINITY;

  const secondAt = (ms: number): Second => {
    const at = Math.floor(ms / 1_000);
    seconds[at] ??= { interactiveMs: [], batchDone: 0, batchRefused: 0, rate: 0, underWay: 0 };
    return seconds[at];
  };
  const nextJob = (): Job | undefined => {
    const [interactive, batch] = queues;
    if (model.criticalFirst === true) return interactive.shift() ?? batch.shift();
    const isBatchFirst = (batch[0]?.atMs ?? Infinity) < (interactive[0]?.atMs ?? Infinity);
    return isBatchFirst ? batch.shift() : interactive.shift();
  };
  const end = (job: Job) => {
    const tookMs = loop.now - job.atMs;
    busy--;
    level.set(loop.now, busy / workers);
    if (job.isBatch) {
      underWay--;
      secondAt(loop.now).batchDone++;
      if (model.isReporting === true) pace.onUtilization(level.value(loop.now), loop.now);
      pace.onDone('answered', tookMs, loop.now);
    } else secondAt(job.atMs).interactiveMs.push(tookMs);
    work();
    sendBatch();
  };
  const work = () => {
    while (busy < workers) {
      const job = nextJob();
      if (job === undefined) return;
      busy++;
      level.set(loop.now, busy / workers);
      loop.after(-Math.log(1 - draw()) * serviceMs, () => end(job));
    }
  };
  const isRefused = () => model.isRefusing === true && draw() < (level.value(loop.now) - 0.9) / 0.1;
  const sendBatch = () => {
    if (model.noBatch === true) return;
    for (;;) {
      const waitMs = pace.waitMs(underWay, loop.now);
      if (waitMs > 0) {
        const atMs = loop.now + Math.min(waitMs, 100);
        if (atMs >= wakeMs && wakeMs > loop.now) return;
        wakeMs = atMs;
        loop.at(atMs, () => {
          if (wakeMs === loop.now) wakeMs = Number.POSITIVE_INFINITY;
          sendBatch();
        });
        return;
      }
      pace.onStart(loop.now);
      underWay++;
      if (isRefused()) {
        loop.after(1, () => {
          underWay--;
          secondAt(loop.now).batchRefused++;
          pace.onDone('task-overloaded', 1, loop.now);
          sendBatch();
        });
      } else {
        queues[1].push({ isBatch: true, atMs: loop.now });
        work();
      }
    }
  };
  const arrive = (perMs: number, untilMs: number) => {
    const nextMs = loop.now - Math.log(1 - draw()) / perMs;
    if (nextMs >= untilMs) return;
    loop.at(nextMs, () => {
      queues[0].push({ isBatch: false, atMs: loop.now });
      work();
      arrive(perMs, untilMs);
    });
  };
  sendBatch();
  for (const { interactive, ms } of phases) {
    const endMs = loop.now + ms;
    if (interactive > 0) arrive((interactive * workers) / serviceMs, endMs);
    while (loop.now < endMs) {
      const second = secondAt(loop.now);
      loop.runUntil(Math.min(endMs, loop.now + 1_000));
      second.rate = pace.ratePerSecond;
      second.underWay = underWay;
    }
  }
  return seconds;
}

export function p99(seconds: readonly Second[]): number {
  const all = seconds.flatMap(({ interactiveMs }) => interactiveMs).sort((a, b) => a - b);
  return all[nearestRank(0.99, all.length) - 1]!;
}

/** Batch requests done a second, on average. */
export function batchRate(seconds: readonly Second[]): number {
  return seconds.reduce((sum, { batchDone }) => sum + batchDone, 0) / seconds.length;
}
