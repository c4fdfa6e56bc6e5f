import type { CheckSchedule } from './check-schedule.js';
import type { HealthActions } from './health-actions.js';
import type { HealthOptions } from './health-options.js';
import type { HealthRecord } from './health-record.js';

/**
 * What is under way by HTTP for one backend: a stream, a page, or both, and until when each is waited for. A stream is
 * preferred, since it tells of a change at once; but it is a connection, so nobody holds one who rarely calls.
 */
export class HttpCheck {
  readonly #actions: HealthActions;
  readonly #options: HealthOptions;
  readonly #record: HealthRecord;
  readonly #schedule: CheckSchedule;
  #watchDueMs = Number.POSITIVE_INFINITY;
  #pageDueMs = Number.POSITIVE_INFINITY;
  #isEstablished = false;
  /** No stream is asked for before: the last one was refused. */
  #watchAllowedMs = Number.NEGATIVE_INFINITY;

  constructor(actions: HealthActions, options: HealthOptions, record: HealthRecord, schedule: CheckSchedule) {
    this.#actions = actions;
    this.#options = options;
    this.#record = record;
    this.#schedule = schedule;
  }

  /** When a stream or page has been waited for long enough. */
  get dueMs(): number {
    return Math.min(this.#watchDueMs, this.#pageDueMs);
  }

  /** A stream is open, or about to be. */
  get isWatching(): boolean {
    return this.#watchDueMs < Number.POSITIVE_INFINITY;
  }

  /** It has said something. */
  get isEstablished(): boolean {
    return this.#isEstablished;
  }

  get isAsking(): boolean {
    return this.#pageDueMs < Number.POSITIVE_INFINITY;
  }

  /** A check that is due by this way, and when the next will be. A stream needs none. */
  check(now: number): void {
    const wasEstablished = this.#isEstablished;
    this.attempt(now);
    if (!this.isWatching) this.#schedule.atPace(now);
    else {
      this.#schedule.never();
      // It says all there is to say, but somebody wants to know now.
      if (wasEstablished) this.askPage(now);
    }
  }

  /** A page has answered: a stream is better, if there may be one. */
  settle(now: number): void {
    if (this.#wantsWatch(now)) this.#schedule.at(now);
    else this.#schedule.atPace(now);
  }

  /** Asks by a stream or a page, unless one is under way. */
  attempt(now: number): void {
    if (this.isWatching || this.isAsking) return;
    if (this.#wantsWatch(now)) this.#openWatch(now);
    if (!this.isWatching) this.askPage(now);
  }

  askPage(now: number): boolean {
    if (this.isAsking || !this.#actions.askPage()) return false;
    this.#record.sent++;
    this.#pageDueMs = now + this.#options.httpTimeoutMs;
    return true;
  }

  /** A line came; whether it was the first. */
  onLine(now: number): boolean {
    const isFirst = !this.#isEstablished;
    this.#isEstablished = true;
    this.#watchDueMs = now + this.#options.watchSilenceMs;
    return isFirst;
  }

  onWatchEnd(isRefused: boolean, now: number): void {
    this.#watchDueMs = Number.POSITIVE_INFINITY;
    this.#isEstablished = false;
    if (isRefused) this.#refuseWatch(now);
  }

  onPage(): void {
    this.#pageDueMs = Number.POSITIVE_INFINITY;
  }

  /** Whether a stream has been waited for too long; it is closed then. */
  expireWatch(now: number): boolean {
    if (now < this.#watchDueMs) return false;
    this.#actions.closeWatch();
    return true;
  }

  /** The same for a page. */
  expirePage(now: number): boolean {
    if (now < this.#pageDueMs) return false;
    this.#actions.cancelPage();
    return true;
  }

  stopWatching(): void {
    if (this.isWatching) this.#actions.closeWatch();
    this.#watchDueMs = Number.POSITIVE_INFINITY;
    this.#isEstablished = false;
  }

  stop(): void {
    this.stopWatching();
    if (this.isAsking) this.#actions.cancelPage();
    this.#pageDueMs = Number.POSITIVE_INFINITY;
  }

  #wantsWatch(now: number): boolean {
    if (this.#options.path !== undefined) return false;
    return this.#schedule.pace !== 'inactive' && now >= this.#watchAllowedMs;
  }

  #openWatch(now: number): void {
    if (!this.#actions.openWatch()) {
      this.#refuseWatch(now);
      return;
    }
    this.#record.sent++;
    this.#watchDueMs = now + this.#options.httpTimeoutMs;
  }

  #refuseWatch(now: number): void {
    this.#watchAllowedMs = now + this.#options.retryWayMs;
  }
}
