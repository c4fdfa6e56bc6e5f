import { SlotClock, type WindowOptions } from './slot-clock.js';

/**
 * A sum over a sliding window. It covers at least the last windowMs and less than one slot more (see SlotClock), so a
 * cap that is kept on `total` is kept on every stretch of windowMs. Memory: 8 bytes × (slots + 1).
 */
export class RollingSum {
  readonly #clock: SlotClock;
  readonly #sums: Float64Array;
  #total = 0;

  constructor(options: WindowOptions) {
    this.#clock = new SlotClock(options);
    this.#sums = new Float64Array(this.#clock.length);
  }

  /** The amount is finite; a negative one takes back. */
  add(now: number, amount = 1): void {
    const begun = this.#clock.advance(now);
    if (begun > 0) this.#forget(begun);
    this.#sums[this.#clock.index]! += amount;
    this.#total += amount;
  }

  total(now: number): number {
    const begun = this.#clock.advance(now);
    if (begun > 0) this.#forget(begun);
    return this.#total;
  }

  /**
   * The total is added up anew instead of subtracting what leaves. It costs one pass over the ring per slot of time,
   * not per call, and no rounding outlives the slots it came from: 0.1 + 0.2 − 0.1 − 0.2 is 2.8e-17, an empty ring
   * sums to 0.
   */
  #forget(begun: number): void {
    const sums = this.#sums;
    const { index, length } = this.#clock;
    for (let back = 0; back < begun; back++) sums[(index - back + length) % length] = 0;
    let total = 0;
    for (const sum of sums) total += sum;
    this.#total = total;
  }
}
