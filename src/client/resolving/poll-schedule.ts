import { elapsedMs, type Random } from '../../core/index.js';
import { Backoff } from './backoff.js';

export interface PollScheduleOptions {
  /** After a good answer, it looks again no sooner than this … */
  readonly minMs: number;
  /** … and no later. */
  readonly maxMs: number;
  /** After the first failure; twice as long after each further one … */
  readonly retryMinMs: number;
  /** … up to this. */
  readonly retryMaxMs: number;
  /** From one look to one that is asked for, at least. */
  readonly refreshGapMs: number;
}

/** When to look again: after an answer, after a failure, and when asked to. One look at a time. */
export class PollSchedule {
  readonly #options: PollScheduleOptions;
  readonly #random: Random;
  readonly #backoff: Backoff;
  #lastBeginMs = Number.NEGATIVE_INFINITY;
  #dueMs = Number.NEGATIVE_INFINITY;
  #isLooking = false;
  #isWanted = false;

  constructor(options: PollScheduleOptions, random: Random) {
    this.#options = options;
    this.#random = random;
    this.#backoff = new Backoff(options.retryMinMs, options.retryMaxMs, random);
  }

  /** How long until the next look; undefined while one is under way. */
  waitMs(now: number): number | undefined {
    return this.#isLooking ? undefined : elapsedMs(now, this.#dueMs);
  }

  begin(now: number): void {
    this.#isLooking = true;
    this.#isWanted = false;
    this.#lastBeginMs = now;
  }

  /** It holds for so long, as whoever answered says. */
  succeeded(now: number, validMs: number): void {
    this.#backoff.reset();
    const { minMs, maxMs } = this.#options;
    const holdsMs = Math.min(maxMs, Math.max(minMs, validMs));
    // Up to a tenth later, never earlier: before its time is over, a cache in between gives the same answer again.
    this.#end(now + holdsMs * (1 + 0.1 * this.#random()));
  }

  failed(now: number): void {
    this.#end(now + this.#backoff.next());
  }

  /** At once, unless it has just looked; while it looks, once more after that, since what is wrong came to light since. */
  refresh(now: number): void {
    if (this.#isLooking) this.#isWanted = true;
    else this.#dueMs = Math.min(this.#dueMs, Math.max(now, this.#earliestMs));
  }

  get #earliestMs(): number {
    return this.#lastBeginMs + this.#options.refreshGapMs;
  }

  #end(dueMs: number): void {
    this.#isLooking = false;
    this.#dueMs = this.#isWanted ? Math.min(dueMs, this.#earliestMs) : dueMs;
  }
}
