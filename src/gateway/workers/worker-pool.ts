import cluster from 'node:cluster';
import type { GatewayEvent } from '../gateway-events.js';
import type { ListeningAt } from '../listeners.js';
import type { Handlers } from './channel.js';
import { saveHandedOver, type WorkerPipe } from './handed-over.js';
import { Respawns } from './respawns.js';
import type { ReadyMessage } from './worker-messages.js';
import { type WorkerExit, WorkerProcess, WorkerStartError } from './worker-process.js';

/** By this the program knows that it is a worker of ours, and not of a cluster that it was put into. */
export const WORKER_MARK = 'PLIMSOLL_GATEWAY_WORKER';

/** Redis may be waited for, files may be slow; whoever takes longer hangs. */
const START_MS = 60_000;

/** Beyond the time to drain, for the end itself: a worker that takes longer hangs. Kubernetes kills after 30 s in all. */
const END_MS = 3_000;

export interface PoolParts {
  readonly count: number;
  /** Besides that of the primary, for the worker at a place. */
  readonly environment: (slot: number) => Readonly<Record<string, string>>;
  readonly handlers: (from: WorkerProcess) => Handlers;
  readonly drainMs: () => number;
  readonly onEvent: (event: GatewayEvent) => void;
  /** A line for people. */
  readonly note: (line: string) => void;
}

/** The workers: started, replaced when they die, and ended. */
export class WorkerPool {
  readonly #parts: PoolParts;
  readonly #all = new Set<WorkerProcess>();
  /** Those whose successors are on their way. */
  readonly #replaced = new Set<WorkerProcess>();
  readonly #respawns: readonly Respawns[];
  readonly #timers = new Set<NodeJS.Timeout>();
  #listening: readonly ListeningAt[] = [];
  #hasStarted = false;
  #isEnding = false;
  #rolling: Promise<void> | undefined = undefined;

