import { checkPositive } from '../check.js';
import type { BatchPlace } from './job-lane.js';

/** The longest wait is cut into so many slots: who expires hears of it 0.2 % of that time later, at the most. */
const SLOTS = 512;

/**
 * Who waits, by when that ends. All waits end within a known time, so a ring of slots is enough: joining, leaving and
 * expiring take the same few steps whether ten wait or ten thousand, where a heap would sift. Nobody is told too early.
 */
export class ExpiryWheel<R> {
  readonly #slotMs: number;
  readonly #heads: (BatchPlace<R> | undefined)[];
  /** The slot up to which all have been let go, as a number that only grows. */
  #passed = 0;

  /** No wait is longer than this. */
  constructor(longestMs: number) {
    this.#slotMs = checkPositive('longestMs', longestMs) / SLOTS;
    // The one that fills, and one for the rest of a slot at either end.
    this.#heads = new Array(SLOTS + 2).fill(undefined);
  }

  /** Not before all that is due was removed: the ring has no place for two times around. */
  add(place: BatchPlace<R>): void {
    // Up: when the slot has passed, all of it has.
    const slot = Math.ceil(place.expiryMs / this.#slotMs) % this.#heads.length;
    const head = this.#heads[slot];
    place.slot = slot;
    place.after = head;
    if (head !== undefined) head.before = place;
    this.#heads[slot] = place;
  }

  remove(place: BatchPlace<R>): void {
    if (place.before === undefined) this.#heads[place.slot] = place.after;
    else place.before.after = place.after;
    if (place.after !== undefined) place.after.before = place.before;
    place.before = place.after = undefined;
    place.slot = -1;
  }

  /** One whose time is over; it stays until it is removed. Undefined when there is none. */
  due(now: number): BatchPlace<R> | undefined {
    const slot = Math.floor(now / this.#slotMs);
    // After a long silence once around is enough.
    const from = Math.max(this.#passed, slot - this.#heads.length + 1);
    for (let at = from; at <= slot; at++) {
      const place = this.#heads[at % this.#heads.length];
      if (place !== undefined) {
        this.#passed = at;
        return place;
      }
    }
    this.#passed = Math.max(this.#passed, slot);
    return undefined;
  }
}
