import { checkPositive, checkWithin } from '../check.js';
import { nearestRank } from './nearest-rank.js';
import { SlotClock, type WindowOptions } from './slot-clock.js';

/** How exact a quantile is, and over how long. */
export interface QuantileSketchOptions extends WindowOptions {
  /** An estimate lies within this share of the exact quantile. */
  readonly relativeError?: number;
  /** Values below count as this one. */
  readonly min: number;
  /** Values above count as this one. */
  readonly max: number;
}

const DEFAULTS = {
  /** 1 %: finer than anyone reads a latency, and 100 µs to 100 s then takes 692 buckets. */
  relativeError: 0.01,
};

/**
 * Quantiles of any number of values in fixed memory, over a window that forgets by slots (see SlotClock). The values
 * are counted in buckets whose borders grow by a constant factor γ, after the idea of DDSketch (VLDB 2019): with γ =
 * (1 + e) / (1 − e) the point 2/(γ + 1) of a bucket's upper border is within the share e of everything in the bucket.
 *
 * Memory: 4 bytes × buckets × (slots + 2), where buckets ≈ ln(max / min) / (2 · relativeError). For latencies from
 * 100 µs to 100 s to 1 % in 6 slots that is 22 kB; to 5 %, 4.5 kB. A bucket counts to 2^32, an hour at a million a
 * second.
 */
export class QuantileSketch {
  readonly #clock: SlotClock;
  readonly #min: number;
  readonly #max: number;
  readonly #buckets: number;
  readonly #lnGamma: number;
  /** One row of buckets for each slot of the ring. */
  readonly #rows: Uint32Array;
  /** The sum of the rows. */
  readonly #sums: Uint32Array;
  #count = 0;

  constructor(options: QuantileSketchOptions) {
    const error = checkWithin('relativeError', options.relativeError ?? DEFAULTS.relativeError, 0.0001, 0.5);
    this.#min = checkPositive('min', options.min);
    this.#max = checkWithin('max', options.max, this.#min, Number.MAX_VALUE);
    this.#clock = new SlotClock(options);
    this.#lnGamma = Math.log((1 + error) / (1 - error));
    this.#buckets = this.#bucketOf(this.#max) + 1;
    this.#rows = new Uint32Array(this.#buckets * this.#clock.length);
    this.#sums = new Uint32Array(this.#buckets);
  }

  /** NaN is not a value and is passed over. */
  add(now: number, value: number): void {
    if (Number.isNaN(value)) return;
    this.#turn(now);
    const bucket = this.#bucketOf(value);
    this.#rows[this.#clock.index * this.#buckets + bucket]!++;
    this.#sums[bucket]!++;
    this.#count++;
  }

  count(now: number): number {
    this.#turn(now);
    return this.#count;
  }

  /** By nearest rank; undefined when the window is empty. */
  quantile(q: number, now: number): number | undefined {
    this.#turn(now);
    let left = nearestRank(q, this.#count);
    if (this.#count === 0) return undefined;
    let bucket = 0;
    for (; left > this.#sums[bucket]!; bucket++) left -= this.#sums[bucket]!;
    const upper = this.#min * Math.exp(bucket * this.#lnGamma);
    const estimate = (2 * upper) / (Math.exp(this.#lnGamma) + 1);
    // The outermost buckets reach past min and max, the values in them do not.
    return Math.min(Math.max(estimate, this.#min), this.#max);
  }

  /** Bucket 0 holds min, bucket i what lies in (min·γ^(i−1), min·γ^i]. */
  #bucketOf(value: number): number {
    if (value <= this.#min) return 0;
    return Math.ceil(Math.log(Math.min(value, this.#max) / this.#min) / this.#lnGamma);
  }

  #turn(now: number): void {
    const begun = this.#clock.advance(now);
    for (let back = 0; back < begun; back++)
      this.#empty((this.#clock.index - back + this.#clock.length) % this.#clock.length);
  }

  #empty(slot: number): void {
    const first = slot * this.#buckets;
    for (let bucket = 0; bucket < this.#buckets; bucket++) {
      const leaving = this.#rows[first + bucket]!;
      this.#sums[bucket]! -= leaving;
      this.#count -= leaving;
    }
    this.#rows.fill(0, first, first + this.#buckets);
  }
}
