import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { elapsedMs } from '../../core/elapsed.js';
import type { BoundedCalls } from './bounded-calls.js';
import type { BullQueue } from './load-bullmq.js';
import { acceptedAnswer, fullAnswer, type OverflowAnswer, tooLargeAnswer } from './overflow-answers.js';
import type { OverflowSettings } from './overflow-options.js';
import { askAll, type QueueClient } from './queue-client.js';
import { type OverflowingRequest, storeRequest } from './queued-request.js';
import { EARLY_MS } from './start-gate.js';
import { WaitingCount } from './waiting-count.js';

/** Lines and headers; Node takes 16 kB of them. */
const MOST_HEAD_BYTES = 32_768;

/** Of requests that were refused, but may have been kept after all. */
const MOST_DOUBTFUL = 1_000;

/** Puts requests into Redis, and says 202 of those only that Redis has said it keeps. */
export class OverflowIntake {
  readonly #settings: OverflowSettings;
  readonly #client: QueueClient;
  readonly #queue: BullQueue;
  readonly #calls: BoundedCalls;
  readonly #waiting: WaitingCount;
  readonly #onError: (error: unknown) => void;
  readonly #doubtful = new Set<string>();
  #order = 0;

  constructor(
    settings: OverflowSettings,
    client: QueueClient,
    queue: BullQueue,
    calls: BoundedCalls,
    onError: (error: unknown) => void,
  ) {
    this.#settings = settings;
    this.#client = client;
    this.#queue = queue;
    this.#calls = calls;
    this.#onError = onError;
    this.#waiting = new WaitingCount(
      () => this.#countWaiting(),
      () => performance.now(),
    );
  }

  /** How many waited when it was last counted, and those accepted here since. */
  get waiting(): number {
    return this.#waiting.known;
  }

  /** Counts them anew, if that was a while ago. Rejects when Redis does not answer. */
  recount(): Promise<void> {
    return this.#waiting.refresh();
  }

  /** Rejects when Redis has not said that it keeps it. */
  async accept(request: OverflowingRequest): Promise<OverflowAnswer> {
    const { maxBodyBytes, maxQueued, statusPath } = this.#settings;
    const isTooLarge = request.body.byteLength > maxBodyBytes || headBytes(request) > MOST_HEAD_BYTES;
    if (isTooLarge) return tooLargeAnswer();
    if (!(await this.#waiting.isBelow(maxQueued))) return fullAnswer();
    const id = randomBytes(16).toString('base64url');
    const dueMs = Math.ceil(request.dueMs);
    await this.#add(id, { ...request, dueMs });
    this.#waiting.added();
    return acceptedAnswer(statusPath, id, elapsedMs(request.nowMs, dueMs));
  }

  /** There is a connection (again): what was in doubt can be taken back. */
  onReady(): void {
    for (const id of this.#doubtful) this.#takeBack(id);
  }

  async #add(id: string, request: OverflowingRequest): Promise<void> {
    const stored = storeRequest(this.#settings.keeper, id, request, this.#order++);
    let isSent = false;
    const add = (): Promise<unknown> => {
      isSent = true;
      return this.#queue.add('request', stored, this.#jobOptions(id, request.dueMs));
    };
    try {
      await this.#calls.call(add, () => this.#takeBack(id));
    } catch (error) {
      // Whether Redis has it cannot be known before it can be asked.
      if (isSent && this.#doubtful.size < MOST_DOUBTFUL) this.#doubtful.add(id);
      throw error;
    }
  }

  /**
   * Due by the instant that the store has said, by its clock, so that the order is that of the turns, whichever process
   * adds a job first and whatever its own clock says. BullMQ adds both numbers; without a delay it would not look at the
   * time.
   */
  #jobOptions(jobId: string, dueMs: number): object {
    const { attempts, backoffMs, maxDeadLetters, deadLetterTtlMs } = this.#settings;
    return {
      jobId,
      timestamp: dueMs - EARLY_MS - 1,
      delay: 1,
      attempts,
      backoff: { type: 'exponential', delay: backoffMs, jitter: 0.5 },
      // Its answer is kept elsewhere, with a time to live; the request is not needed any more.
      removeOnComplete: true,
      removeOnFail: { count: maxDeadLetters, age: Math.ceil(deadLetterTtlMs / 1_000) },
      // They would show what the code looks like, to no use.
      stackTraceLimit: 0,
    };
  }

  /** It was refused, and must not be performed if that can be helped. */
  #takeBack(id: string): void {
    this.#doubtful.delete(id);
    this.#queue.remove(id).catch(this.#onError);
  }

  async #countWaiting(): Promise<number> {
    const toKey = (part: string): string => this.#queue.toKey(part);
    const counts = await this.#calls.call(() =>
      askAll(this.#client, [
        ['zcard', toKey('delayed')],
        ['llen', toKey('wait')],
      ]),
    );
    return counts.reduce<number>((sum, count) => sum + Number(count), 0);
  }
}

function headBytes({ method, url, headers, facts = {}, rule, key }: OverflowingRequest): number {
  const texts = [method, url, rule, key, ...headers, ...Object.entries(facts).flat()];
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}
