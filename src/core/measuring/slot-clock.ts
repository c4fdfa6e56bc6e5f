import { checkInteger, checkPositive } from '../check.js';

/** How long a window is, and how finely it forgets. */
export interface WindowOptions {
  /** How far back it remembers, at least. */
  readonly windowMs: number;
  /** Into how many slots the window is cut. More slots forget more smoothly and cost memory. */
  readonly slots: number;
}

/**
 * Says which slot of a ring is filling, for everything that forgets by slots. The ring holds the slot that is filling
 * and the `slots` full ones before it: together they cover at least the last windowMs, and less than windowMs plus one
 * slot. A hard cap needs it this way round: with one slot fewer, the window would be short by up to a slot just after
 * each turn, and a burst could pass the cap.
 *
 * Slots are numbered by the clock itself and not from the time of the last turn: nothing can drift, and an hour without
 * a call is seen as an hour, not as one slot.
 */
export class SlotClock {
  /** Slots in the ring, the filling one included. */
  readonly length: number;
  readonly #windowMs: number;
  readonly #slots: number;
  #index = 0;
  #slot = Number.NEGATIVE_INFINITY;

  constructor(options: WindowOptions) {
    this.#windowMs = checkPositive('windowMs', options.windowMs);
    this.#slots = checkInteger('slots', options.slots, 1);
    this.length = this.#slots + 1;
  }

  /** Place in the ring of the slot that is filling. */
  get index(): number {
    return this.#index;
  }

  /**
   * How many slots have begun since the last call, at most `length`. So many, going back from `index`, hold what has
   * left the window: the caller empties them. A `now` older than the last one stays in the slot that is filling: an
   * event that arrives late is kept a little too long rather than lost.
   */
  advance(now: number): number {
    // Multiplied before it is divided: 100 / 3 is rounded, and would put some instants on the wrong side of a border.
    const slot = Math.floor((now * this.#slots) / this.#windowMs);
    if (!(slot > this.#slot)) return 0;
    const begun = Math.min(slot - this.#slot, this.length);
    this.#slot = slot;
    this.#index = (this.#index + begun) % this.length;
    return begun;
  }
}
