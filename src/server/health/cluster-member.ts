import cluster, { type Worker } from 'node:cluster';
import { elapsedMs, type GateState, type LoadReport } from '../../core/index.js';
import type { Health } from '../../wire/index.js';
import { type ClusterMessage, parseClusterMessage, REPORT_MS } from './cluster-messages.js';
import type { HealthSource } from './health-source.js';
import { StateListeners } from './state-listeners.js';

/** So old, what the primary said of all holds no more: it is gone, or no primary of ours. */
const STALE_MS = 2_000;

/** One worker's place among all: tells the primary how it is, and hears how all are. */
export interface ClusterMember {
  /** Speaks for all workers; for this one alone as long as the primary says nothing. */
  readonly source: HealthSource;
  /** Says a last time how it is, and no more. */
  close(): void;
}

/**
 * In a worker of `node:cluster`, joins what `superviseWorkers` leads in the primary. `onDrain` is called when the primary
 * wants it to end. Undefined outside of a worker.
 */
export function joinCluster(own: HealthSource, onDrain: () => void): ClusterMember | undefined {
  return cluster.worker === undefined ? undefined : new WorkerMember(cluster.worker, own, onDrain);
}

class WorkerMember implements ClusterMember {
  readonly source: HealthSource;
  readonly #worker: Worker;
  readonly #own: HealthSource;
  readonly #onDrain: () => void;
  readonly #listeners: StateListeners;
  readonly #timer: NodeJS.Timeout;
  readonly #stopListening: () => void;
  #all: { readonly health: Health; readonly heardMs: number } | undefined;

  constructor(worker: Worker, own: HealthSource, onDrain: () => void) {
    this.#worker = worker;
    this.#own = own;
    this.#onDrain = onDrain;
    this.#listeners = new StateListeners(own.state());
    this.source = {
      state: () => this.#state(),
      loadReport: () => this.#loadReport(),
      onStateChange: (listener) => this.#listeners.add(listener),
    };
    worker.on('message', this.#receive);
    this.#timer = setInterval(() => this.#tell(), REPORT_MS).unref();
    this.#stopListening = own.onStateChange(() => this.#tell());
    this.#tell();
  }

  close(): void {
    this.#tell();
    clearInterval(this.#timer);
    this.#stopListening();
    this.#worker.off('message', this.#receive);
  }

  #fresh(): Health | undefined {
    if (this.#all === undefined) return undefined;
    return elapsedMs(this.#all.heardMs, performance.now()) < STALE_MS ? this.#all.health : undefined;
  }

  #state(): GateState {
    return this.#fresh()?.state ?? this.#own.state();
  }

  #loadReport(): LoadReport {
    return this.#fresh()?.report ?? this.#own.loadReport();
  }

  #tell(): void {
    const health = { state: this.#own.state(), report: this.#own.loadReport() };
    const message: ClusterMessage = { plimsoll: 'health', health };
    // A channel that closes meanwhile is no error of ours: the worker is about to end.
    if (this.#worker.isConnected()) process.send?.(message, undefined, undefined, () => {});
    this.#listeners.tell(this.#state());
  }

  readonly #receive = (value: unknown): void => {
    const message = parseClusterMessage(value);
    if (message === undefined) return;
    if (message.plimsoll === 'drain') {
      this.#onDrain();
      return;
    }
    this.#all = { health: message.health, heardMs: performance.now() };
    this.#listeners.tell(this.#state());
  };
}
