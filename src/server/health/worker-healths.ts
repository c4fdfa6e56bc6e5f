import type { GateState, LoadReport } from '../../core/index.js';
import { elapsedMs } from '../../core/index.js';
import type { Health } from '../../wire/index.js';
import { combineHealth } from './combine-health.js';

/** Twenty reports missing: its event loop stands, and whoever is sent there waits. */
const SILENT_MS = 5_000;

/** How all workers are, from what each last said; one that has fallen silent counts as not ready. */
export class WorkerHealths {
  readonly #byWorker = new Map<number, { readonly health: Health; readonly heardMs: number }>();
  #isLameDuck = false;

  get size(): number {
    return this.#byWorker.size;
  }

  /** A worker that has just begun, or what one says of itself. */
  hear(worker: number, health: Health, now: number): void {
    this.#byWorker.set(worker, { health, heardMs: now });
  }

  forget(worker: number): void {
    this.#byWorker.delete(worker);
  }

  /** All of them are going, whatever they say. */
  beLameDuck(): void {
    this.#isLameDuck = true;
  }

  combined(now: number): Health {
    const { state, report } = combineHealth([...this.#byWorker.values()].map((each) => heard(each, now)));
    if (!this.#isLameDuck) return { state, report };
    return { state: this.#byWorker.size === 0 ? 'closed' : 'lame-duck', report };
  }

  /** By worker, as plain data. */
  list(): Record<string, { readonly state: GateState; readonly report: LoadReport }> {
    return Object.fromEntries([...this.#byWorker].map(([worker, { health }]) => [worker, health]));
  }
}

function heard(
  { health, heardMs }: { readonly health: Health; readonly heardMs: number },
  now: number,
): Health {
  return elapsedMs(heardMs, now) < SILENT_MS ? health : { state: 'starting', report: {} };
}
