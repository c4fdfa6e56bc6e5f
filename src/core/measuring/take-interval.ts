import { elapsedMs } from '../elapsed.js';

/**
 * After this time an interval weighs 1/e. Requests that become ten times slower are seen as such after a second, those
 * that become faster after a quarter of one; and the mean is one of 50 takes at 5 ms each, right within 10 % even if
 * service times are exponential (n takes weighted like this are as good as 2n equal ones: 1/√100).
 */
const DECAY_MS = 250;

/** Less than this part of one fresh interval is nothing: a history is forgotten after some 20 decay times, 5 s. */
const NEGLIGIBLE = 1e-9;

/**
 * Mean time between two requests being taken from a queue while more wait: what each request ahead costs the ones
 * behind it. It needs no knowledge of how many run at once or what they wait for.
 *
 * Only stretches count in which something waited all the time. Between other takes the server was waiting for work, and
 * that time says nothing about how fast it could go.
 */
export class TakeInterval {
  #mean = 0;
  #weight = 0;
  #lastTakeMs = Number.NEGATIVE_INFINITY;
  /** Before the first take nothing is known, however long something waits: the server may not have started. */
  #hasTaken = false;
  /** Has something waited ever since the last take? */
  #isBusy = false;
  /** Since when something has been waiting; Infinity when nothing does. */
  #waitingSinceMs = Number.POSITIVE_INFINITY;

  onTake(now: number, isMoreWaiting: boolean): void {
    this.#hasTaken = true;
    const interval = elapsedMs(this.#lastTakeMs, now);
    this.#weight = this.#keptAfter(interval);
    if (this.#weight < NEGLIGIBLE) this.#mean = this.#weight = 0;
    // Moved by a share of the difference rather than kept as two sums: equal intervals average to exactly themselves.
    if (this.#isBusy) this.#mean += (interval - this.#mean) / ++this.#weight;
    if (now > this.#lastTakeMs) this.#lastTakeMs = now;
    this.#isBusy = isMoreWaiting;
  }

  /** Something waits where nothing did. */
  onWaiting(now: number): void {
    this.#waitingSinceMs = now;
  }

  onEmpty(): void {
    this.#isBusy = false;
    this.#waitingSinceMs = Number.POSITIVE_INFINITY;
  }

  /** Undefined when nothing is known, or when it was so long ago that it is forgotten. */
  meanMs(now: number): number | undefined {
    const weight = this.weight(now);
    // So the mean grows while a server hangs, instead of being forgotten then of all times, and a flood is bounded from the
    // first take on.
    const underWay = this.underWayMs(now);
    if (this.#hasTaken && underWay > this.#mean) return (this.#mean * weight + underWay) / (weight + 1);
    return weight < NEGLIGIBLE ? undefined : this.#mean;
  }

  /** The interval that is under way is at least as long as something has been waiting in it. */
  underWayMs(now: number): number {
    return elapsedMs(this.#isBusy ? this.#lastTakeMs : Math.max(this.#lastTakeMs, this.#waitingSinceMs), now);
  }

  /** How many takes of this moment those are worth that the mean is of. */
  weight(now: number): number {
    return this.#keptAfter(elapsedMs(this.#lastTakeMs, now));
  }

  #keptAfter(interval: number): number {
    return this.#weight === 0 ? 0 : this.#weight * Math.exp(-interval / DECAY_MS);
  }
}
