import { type Environment, isExpired, remainingMs } from '../../core/index.js';

/** Timers longer than this end at once (Node). */
const LONGEST_TIMER_MS = 2_147_483_647;

/** Says when a deadline has passed: not a fraction of a millisecond before, as timers may, and also after a month. */
export class DeadlineTimer {
  readonly #deadlineMs: number;
  readonly #environment: Environment;
  readonly #onPassed: () => void;
  #timer: NodeJS.Timeout;

  constructor(deadlineMs: number, environment: Environment, onPassed: () => void) {
    this.#deadlineMs = deadlineMs;
    this.#environment = environment;
    this.#onPassed = onPassed;
    this.#timer = this.#set(environment.monotonicMs());
  }

  clear(): void {
    clearTimeout(this.#timer);
  }

  #set(now: number): NodeJS.Timeout {
    const afterMs = Math.ceil(remainingMs(this.#deadlineMs, now));
    return setTimeout(() => this.#look(), Math.min(Math.max(1, afterMs), LONGEST_TIMER_MS));
  }

  #look(): void {
    const now = this.#environment.monotonicMs();
    if (isExpired(this.#deadlineMs, now)) this.#onPassed();
    else this.#timer = this.#set(now);
  }
}
