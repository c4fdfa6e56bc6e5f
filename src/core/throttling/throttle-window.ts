import { SlotClock, type WindowOptions } from '../measuring/slot-clock.js';

/** Each slot of the ring is three counts side by side. */
const ACCEPTS = 0;
const REJECTS = 1;
const LOCAL_REFUSALS = 2;
const KINDS = 3;

/**
 * What became of the requests of the last windowMs (and less than one slot more, see SlotClock). One clock for the
 * three counts: they are read together, and three windows that turned apart would give the ratio of two different
 * times. All counts are whole numbers, so what leaves the totals is exactly what went in. Memory: 24 bytes × (slots +
 * 1).
 *
 * Call `advance` first, then count or read as of that instant.
 */
export class ThrottleWindow {
  readonly #clock: SlotClock;
  readonly #counts: Float64Array;
  #accepts = 0;
  #rejects = 0;
  #localRefusals = 0;

  constructor(options: WindowOptions) {
    this.#clock = new SlotClock(options);
    this.#counts = new Float64Array(KINDS * this.#clock.length);
  }

  /** Taken on by a backend, well or badly. */
  get accepts(): number {
    return this.#accepts;
  }

  /** Refused by a backend. */
  get rejects(): number {
    return this.#rejects;
  }

  /** Refused here: no backend saw them. */
  get localRefusals(): number {
    return this.#localRefusals;
  }

  get requests(): number {
    return this.#accepts + this.#rejects + this.#localRefusals;
  }

  advance(now: number): void {
    const begun = this.#clock.advance(now);
    if (begun > 0) this.#forget(begun);
  }

  countAccept(): void {
    this.#accepts++;
    this.#counts[KINDS * this.#clock.index + ACCEPTS]!++;
  }

  countReject(): void {
    this.#rejects++;
    this.#counts[KINDS * this.#clock.index + REJECTS]!++;
  }

  countLocalRefusal(): void {
    this.#localRefusals++;
    this.#counts[KINDS * this.#clock.index + LOCAL_REFUSALS]!++;
  }

  #forget(begun: number): void {
    const counts = this.#counts;
    const { index, length } = this.#clock;
    for (let back = 0; back < begun; back++) {
      const at = KINDS * ((index - back + length) % length);
      this.#accepts -= counts[at + ACCEPTS]!;
      this.#rejects -= counts[at + REJECTS]!;
      this.#localRefusals -= counts[at + LOCAL_REFUSALS]!;
      counts.fill(0, at, at + KINDS);
    }
  }
}
