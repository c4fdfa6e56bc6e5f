import { setMaxListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { elapsedMs } from '../../core/elapsed.js';
import { attempt } from './attempt.js';
import type { BullJob, BullMq, BullWorker } from './load-bullmq.js';
import type { OverflowSettings, Perform } from './overflow-options.js';
import { patientCopy, type QueueClient } from './queue-client.js';
import { answerKey } from './queue-status.js';
import { storeAnswer } from './queued-answer.js';
import { type QueuedRequest, restoreRequest, type StoredRequest } from './queued-request.js';
import { EARLY_MS, StartGate } from './start-gate.js';

/** Another turn for a key: what `schedule` of a store says of it. */
export type NextTurn = (
  rule: string,
  key: string,
  cost: number,
) => Promise<{ readonly dueMs: number | undefined; readonly retryAfterMs: number }>;

export interface WorkerCounts {
  performed: number;
  /** Attempts that failed. */
  failedAttempts: number;
  /** Requests that have no attempt left. */
  deadLetters: number;
  /** Taken up again because their process had ended. */
  takenOver: number;
  /** Given another turn because they had missed theirs. */
  rescheduled: number;
}

export const NO_WORK: Readonly<WorkerCounts> = Object.freeze({
  performed: 0,
  failedAttempts: 0,
  deadLetters: 0,
  takenOver: 0,
  rescheduled: 0,
});

/** So often it may be given another turn for each attempt; then it has waited enough. */
const MOST_TURNS = 5;

/** How long a Redis that is gone may hold up the end. */
const GOODBYE_MS = 1_000;

/** Performs what is queued when its turn has come. */
export class OverflowWorker {
  readonly counts: WorkerCounts = { ...NO_WORK };
  nextTurn: NextTurn | undefined = undefined;
  readonly #settings: OverflowSettings;
  readonly #perform: Perform;
  readonly #bull: BullMq;
  readonly #client: QueueClient;
  readonly #worker: BullWorker;
  readonly #toKey: (part: string) => string;
  readonly #gate: StartGate;
  readonly #cutOff = new AbortController();
  readonly #onError: (error: unknown) => void;
  /** Fetched: waiting for their turn, or under way. */
  #inHand = 0;

  constructor(
    bull: BullMq,
    settings: OverflowSettings,
    perform: Perform,
    source: QueueClient,
    toKey: (part: string) => string,
    onError: (error: unknown) => void,
  ) {
    const { name, prefix, concurrency, takeOverMs } = settings;
    this.#settings = settings;
    this.#perform = perform;
    this.#bull = bull;
    this.#toKey = toKey;
    this.#onError = onError;
    // One for each attempt under way: no leak.
    setMaxListeners(0, this.#cutOff.signal);
    this.#gate = new StartGate(concurrency, Date.now);
    this.#client = patientCopy(source, onError);
    this.#worker = new bull.Worker(name, (job, token) => this.#process(job, token), {
      connection: this.#client,
      prefix,
      autorun: false,
      // Half of them for those that wait for the last moments until their turn.
      concurrency: 2 * concurrency,
      lockDuration: Math.ceil(takeOverMs / 2),
      stalledInterval: Math.ceil(takeOverMs / 4),
      // That a process was killed is not the fault of what it was doing.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      // After an error of the connection, which is tried anew by itself.
      runRetryDelay: 1_000,
    });
    this.#worker.on('error', onError);
    this.#worker.on('stalled', () => this.counts.takenOver++);
    this.#worker.on('failed', (job) => {
      this.counts.failedAttempts++;
      if (job?.finishedOn !== undefined) this.counts.deadLetters++;
    });
  }

  /** Nothing is taken before. */
  start(): void {
    this.#worker.run().catch(this.#onError);
  }

  /** Attempts under way. */
  get running(): number {
    return this.#gate.running;
  }

  /** Waits for attempts under way, and cuts off those that take longer: another process takes them up. */
  async close(): Promise<void> {
    const deadline = performance.now() + this.#settings.closeMs;
    await bounded(this.#worker.pause(true));
    while (this.#inHand > 0 && performance.now() < deadline) await wait(10);
    await bounded(this.#worker.close(this.#inHand > 0));
    // Not sooner: one that is cut off while the worker still listens would be counted as failed.
    this.#cutOff.abort();
    this.#gate.close();
    this.#client.disconnect();
  }

  async #process(job: BullJob, token: string | undefined): Promise<void> {
    this.#inHand++;
    try {
      const id = job.id!;
      const stored = job.data as StoredRequest;
      // Performed, and its process was killed before it could say so.
      if (job.attemptsStarted > 1 && (await this.#client.get(answerKey(this.#toKey, id))) !== null) return;
      const dueMs = await this.#turnOf(job, token, stored);
      const request = this.#restore(id, { ...stored, dueMs }, job.attemptsMade + 1);
      await this.#gate.enter(dueMs, stored.order);
      const text = await this.#performNow(request).finally(() => this.#gate.leave());
      // Before the job ends: whoever asks finds one of both.
      await this.#client.set(answerKey(this.#toKey, id), text, 'PX', this.#settings.resultTtlMs);
      this.counts.performed++;
    } finally {
      this.#inHand--;
    }
  }

  async #performNow(request: QueuedRequest): Promise<string> {
    const { keeper, attemptMs, maxResultBytes } = this.#settings;
    const options = { attemptMs, maxResultBytes, cutOff: this.#cutOff.signal };
    const answer = await attempt(this.#perform, request, options);
    try {
      return storeAnswer(keeper, request.id, answer, maxResultBytes);
    } catch (error) {
      // It has been performed. To perform it again would only give the same.
      throw new this.#bull.UnrecoverableError(messageOf(error));
    }
  }

  #restore(id: string, stored: StoredRequest, attemptNumber: number): QueuedRequest {
    try {
      return restoreRequest(this.#settings.keeper, id, stored, attemptNumber);
    } catch (error) {
      // Another attempt would read the same. It is a dead letter until the key is right.
      throw new this.#bull.UnrecoverableError(messageOf(error));
    }
  }

  /** When it may start. One that has missed its turn takes another, lest all that have waited start at once. */
  async #turnOf(job: BullJob, token: string | undefined, stored: StoredRequest): Promise<number> {
    const { turns = 0, dueMs } = stored;
    const { nextTurn } = this;
    const now = Date.now();
    if (nextTurn === undefined || turns >= MOST_TURNS * (job.attemptsMade + 1)) return dueMs;
    if (elapsedMs(dueMs, now) < this.#settings.lateMs) return dueMs;
    const turn = await ask(nextTurn, stored).catch(() => undefined);
    // Without the store there is no turn to be had, and it has waited already.
    if (turn === undefined) return dueMs;
    this.counts.rescheduled++;
    if (turn.dueMs !== undefined && elapsedMs(now, turn.dueMs) <= EARLY_MS) return turn.dueMs;
    // Without a turn it is still late when it comes again, and asks again.
    await job.updateData({ ...stored, dueMs: turn.dueMs ?? dueMs, turns: turns + 1 });
    const againMs = turn.dueMs ?? now + Math.min(turn.retryAfterMs, this.#settings.attemptMs);
    await job.moveToDelayed(againMs - EARLY_MS, token);
    throw new this.#bull.DelayedError();
  }
}

/** What throws at once rejects. */
async function ask(nextTurn: NextTurn, { rule, key, cost }: StoredRequest): ReturnType<NextTurn> {
  return await nextTurn(rule, key, cost);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function bounded(work: Promise<unknown>): Promise<void> {
  const end = new AbortController();
  const timeout = wait(GOODBYE_MS, undefined, { signal: end.signal }).catch(() => {});
  await Promise.race([work.catch(() => {}), timeout]);
  end.abort();
}
