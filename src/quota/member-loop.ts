import type { QuotaMember, Random } from '../core/index.js';
import type { RedisQuotaExchange, ReportSent } from '../stores/redis/quota-exchange.js';
import type { RedisSubscriber } from '../stores/redis/redis-subscriber.js';
import { type LevelAges, type ReportCounts, ReportTurns } from './report-turns.js';

/** Those that began together drift apart, and come evenly on average. */
const JITTER = 0.2;

export interface MemberLoopParts {
  readonly member: QuotaMember;
  readonly backend: string;
  readonly everyMs: number;
  readonly ages: LevelAges;
  readonly random: Random;
  /** After each turn and whatever was heard. */
  readonly onTurn: () => void;
}

/** Reports again and again, and hears what comes back. Nobody waits for it. */
export class MemberLoop {
  readonly #parts: MemberLoopParts;
  readonly #turns: ReportTurns;
  #exchange: RedisQuotaExchange | undefined = undefined;
  #subscriber: RedisSubscriber | undefined = undefined;
  #timer: NodeJS.Timeout | undefined = undefined;
  #isClosed = false;

  constructor(parts: MemberLoopParts) {
    this.#parts = parts;
    this.#turns = new ReportTurns(parts.member, parts.backend, parts.ages);
  }

  get counts(): Readonly<ReportCounts> {
    return this.#turns.counts;
  }

  start(exchange: RedisQuotaExchange, subscriber: RedisSubscriber): void {
    this.#exchange = exchange;
    this.#subscriber = subscriber;
    const { everyMs, random } = this.#parts;
    // Backends of one deployment start at the same instant.
    this.#timer = setTimeout(() => this.#turn(), everyMs * random()).unref();
  }

  /** Levels came by themselves. */
  hear(bytes: Uint8Array): void {
    if (this.#isClosed) return;
    this.#turns.pushed(bytes, performance.now());
    this.#parts.onTurn();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#subscriber?.close();
  }

  #turn(): void {
    const { everyMs, random, onTurn } = this.#parts;
    this.#timer = setTimeout(() => this.#turn(), everyMs * (1 - JITTER / 2 + JITTER * random())).unref();
    const report = this.#turns.next(performance.now());
    if (report !== undefined) void this.#send(report);
    if (this.#turns.isDeaf()) this.#subscriber?.reconnect();
    onTurn();
  }

  async #send(report: ReportSent): Promise<void> {
    try {
      const answer = await this.#exchange!.report(report);
      if (this.#isClosed) return;
      this.#turns.answered(answer, performance.now());
      this.#parts.onTurn();
    } catch {
      this.#turns.failed();
    }
  }
}
