import type { IncomingMessage, ServerResponse } from 'node:http';
import { elapsedMs } from '../../core/elapsed.js';
import { onResponseClose } from '../../server/intake/connection-close.js';
import type { GatewayEvent } from '../gateway-events.js';
import { type AdminAnswer, ALWAYS, problem } from './answers.js';
import { EventLog } from './event-log.js';
import { SSE_BEGIN, SSE_HEARTBEAT, sseMessage } from './sse.js';

/**
 * Dashboards of a team, of a wall or two, and of everybody who comes to look when something is wrong. Each costs the
 * writing of one message a second, which is made once for all of them, and shares its bytes with them.
 */
export const MOST_READERS = 128;
/** A snapshot has some 10 to 100 KB: who is so far behind has not read for ten seconds or more. */
const MOST_UNSENT_BYTES = 1_048_576;
const SNAPSHOT_EVERY_MS = 1_000;
/** A hundredth of the time goes into snapshots, however large they are: what takes 20 ms to make comes every 2 s … */
const PAUSES = 100;
/** … and nothing comes less often than this, or it would not be live. */
const MOST_PAUSE_MS = 5_000;
/** A timer that comes a little early must not miss its turn. */
const TIMER_SLACK_MS = 50;
/** Proxies cut what is quiet for 30 to 60 s. */
const HEARTBEAT_EVERY = 15;

export interface EventSource {
  snapshot(): Promise<object>;
  onEvent(listener: (event: GatewayEvent) => void): () => void;
}

interface Reader {
  readonly res: ServerResponse;
  readonly wantsSnapshots: boolean;
}

/** All who read events. What they are told is written once for all of them, and only while there are any. */
export class EventReaders {
  readonly #source: EventSource;
  readonly #now: () => number;
  readonly #log: EventLog;
  readonly #readers = new Set<Reader>();
  readonly #stopEvents: () => void;
  #timer: NodeJS.Timeout | undefined = undefined;
  #isBusy = false;
  #ticks = 0;
  /** The last snapshot as JSON. */
  #data = '';
  #dataMs = Number.NEGATIVE_INFINITY;
  #nextMs = 0;
  /** What the last one took of this process. */
  #workMs = 0;
  #renewing: Promise<boolean> | undefined = undefined;
  /** Readers that were too slow, so far. */
  cut = 0;

  constructor(source: EventSource, now: () => number = () => performance.now()) {
    this.#source = source;
    this.#now = now;
    this.#log = new EventLog(Date.now().toString(36));
    this.#stopEvents = source.onEvent((event) => this.#tell(this.#log.add(event, Date.now())));
  }

  get size(): number {
    return this.#readers.size;
  }

  /** Undefined when this one reads now; else what to answer. */
  add(req: IncomingMessage, res: ServerResponse, wantsSnapshots: boolean): AdminAnswer | undefined {
    if (this.#readers.size >= MOST_READERS)
      return problem(503, `${MOST_READERS} readers are here already`, { 'retry-after': '10' });
    const { 'last-event-id': last } = req.headers;
    res.writeHead(200, { ...ALWAYS, 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
    const reader = { res, wantsSnapshots };
    this.#readers.add(reader);
    // It comes last, whatever went wrong before.
    onResponseClose(res, () => this.#remove(reader));
    res.on('error', () => {});
    res.write([SSE_BEGIN, ...this.#log.since(typeof last === 'string' ? last : undefined)].join(''));
    this.#timer ??= setInterval(() => void this.#tick(), SNAPSHOT_EVERY_MS).unref();
    // Nobody likes to look at nothing for a second.
    if (wantsSnapshots) void this.#greet(reader);
    return undefined;
  }

  close(): void {
    this.#stopEvents();
    for (const { res } of this.#readers) res.end();
  }

  #remove(reader: Reader): void {
    this.#readers.delete(reader);
    if (this.#readers.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #tick(): Promise<void> {
    this.#ticks++;
    if (this.#ticks % HEARTBEAT_EVERY === 0) this.#tell(SSE_HEARTBEAT);
    // One at a time: a slow one must not be what makes the next one slower.
    if (this.#isBusy || this.#now() < this.#nextMs) return;
    this.#isBusy = true;
    const begun = this.#now();
    if (await this.#renew()) this.#show([...this.#readers].filter(({ wantsSnapshots }) => wantsSnapshots));
    this.#nextMs = begun + Math.min(this.#workMs * PAUSES, MOST_PAUSE_MS) - TIMER_SLACK_MS;
    this.#isBusy = false;
  }

  /** With what the others have seen last, if that is not old: many may come at once. */
  async #greet(reader: Reader): Promise<void> {
    const isFresh = elapsedMs(this.#dataMs, this.#now()) < SNAPSHOT_EVERY_MS;
    if (isFresh || (await this.#renew())) this.#show([reader]);
  }

  /** Whoever comes while one is made gets that. */
  #renew(): Promise<boolean> {
    this.#renewing ??= this.#make().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  /** Never rejects; false: there is none. */
  async #make(): Promise<boolean> {
    try {
      const begun = this.#now();
      const asked = this.#source.snapshot();
      // Others may be asked for it: what they take is not taken here.
      this.#workMs = elapsedMs(begun, this.#now());
      const snapshot = await asked;
      const answered = this.#now();
      this.#data = JSON.stringify(snapshot);
      this.#dataMs = answered;
      this.#workMs += elapsedMs(answered, this.#now());
      return true;
    } catch {
      // It shows by what does not come; `/snapshot` says why.
      return false;
    }
  }

  /** Encoded once, and shared by all who have not sent it yet. */
  #show(readers: readonly Reader[]): void {
    const begun = this.#now();
    const message = Buffer.from(sseMessage('snapshot', this.#log.lastId, this.#data));
    for (const reader of readers) this.#write(reader, message);
    this.#workMs += elapsedMs(begun, this.#now());
  }

  #tell(message: string): void {
    for (const reader of this.#readers) this.#write(reader, message);
  }

  /** What waits for a reader is bounded by this and one message. */
  #write({ res }: Reader, message: string | Buffer): void {
    if (res.destroyed || res.writableEnded) return;
    if (res.writableLength > MOST_UNSENT_BYTES) {
      this.cut++;
      res.destroy();
    } else res.write(message);
  }
}
