/** What is left of a sum below which it is nothing: no sum of its like would show it. */
export const NEGLIGIBLE = 1e-9;

/**
 * Time cut into slots, for sums that forget: what was added weighs 37 % after decayMs. Sums are decayed once a slot
 * and not once per event, so that an event costs an addition, and all that is decided within a slot is decided from
 * the same numbers. Slots are numbered by the clock itself: an hour without a call is seen as an hour.
 */
export class RateGrid {
  readonly slotMs: number;
  readonly slotSeconds: number;
  /** The sum that a steady 1/s amounts to when a slot begins: there, a sum divided by this is a rate per second. */
  readonly steadySeconds: number;
  /** After so many slots a sum is forgotten. */
  readonly memorySlots: number;
  readonly #decayMs: number;
  readonly #keptPerSlot: number;
  /** By few slots: most customers come every few. */
  readonly #kept: readonly number[];

  constructor(slotMs: number, decayMs: number) {
    this.slotMs = slotMs;
    this.slotSeconds = slotMs / 1_000;
    this.#decayMs = decayMs;
    this.#keptPerSlot = Math.exp(-slotMs / decayMs);
    this.#kept = Array.from({ length: 8 }, (_, slots) => Math.exp((-slots * slotMs) / decayMs));
    this.steadySeconds = (this.slotSeconds * this.#keptPerSlot) / (1 - this.#keptPerSlot);
    this.memorySlots = Math.ceil((-Math.log(NEGLIGIBLE) * decayMs) / slotMs);
  }

  /** An instant that is none is in the first slot: an account opened in no slot at all would never leave it. */
  slotOf(now: number): number {
    return Number.isNaN(now) ? 0 : Math.floor(now / this.slotMs);
  }

  /** The part of a sum that is left after so many slots. */
  kept(slots: number): number {
    return this.#kept[slots] ?? Math.exp((-slots * this.slotMs) / this.#decayMs);
  }

  /** `steadySeconds` at any instant of a slot that is filling. */
  seconds(slot: number, now: number): number {
    // What comes late is counted in the slot that is filling, which then has not begun yet as seen from there.
    const filling = Math.min(1, Math.max(0, now / this.slotMs - slot));
    return this.steadySeconds + filling * this.slotSeconds;
  }
}
