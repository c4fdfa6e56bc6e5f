/** As long as a timer may take to come in a process that is not disturbed. */
const TICK_MS = 5;

/**
 * A clock that stands still with this process: while others have the processor, nothing that is measured by it goes on. A
 * timer that is late is taken for one that is not.
 */
export class OwnClock {
  #stoodStillMs = 0;
  #lastMs = performance.now();
  readonly #timer = setInterval(() => this.nowMs(), TICK_MS).unref();

  nowMs(): number {
    const now = performance.now();
    this.#stoodStillMs += Math.max(0, now - this.#lastMs - TICK_MS);
    this.#lastMs = now;
    return now - this.#stoodStillMs;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
