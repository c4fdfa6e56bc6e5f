import type { IncomingMessage, ServerResponse } from 'node:http';
import { checkInteger } from '../../core/check.js';
import { BoundedCalls, queueUnavailable } from './bounded-calls.js';
import { type DeadLetter, deadLettersOf } from './dead-letter.js';
import { type BullMq, type BullQueue, loadBullMq } from './load-bullmq.js';
import { type OverflowAnswer, unavailableAnswer } from './overflow-answers.js';
import { OverflowIntake } from './overflow-intake.js';
import {
  checkOverflowOptions,
  hasHashTag,
  type OverflowQueueOptions,
  type OverflowSettings,
} from './overflow-options.js';
import { type NextTurn, NO_WORK, OverflowWorker, type WorkerCounts } from './overflow-worker.js';
import { askAll, connectQueueClient, type QueueClient } from './queue-client.js';
import { type QueueStatus, readStatus, statusCommands } from './queue-status.js';
import type { OverflowingRequest } from './queued-request.js';
import { StatusPage, writeAnswer } from './status-page.js';

/** BullMQ tells of all it does in a stream that nobody here reads. */
const EVENTS_KEPT = 100;

/** What waits, and what became of the rest. */
export interface OverflowSnapshot extends Readonly<WorkerCounts> {
  readonly isReady: boolean;
  readonly accepted: number;
  /** Full, too large, or Redis did not say that it is kept. */
  readonly refused: number;
  /** How many waited when it was last counted, and those accepted here since. */
  readonly waiting: number;
  /** Attempts under way here. */
  readonly running: number;
  /** Undefined again when there is a new connection, or something was accepted. */
  readonly lastError: string | undefined;
}

/**
 * Requests over a limit, kept in Redis until their turn. What got a 202 is performed at least once, however often
 * processes are killed; what Redis itself loses in a crash depends on its append-only file (`appendonly yes` with
 * `appendfsync always` loses nothing, with `everysec` up to a second). Whoever knows the id of a request may read its
 * answer.
 */
export class OverflowQueue {
  readonly #settings: OverflowSettings;
  readonly #client: QueueClient;
  readonly #queue: BullQueue;
  /** Apart from those of the intake: who asks must not keep others from being accepted. */
  readonly #questions: BoundedCalls;
  readonly #page: StatusPage;
  readonly #intake: OverflowIntake;
  readonly #worker: OverflowWorker | undefined;
  readonly #toKey: (part: string) => string;
  #accepted = 0;
  #refused = 0;
  #lastError: string | undefined = undefined;
  #closing: Promise<void> | undefined = undefined;

