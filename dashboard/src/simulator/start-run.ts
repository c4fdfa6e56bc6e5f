import type { Progress } from '../../../src/simulator/scenarios/scenario.js';
import { makeWorker, type SimulatorWorker } from './make-worker.js';
import type { Choice, FinishedRun, Refusal } from './protocol.js';

/** Ten times what the longest built-in scenario takes on a small cloud machine: nobody watches a page for longer. */
export const MOST_RUN_MS = 600_000;

export type RunEnd =
  | { readonly kind: 'done'; readonly run: FinishedRun; readonly elapsedMs: number }
  | Refusal
  | { readonly kind: 'failed'; readonly text: string }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'too-long' };

export interface RunListener {
  onProgress(progress: Progress, elapsedMs: number): void;
  /** Exactly once. */
  onEnd(end: RunEnd): void;
}

/** Simulates in a worker of its own, which is gone at the end, however that comes. */
export function startRun(
  choice: Choice,
  { onProgress, onEnd }: RunListener,
  worker: SimulatorWorker = makeWorker(),
): { cancel(): void } {
  const startMs = performance.now();
  let isOver = false;
  const end = (how: RunEnd) => {
    if (isOver) return;
    isOver = true;
    clearTimeout(limit);
    worker.terminate();
    onEnd(how);
  };
  const limit = setTimeout(() => end({ kind: 'too-long' }), MOST_RUN_MS);
  worker.onmessage = ({ data }) => {
    if (isOver) return;
    const elapsedMs = performance.now() - startMs;
    if (data.kind === 'progress') onProgress(data.progress, elapsedMs);
    else if (data.kind === 'done') end({ ...data, elapsedMs });
    else if (data.kind === 'refused' || data.kind === 'failed') end(data);
  };
  worker.onerror = ({ message }) =>
    end({ kind: 'failed', text: message || 'the worker could not be loaded' });
  worker.postMessage({ kind: 'run', choice });
  return { cancel: () => end({ kind: 'cancelled' }) };
}
