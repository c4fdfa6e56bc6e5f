import cluster, { type Address, type Worker } from 'node:cluster';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { GateState, LoadReport } from '../../core/index.js';
import { type ClusterMessage, parseClusterMessage, REPORT_MS } from './cluster-messages.js';
import type { HealthSource } from './health-source.js';
import { StateListeners } from './state-listeners.js';
import { checkSuperviseOptions, type SuperviseOptions } from './supervise-options.js';
import { UdpHealth, type UdpHealthSnapshot } from './udp-health.js';
import { WorkerHealths } from './worker-healths.js';

/** How all workers are, as plain data. */
export interface SupervisionSnapshot {
  readonly state: GateState;
  readonly report: LoadReport;
  readonly workers: Readonly<Record<string, { readonly state: GateState; readonly report: LoadReport }>>;
  readonly udp: UdpHealthSnapshot | undefined;
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Called once in the primary of `node:cluster`: one port is one backend to its clients, however many workers serve it.
 * The primary answers UDP health for all, tells each worker how all are (so that each one's health pages say the same),
 * and on SIGTERM sees to it that clients are told, every worker drains, and none is left behind.
 */
export function superviseWorkers(given?: Partial<SuperviseOptions>): Supervision {
  if (!cluster.isPrimary) throw new Error('superviseWorkers is for the primary; a worker joins by itself');
  return new Supervision(checkSuperviseOptions(given));
}

/** A primary that speaks for its workers. */
export class Supervision {
  readonly #options: SuperviseOptions;
  readonly #healths = new WorkerHealths();
  readonly #listeners = new StateListeners('starting');
  readonly #udp: UdpHealth | undefined;
  readonly #timer: NodeJS.Timeout;
  /** Whether UDP health answers: settled when it is known. */
  readonly listening: Promise<boolean>;
  readonly #closing = new AbortController();
  #isDraining = false;
  #drained: Promise<boolean> | undefined;

  constructor(options: SuperviseOptions) {
    this.#options = options;
    const source: HealthSource = {
      state: () => this.#combined().state,
      loadReport: () => this.#combined().report,
      onStateChange: (listener) => this.#listeners.add(listener),
    };
    this.#udp = options.udp === false ? undefined : new UdpHealth(source, options.onError, options.udp);
    for (const worker of workers()) this.#join(worker);
    cluster
      .on('fork', this.#join)
      .on('message', this.#receive)
      .on('exit', this.#leave)
      .on('online', this.#relay);
    this.listening = this.#listen();
    this.#timer = setInterval(() => this.#tellWorkers(), REPORT_MS).unref();
    if (options.signals) for (const signal of SIGNALS) process.on(signal, this.#onSignal);
  }

  /** Tells clients, has every worker drain, and waits until all have ended; false when some had to be killed. */
  drain(): Promise<boolean> {
    this.#drained ??= this.#drain();
    return this.#drained;
  }

  /** Stops answering, and leaves the workers as they are. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearInterval(this.#timer);
    cluster
      .off('fork', this.#join)
      .off('message', this.#receive)
      .off('exit', this.#leave)
      .off('online', this.#relay);
    for (const signal of SIGNALS) process.off(signal, this.#onSignal);
    await this.#udp?.close();
  }

  snapshot(): SupervisionSnapshot {
    return { ...this.#combined(), workers: this.#healths.list(), udp: this.#udp?.snapshot() };
  }

  #combined() {
    return this.#healths.combined(performance.now());
  }

  async #listen(): Promise<boolean> {
    const { port, host } = this.#options;
    if (this.#udp === undefined) return false;
    const where = port === undefined ? await this.#whereWorkersListen() : { port, address: undefined };
    return where === undefined ? false : this.#udp.listen(where.port, host ?? where.address);
  }

  /** Where the first worker listens to TCP; undefined when this ends before any does. */
  async #whereWorkersListen(): Promise<{ port: number; address: string | undefined } | undefined> {
    try {
      for (;;) {
        const [, address] = (await once(cluster, 'listening', this.#closing)) as [Worker, Address];
        const { addressType, port } = address;
        if (addressType === 4 || addressType === 6) return { port, address: address.address ?? undefined };
      }
    } catch {
      return undefined;
    }
  }

  async #drain(): Promise<boolean> {
    this.#isDraining = true;
    this.#healths.beLameDuck();
    this.#tellWorkers();
    for (const worker of workers()) this.#relay(worker);
    let wasClean = true;
    const timer = setTimeout(() => {
      wasClean = workers().length === 0;
      for (const worker of workers()) worker.process.kill('SIGKILL');
    }, this.#options.drainMs);
    while (workers().length > 0) await new Promise((resolve) => cluster.once('exit', resolve));
    clearTimeout(timer);
    await this.close();
    return wasClean;
  }

  readonly #onSignal = (signal: (typeof SIGNALS)[number]): void => {
    if (!this.#isDraining) {
      this.drain().then((wasClean) => process.exit(wasClean ? 0 : 1));
      return;
    }
    // Whoever asks twice does not want to wait.
    for (const worker of workers()) worker.process.kill('SIGKILL');
    process.exit(128 + constants.signals[signal]);
  };

  readonly #join = (worker: Worker): void => {
    this.#healths.hear(worker.id, { state: 'starting', report: {} }, performance.now());
    this.#onChange();
  };

  readonly #leave = (worker: Worker): void => {
    this.#healths.forget(worker.id);
    this.#onChange();
  };

  readonly #receive = (worker: Worker, value: unknown): void => {
    const message = parseClusterMessage(value);
    // What a worker said last may come after its end.
    if (message?.plimsoll !== 'health' || worker.isDead()) return;
    this.#healths.hear(worker.id, message.health, performance.now());
    this.#onChange();
  };

  /** A worker that comes while all are going is sent away at once. A message, and no signal: it may have had that too. */
  readonly #relay = (worker: Worker): void => {
    if (this.#isDraining) send(worker, { plimsoll: 'drain' });
  };

  #onChange(): void {
    if (this.#listeners.tell(this.#combined().state)) this.#tellWorkers();
  }

  #tellWorkers(): void {
    const health = this.#combined();
    this.#listeners.tell(health.state);
    for (const worker of workers()) send(worker, { plimsoll: 'health', health });
  }
}

function workers(): Worker[] {
  // The list keeps one that has ended until its channel is closed too.
  return Object.values(cluster.workers ?? {}).flatMap((worker) => (worker?.isDead() === false ? worker : []));
}

function send(worker: Worker, message: ClusterMessage): void {
  // One that ends meanwhile is seen by its exit.
  if (worker.isConnected()) worker.process.send(message, undefined, undefined, () => {});
}
