import type { Worker } from 'node:cluster';
import { Channel, type Handlers } from './channel.js';

export interface WorkerExit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** `leaving`: another one has its place, or it is on its way out with all others. */
export type WorkerState = 'starting' | 'ready' | 'leaving' | 'gone';

/** Why a worker could not start, as it said itself. */
export class WorkerStartError extends Error {
  /** People can mend it: a line is enough. */
  readonly isExpected: boolean;

  constructor(message: string, isExpected: boolean) {
    super(message);
    this.name = 'WorkerStartError';
    this.isExpected = isExpected;
  }
}

/** One worker, as the primary sees it. */
export class WorkerProcess {
  /** Its place among the workers, from 0. */
  readonly slot: number;
  readonly bornMs: number;
  readonly channel: Channel;
  readonly exited: Promise<WorkerExit>;
  state: WorkerState = 'starting';
  /** Which settings it holds, of all that there have been. */
  version: number | undefined = undefined;
  /** Why it is about to end. */
  failure: WorkerStartError | undefined = undefined;
  readonly #worker: Worker;

  constructor(worker: Worker, slot: number, bornMs: number, handlers: (from: WorkerProcess) => Handlers) {
    this.#worker = worker;
    this.slot = slot;
    this.bornMs = bornMs;
    // One that ends meanwhile is seen by its exit.
    this.channel = new Channel((frame) => {
      if (worker.isConnected()) worker.process.send(frame, undefined, undefined, () => {});
    }, handlers(this));
    worker.on('message', (value: unknown) => this.channel.receive(value));
    this.exited = new Promise((resolve) => {
      const end = (code: number | null, signal: string | null) => {
        this.state = 'gone';
        this.channel.close(`worker ${this.name} is gone`);
        resolve({ code, signal });
      };
      worker.once('exit', end);
      // A process that could not be made has no exit.
      worker.on('error', () => {
        if (worker.process.pid === undefined) end(null, null);
      });
    });
  }

  /** As people count. */
  get name(): string {
    return String(this.slot + 1);
  }

  get pid(): number {
    return this.#worker.process.pid ?? 0;
  }

  kill(signal: NodeJS.Signals = 'SIGKILL'): void {
    this.#worker.process.kill(signal);
  }
}