  constructor(bull: BullMq, client: QueueClient, settings: OverflowSettings) {
    const { name, prefix, perform, timeoutMs } = settings;
    const note = (error: unknown): void => this.#note(error);
    this.#settings = settings;
    this.#client = client;
    // It must never wait for a connection: what it added then had been refused long ago.
    const unasked = { skipVersionCheck: true, skipWaitingForReady: true, skipMetasUpdate: true };
    this.#queue = new bull.Queue(name, { connection: client, prefix, ...unasked });
    this.#queue.on('error', note);
    this.#toKey = (part) => this.#queue.toKey(part);
    const bounded = (): BoundedCalls => new BoundedCalls(client, timeoutMs, () => performance.now());
    this.#questions = bounded();
    this.#page = new StatusPage(this, settings.statusPath);
    this.#intake = new OverflowIntake(settings, client, this.#queue, bounded(), note);
    client.on('error', note);
    client.on('ready', () => this.#onReady());
    if (client.status === 'ready') this.#onReady();
    this.#worker =
      perform === undefined
        ? undefined
        : new OverflowWorker(bull, settings, perform, client, this.#toKey, note);
  }

  /** Performs what waits, from now on. Once; `createOverflowQueue` has done so. */
  start(): void {
    this.#worker?.start();
  }

  /** What to answer: 202 when Redis has said that it is kept, and never otherwise. Never rejects. */
  async accept(request: OverflowingRequest): Promise<OverflowAnswer> {
    const answer = await this.#open()
      .then(() => this.#intake.accept(request))
      .catch((error) => {
        this.#note(error);
        return unavailableAnswer();
      });
    if (answer.status === 202) {
      this.#accepted++;
      this.#lastError = undefined;
    } else this.#refused++;
    return answer;
  }

  /** Rejects when Redis does not answer, as do the next ones. */
  async status(id: string): Promise<QueueStatus> {
    if (!isId(id)) return { status: 'unknown' };
    const replies = await this.#ask(() => askAll(this.#client, statusCommands(this.#toKey, id)));
    return readStatus(this.#settings.keeper, id, replies, Date.now());
  }

  /** Counts those that wait for `snapshot`, unless that was done within the last second. Rejects when Redis does not answer. */
  async recount(): Promise<void> {
    await this.#open();
    await this.#intake.recount();
  }

  /** Takes back one that is not running yet. */
  async cancel(id: string): Promise<boolean> {
    const { status } = await this.status(id);
    return status === 'waiting' && (await this.#ask(() => this.#queue.remove(id))) === 1;
  }

  /** Requests that have no attempt left, the last ones first. */
  async deadLetters({ limit = 100 }: { readonly limit?: number } = {}): Promise<readonly DeadLetter[]> {
    const last = checkInteger('limit', limit, 1, 1_000) - 1;
    const jobs = await this.#ask(() => this.#queue.getFailed(0, last));
    return deadLettersOf(jobs);
  }

  /** Gives a dead letter all of its attempts anew. False: there is none of that id. */
  async retry(id: string): Promise<boolean> {
    if ((await this.status(id)).status !== 'failed') return false;
    const job = await this.#ask(() => this.#queue.getJob(id));
    await this.#ask(async () => job?.retry('failed', { resetAttemptsMade: true }));
    return job !== undefined;
  }

  /** What to answer to a request for `<statusPath>/<id>`; undefined for all others. Never rejects. */
  answerStatus(method: string, url: string): Promise<OverflowAnswer | undefined> {
    return this.#page.answer(method, url);
  }

  /** The same for `node:http`: false when it was not for us, and has not been answered. */
  async handleStatus(req: IncomingMessage, res: ServerResponse): Promise<boolean> {
    const answer = await this.answerStatus(req.method ?? 'GET', req.url ?? '/');
    if (answer !== undefined) writeAnswer(req, res, answer);
    return answer !== undefined;
  }

  /** Whom a request asks for another turn that has missed its own, because no process was there: so the rate holds. */
  paceBy(nextTurn: NextTurn): void {
    if (this.#worker !== undefined) this.#worker.nextTurn = nextTurn;
  }

  /** How long a body may be: for whoever reads it. */
  get maxBodyBytes(): number {
    return this.#settings.maxBodyBytes;
  }

  /** `waiting` is at most a second old for whoever asks each second, and for others as old as the last time that they asked. */
  snapshot(): OverflowSnapshot {
    // Whether Redis is there is told by those who need it.
    this.recount().catch(() => {});
    return {
      isReady: this.#client.status === 'ready',
      accepted: this.#accepted,
      refused: this.#refused,
      waiting: this.#intake.waiting,
      running: this.#worker?.running ?? 0,
      ...(this.#worker?.counts ?? NO_WORK),
      lastError: this.#lastError,
    };
  }

  /** Waits for attempts under way up to `closeMs`. What waits in Redis is performed by others, or after a restart. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#worker?.close();
    await this.#queue.close().catch((error) => this.#note(error));
    this.#client.disconnect();
  }

  async #ask<T>(work: () => Promise<T>): Promise<T> {
    await this.#open();
    return await this.#questions.call(work);
  }

  async #open(): Promise<void> {
    if (this.#closing !== undefined) throw queueUnavailable('it is closed');
  }

  #onReady(): void {
    // Whatever it was, it was of the connection before.
    this.#lastError = undefined;
    const meta = this.#client.hset(this.#toKey('meta'), 'opts.maxLenEvents', EVENTS_KEPT);
    meta.catch((error) => this.#note(error));
    this.#intake.onReady();
  }

  #note(error: unknown): void {
    this.#lastError = error instanceof Error ? error.message : String(error);
  }
}

/** As they are made here: 128 bits in base64url. */
function isId(text: unknown): text is string {
  return typeof text === 'string' && /^[\w-]{22}$/.test(text);
}

/**
 * A queue for what is over a limit. It is there at once; as long as Redis is not, requests are refused. It also performs
 * them when it is told how.
 */
export async function createOverflowQueue(options: OverflowQueueOptions): Promise<OverflowQueue> {
  const queue = await openOverflowQueue(options);
  queue.start();
  return queue;
}

/** The same, which performs nothing before it is started: for whoever cannot perform yet. */
export async function openOverflowQueue(options: OverflowQueueOptions): Promise<OverflowQueue> {
  const settings = checkOverflowOptions(options);
  const bull = await loadBullMq();
  const client = await connectQueueClient(settings);
  if (client.isCluster && !hasHashTag(settings.prefix)) {
    client.disconnect();
    throw new RangeError(
      `prefix must have a part in braces in a Cluster, got ${JSON.stringify(settings.prefix)}`,
    );
  }
  return new OverflowQueue(bull, client, settings);
}
