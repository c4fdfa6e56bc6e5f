import { checkPositive } from '../check.js';
import { elapsedMs } from '../elapsed.js';

/** How fast a level that is gone is forgotten. */
export interface DecayingLevelOptions {
  /** After this time at a new level, 63 % of the way to it is gone. */
  readonly decayMs: number;
}

/**
 * Smooths a level that holds between events (runnable work, requests in flight), as the Unix load average does. It is
 * the SRE book's executor load average (ch. 21, "Utilization Signals"): a burst that is short against decayMs hardly
 * shows, one that lasts shows in full.
 *
 * A level counts by how long it held and not by how often it was set: a queue that was 100 long for a millisecond and 0
 * for the rest of the second was empty, even though half of the readings say 100.
 *
 * It begins at 0, as a process begins with nothing to do.
 */
export class DecayingLevel {
  readonly #decayMs: number;
  #level = 0;
  #smoothed = 0;
  #at = Number.NEGATIVE_INFINITY;

  constructor(options: DecayingLevelOptions) {
    this.#decayMs = checkPositive('decayMs', options.decayMs);
  }

  /** From now on the level is this. It is finite. */
  set(now: number, level: number): void {
    this.#smoothed = this.value(now);
    this.#level = level;
    if (now > this.#at) this.#at = now;
  }

  value(now: number): number {
    const kept = Math.exp(-elapsedMs(this.#at, now) / this.#decayMs);
    return this.#level + (this.#smoothed - this.#level) * kept;
  }
}