  constructor(parts: PoolParts) {
    this.#parts = parts;
    this.#respawns = Array.from({ length: parts.count }, () => new Respawns());
    // In turn, by the primary. Left to the kernel (SCHED_NONE), most connections go to a few workers which happen to wake
    // first, and one that stops listening may take connections with it. It costs a message for each connection, and
    // connections are kept.
    cluster.schedulingPolicy = cluster.SCHED_RR;
    // Whoever asks twice does not want to wait; nobody is left behind.
    process.once('exit', () => {
      if (this.#isEnding) this.kill();
    });
  }

  /** Where they listen, all of them alike. */
  get listening(): readonly ListeningAt[] {
    return this.#listening;
  }

  /** Those that serve, each at its place. */
  get ready(): readonly WorkerProcess[] {
    return [...this.#all].filter(({ state }) => state === 'ready').sort((a, b) => a.slot - b.slot);
  }

  /** Those that have settings, whether they serve already or not. */
  get informed(): readonly WorkerProcess[] {
    return [...this.#all].filter(
      ({ state, version }) => version !== undefined && (state === 'ready' || state === 'starting'),
    );
  }

  /** Resolves when all serve. Rejects with why one cannot; then none is left. */
  async start(): Promise<void> {
    try {
      await Promise.all(this.#respawns.map((_, slot) => this.#startOne(slot)));
      this.#hasStarted = true;
    } catch (error) {
      this.#isEnding = true;
      this.kill();
      await Promise.all([...this.#all].map(({ exited }) => exited));
      throw error;
    }
  }

  /** Each is replaced by another one, which serves before the old one stops: one after the other. */
  roll(): Promise<void> {
    this.#rolling ??= this.#roll().finally(() => {
      this.#rolling = undefined;
    });
    return this.#rolling;
  }

  /** Somebody wants this one to end. It is replaced, unless all of them end. */
  async replace(worker: WorkerProcess): Promise<void> {
    // Asked for twice, it is still one that takes its place.
    if (this.#isEnding || worker.state !== 'ready' || this.#replaced.has(worker)) return;
    this.#replaced.add(worker);
    try {
      const next = await this.#startOne(worker.slot);
      if (next === undefined) return;
      worker.state = 'leaving';
      worker.channel.tell('retire');
      await this.#endOf(worker);
    } finally {
      this.#replaced.delete(worker);
    }
  }

  /** All drain at once. Resolves when none is left; false when some had to be killed. */
  async drain(): Promise<boolean> {
    this.#isEnding = true;
    for (const timer of this.#timers) clearTimeout(timer);
    for (const worker of this.#all) this.#sendAway(worker);
    const ends = await Promise.all([...this.#all].map((worker) => this.#endOf(worker)));
    return ends.every(Boolean);
  }

  kill(): void {
    for (const worker of this.#all) worker.kill();
  }

  /** One that starts while all end has nothing to finish. */
  #sendAway(worker: WorkerProcess): void {
    if (worker.state === 'starting') worker.kill();
    else worker.channel.tell('drain');
    worker.state = 'leaving';
  }

  /** False when it had to be killed. */
  async #endOf(worker: WorkerProcess): Promise<boolean> {
    let wasClean = true;
    const timer = setTimeout(() => {
      wasClean = false;
      worker.kill();
    }, this.#parts.drainMs() + END_MS);
    await worker.exited;
    clearTimeout(timer);
    return wasClean;
  }

  async #roll(): Promise<void> {
    for (const worker of this.ready) await this.replace(worker);
  }

  /** Resolves when it serves; undefined when all end meanwhile. Rejects when it ends before that. */
  async #startOne(slot: number): Promise<WorkerProcess | undefined> {
    const { environment, handlers, onEvent } = this.#parts;
    const forked = cluster.fork({ ...environment(slot), [WORKER_MARK]: String(slot) });
    let serve = () => {};
    const serves = new Promise<undefined>((resolve) => {
      serve = () => resolve(undefined);
    });
    saveHandedOver(forked.process as unknown as WorkerPipe, () => this.ready.length > 0);
    const worker = new WorkerProcess(forked, slot, performance.now(), (from) => ({
      ...handlers(from),
      ready: ({ listening }: ReadyMessage) => {
        if (from.state === 'starting') from.state = 'ready';
        this.#listening = listening;
        serve();
      },
    }));
    this.#all.add(worker);
    const timer = setTimeout(() => worker.kill(), START_MS);
    const end = worker.exited.then((exit) => {
      this.#onExit(worker, exit);
      return exit;
    });
    const ended = await Promise.race([serves, end]);
    clearTimeout(timer);
    if (ended === undefined) {
      onEvent({ kind: 'worker-started', worker: slot + 1, pid: worker.pid });
      return worker;
    }
    if (this.#isEnding && this.#hasStarted) return undefined;
    throw worker.failure ?? new WorkerStartError(`a worker ended while it started: ${endText(ended)}`, true);
  }

  #onExit(worker: WorkerProcess, exit: WorkerExit): void {
    this.#all.delete(worker);
    const { slot, failure } = worker;
    const { onEvent, note } = this.#parts;
    if (!this.#hasStarted || this.#isEnding || !this.#isMissing(slot)) return;
    const waitMs = this.#respawns[slot]!.died(worker.bornMs, performance.now());
    onEvent({ kind: 'worker-died', worker: slot + 1, ...exit });
    const why = failure?.message ?? endText(exit);
    note(
      `worker ${slot + 1} has ended (${why}); another one starts ${waitMs === 0 ? 'now' : `in ${waitMs / 1_000} s`}`,
    );
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      // Why it cannot start is told when it ends; it is tried again then.
      this.#startOne(slot).catch(() => {});
    }, waitMs);
    this.#timers.add(timer);
  }

  /** Whether nobody is at a place, or on the way there. */
  #isMissing(slot: number): boolean {
    return ![...this.#all].some((other) => other.slot === slot && other.state !== 'leaving');
  }
}

function endText({ code, signal }: WorkerExit): string {
  return signal === null ? `code ${code}` : signal;
}
