import type { AdminTarget, LimitState } from '../admin/admin-target.js';
import { readinessOf } from '../admin/gateway-target.js';
import { printSettings } from '../settings/index.js';
import { mergeMetrics } from './merge-metrics.js';
import { mergeSnapshots } from './merge-snapshots.js';
import type { GatewayPrimary } from './primary.js';
import { primaryMetrics } from './primary-metrics.js';
import type { AdminQuestion } from './worker-messages.js';
import type { WorkerProcess } from './worker-process.js';

/** What an admin port may do with the processes. */
export interface PrimaryTargetOptions {
  /** Reads settings anew, as SIGHUP does. Rejects with what is wrong. */
  readonly reload: () => Promise<void>;
  /** Begins to end the process, as SIGTERM does. */
  readonly end: () => void;
}

/** Longer than the pauses of a machine that has too much to do; whoever asks has not given up yet. */
const ANSWER_MS = 2_000;

/** What workers have answered, and the names of those that have not. */
interface Answers<T> {
  readonly answers: ReadonlyMap<string, T>;
  readonly missing: readonly string[];
}

/** All workers of a gateway, as an admin port sees them. */
export function primaryTarget(primary: GatewayPrimary, { reload, end }: PrimaryTargetOptions): AdminTarget {
  const ask = <T>(worker: WorkerProcess, question: AdminQuestion, args: readonly string[] = []) =>
    worker.channel.ask<T>('admin', { question, args }, ANSWER_MS);

  const askAll = async <T>(question: AdminQuestion, args?: readonly string[]): Promise<Answers<T>> => {
    const workers = primary.pool.ready;
    const settled = await Promise.allSettled(workers.map((worker) => ask<T>(worker, question, args)));
    const answers = new Map<string, T>();
    const missing: string[] = [];
    for (const [i, result] of settled.entries()) {
      if (result.status === 'fulfilled') answers.set(workers[i]!.name, result.value);
      else missing.push(workers[i]!.name);
    }
    return { answers, missing };
  };

  /** Limits are counted in one place: any worker knows. */
  const askOne = <T>(question: AdminQuestion, args: readonly string[]): Promise<T> => {
    const [worker] = primary.pool.ready;
    return worker === undefined
      ? Promise.reject(new Error('no worker is ready'))
      : ask<T>(worker, question, args);
  };

  return {
    snapshot: async () => {
      const { answers, missing } = await askAll<object>('snapshot');
      return {
        primary: primary.snapshot(),
        total: mergeSnapshots([...answers.values()]),
        missing,
        workers: Object.fromEntries(answers),
      };
    },
    metrics: async () => {
      const { answers, missing } = await askAll<string>('metrics');
      const up = primary.pool.ready.map(
        ({ name }) => `plimsoll_worker_up{worker="${name}"} ${missing.includes(name) ? 0 : 1}\n`,
      );
      const about =
        '# HELP plimsoll_worker_up Whether a worker has answered\n# TYPE plimsoll_worker_up gauge\n';
      const all = mergeMetrics(new Map([...answers, ['primary', primaryMetrics(primary.snapshot())]]));
      return `${all}${about}${up.join('')}`;
    },
    readiness: () => readinessOf(primary.state),
    config: async () => printSettings(primary.settings),
    lameDuck: async () => {
      primary.lameDuck();
      const { missing } = await askAll('lameDuck');
      if (missing.length > 0) throw new Error(`worker ${missing.join(', ')} does not answer`);
    },
    drain: async () => end(),
    reload,
    limit: async (rule, key) =>
      (await askOne<LimitState | null | undefined>('limit', [rule, key])) ?? undefined,
    resetLimit: async (rule, key) => {
      // Each has counts of its own for when nobody else counts.
      const { answers, missing } = await askAll<boolean>('resetLimit', [rule, key]);
      if (answers.size === 0) throw new Error(`worker ${missing.join(', ')} does not answer`);
      return [...answers.values()].some(Boolean);
    },
    queue: async () => {
      const { answers, missing } = await askAll<object>('queue');
      return { missing, workers: Object.fromEntries(answers) };
    },
    onEvent: (listener) => primary.events.on(listener),
  };
}
