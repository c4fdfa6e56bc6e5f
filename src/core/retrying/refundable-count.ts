import { SlotClock, type WindowOptions } from '../measuring/slot-clock.js';

/**
 * A count over a sliding window from which an event can be taken out again, later, as if it had never been counted. A
 * negative amount in a RollingSum would not do: it lands in the slot of the taking back, and once the older slot with
 * the event itself has left, the sum is one too low until the younger one leaves as well. Memory: 4 bytes × (slots +
 * 1).
 */
export class RefundableCount {
  readonly #options: WindowOptions;
  readonly #clock: SlotClock;
  readonly #counts: Uint32Array;
  #total = 0;
  #latestMs = Number.NEGATIVE_INFINITY;

  constructor(options: WindowOptions) {
    this.#options = options;
    this.#clock = new SlotClock(options);
    this.#counts = new Uint32Array(this.#clock.length);
  }

  add(now: number): void {
    this.#forget(now);
    this.#counts[this.#clock.index]! += 1;
    this.#total += 1;
  }

  /** Takes out one that was added at `addedMs`; nothing when it has left the window, or was never there. */
  takeBack(addedMs: number): void {
    const { index, length } = this.#clock;
    const slotsAgo = this.#slotOf(this.#latestMs) - this.#slotOf(addedMs);
    if (!(slotsAgo >= 0 && slotsAgo < length)) return;
    const slot = (index - slotsAgo + length) % length;
    if (this.#counts[slot] === 0) return;
    this.#counts[slot]! -= 1;
    this.#total -= 1;
  }

  total(now: number): number {
    this.#forget(now);
    return this.#total;
  }

  #forget(now: number): void {
    if (now > this.#latestMs) this.#latestMs = now;
    const begun = this.#clock.advance(now);
    const { index, length } = this.#clock;
    for (let back = 0; back < begun; back++) {
      const slot = (index - back + length) % length;
      this.#total -= this.#counts[slot]!;
      this.#counts[slot] = 0;
    }
  }

  /** Numbered as SlotClock numbers them. */
  #slotOf(instantMs: number): number {
    return Math.floor((instantMs * this.#options.slots) / this.#options.windowMs);
  }
}
