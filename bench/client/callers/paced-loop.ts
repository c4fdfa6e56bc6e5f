import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from 'plimsoll/client';
import { OwnClock } from '../../own-clock.js';
import { ask, type Method } from './mix.js';

export interface PaceOptions {
  /** Requests a second. */
  readonly rate: number;
  /** So many wait for their answers at once. */
  readonly callers: number;
}

export interface LoopCounts {
  readonly requests: number;
  readonly failed: Readonly<Record<Method, number>>;
  readonly failures: readonly string[];
  /** The longest that a request took, answered or not; without what this process itself stood still meanwhile. */
  readonly slowestMs: number;
}

const MOST_FAILURES = 20;

/** Longer than anything here takes: what is not answered by then never will be. */
const PATIENCE_MS = 10_000;

/** Callers that wait for their answers, and for their turn: no more than the rate, and less when answers are slow. */
export class PacedLoop {
  readonly #client: Client;
  readonly #failed = { GET: 0, POST: 0 };
  readonly #failures: string[] = [];
  readonly #open = new Set<Method[]>();
  readonly #callers: Promise<void>[];
  #requests = 0;
  #slowestMs = 0;
  readonly #clock = new OwnClock();
  #isOver = false;

  constructor(client: Client, { rate, callers }: PaceOptions) {
    this.#client = client;
    const everyMs = (callers * 1_000) / rate;
    this.#callers = Array.from({ length: callers }, (_, number) =>
      this.#call(everyMs, (everyMs * number) / callers),
    );
  }

  counts(): LoopCounts {
    return {
      requests: this.#requests,
      failed: { ...this.#failed },
      failures: [...this.#failures],
      slowestMs: this.#slowestMs,
    };
  }

  /** Sends no more, and waits for what is open; what does not come has failed. */
  async finish(): Promise<LoopCounts> {
    this.#isOver = true;
    this.#clock.stop();
    const late = wait(PATIENCE_MS, undefined, { ref: false });
    await Promise.race([Promise.all(this.#callers), late]);
    for (const [method] of this.#open) this.#onFailure(method!, `no answer within ${PATIENCE_MS} ms`);
    return this.counts();
  }

  async #call(everyMs: number, startMs: number): Promise<void> {
    await wait(startMs);
    while (!this.#isOver) {
      const startedMs = performance.now();
      const begunMs = this.#clock.nowMs();
      const { method, done } = ask(this.#client, this.#requests++);
      const mark = [method];
      this.#open.add(mark);
      const failure = await done;
      this.#open.delete(mark);
      this.#slowestMs = Math.max(this.#slowestMs, this.#clock.nowMs() - begunMs);
      if (failure !== undefined) this.#onFailure(method, failure);
      const restMs = startedMs + everyMs - performance.now();
      if (restMs > 0) await wait(restMs);
    }
  }

  #onFailure(method: Method, why: string): void {
    this.#failed[method]++;
    if (this.#failures.length < MOST_FAILURES) this.#failures.push(`${method}: ${why}`);
  }
}
