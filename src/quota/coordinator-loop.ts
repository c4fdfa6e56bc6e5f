import {
  elapsedMs,
  QuotaCoordinator,
  type QuotaCoordinatorOptions,
  type QuotaCoordinatorSnapshot,
  type QuotaLimits,
} from '../core/index.js';
import type { RedisQuotaExchange } from '../stores/redis/quota-exchange.js';
import { LevelsEncoder } from '../wire/index.js';
import { DROP_MS, ReportBook } from './report-book.js';

/** Pages of one look: more backends than anybody may have. */
const MOST_PAGES = 200;

/** What a coordinator has done since the start. */
export interface CoordinatorCounts {
  /** Levels that were published. */
  published: number;
  /** Levels that did not hold: a later coordinator has spoken. */
  fenced: number;
  /** Looks that Redis did not answer. */
  failed: number;
  /** Reports that cannot be read. */
  unreadable: number;
}

export interface CoordinatorLoopParts {
  readonly exchange: RedisQuotaExchange;
  /** Of the term that this process is in at this instant. undefined: it is not coordinator. */
  readonly token: () => number | undefined;
  /** The next term must have a greater token than this. */
  readonly onToken: (token: number) => void;
  readonly everyMs: number;
  readonly options: Partial<QuotaCoordinatorOptions>;
}

/** Turns reports into levels, while it is this process' turn to do so. */
export class CoordinatorLoop {
  readonly counts: CoordinatorCounts = { published: 0, fenced: 0, failed: 0, unreadable: 0 };
  readonly #parts: CoordinatorLoopParts;
  #limits: QuotaLimits;
  #term: Term | undefined = undefined;
  #timer: NodeJS.Timeout | undefined = undefined;
  #isRunning = false;
  #isClosed = false;

  constructor(parts: CoordinatorLoopParts, limits: QuotaLimits) {
    this.#parts = parts;
    this.#limits = limits;
  }

  setLimits(limits: QuotaLimits): void {
    this.#limits = limits;
    this.#term?.coordinator.setLimits(limits);
  }

  /** A term may have begun, or ended. */
  wake(): void {
    if (this.#isRunning || this.#isClosed) return;
    clearTimeout(this.#timer);
    void this.#run();
  }

  /** undefined: it is not coordinator, or has not heard of any backend yet. */
  snapshot(): QuotaCoordinatorSnapshot | undefined {
    return this.#term?.token === this.#parts.token() ? this.#term?.snapshot(performance.now()) : undefined;
  }

  close(): void {
    this.#isClosed = true;
    this.#term = undefined;
    clearTimeout(this.#timer);
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    const beganMs = performance.now();
    try {
      await this.#look();
    } catch {
      // What was read stays read; the rest is there at the next look.
      this.counts.failed++;
    }
    this.#isRunning = false;
    if (this.#isClosed || this.#term === undefined) return;
    const restMs = this.#parts.everyMs - elapsedMs(beganMs, performance.now());
    this.#timer = setTimeout(() => void this.#run(), Math.max(0, restMs)).unref();
  }

  async #look(): Promise<void> {
    const { exchange, options } = this.#parts;
    const token = this.#parts.token();
    if (token !== this.#term?.token) {
      // What the one before knew is old by now.
      this.#term =
        token === undefined ? undefined : new Term(token, new QuotaCoordinator(this.#limits, options));
    }
    const term = this.#term;
    if (term === undefined) return;
    const unreadable = term.book.unreadable;
    try {
      await term.read(exchange, this.#parts.onToken);
    } finally {
      this.counts.unreadable += term.book.unreadable - unreadable;
    }
    const levels = term.coordinator.divide(performance.now());
    // It may have stood still since.
    if (levels === undefined || this.#parts.token() !== token) return;
    const { whole, pushed } = term.encoder.encode(levels);
    const holds = await exchange.publish({ ...levels, bytes: whole, pushed });
    if (holds) term.encoder.said();
    this.counts[holds ? 'published' : 'fenced']++;
  }
}

/** One term: it begins with nothing but what is in Redis. */
class Term {
  readonly token: number;
  readonly coordinator: QuotaCoordinator;
  readonly book: ReportBook;
  readonly encoder = new LevelsEncoder();
  #since = '0';
  #hasBegun = false;

  constructor(token: number, coordinator: QuotaCoordinator) {
    this.token = token;
    this.coordinator = coordinator;
    this.book = new ReportBook(coordinator);
  }

  async read(exchange: RedisQuotaExchange, onToken: (token: number) => void): Promise<void> {
    for (let page = 0; page < MOST_PAGES; page++) {
      const { since, hasMore, rows, published } = await exchange.read(this.#since, DROP_MS);
      const now = performance.now();
      if (published !== undefined) this.#compare(published.token, onToken);
      // Learning begins when there is something to learn from.
      if (!this.#hasBegun) this.coordinator.begin(this.token, published?.backends ?? 0, now);
      this.#hasBegun = true;
      this.#since = since;
      this.book.read(rows, now);
      const { wanted } = this.book;
      if (wanted.length > 0) this.book.learn(await exchange.names(wanted), performance.now());
      if (!hasMore) break;
    }
    this.book.forgetSilent(performance.now());
  }

  /** Tokens that were counted once: Redis has lost count, and would not listen to us. */
  #compare(published: number, onToken: (token: number) => void): void {
    if (published > this.token) onToken(published);
    // Our own number, and we have said nothing yet.
    else if (published === this.token && !this.#hasBegun) onToken(published + 1);
  }

  snapshot(now: number): QuotaCoordinatorSnapshot | undefined {
    return this.#hasBegun ? this.coordinator.snapshot(now) : undefined;
  }
}
