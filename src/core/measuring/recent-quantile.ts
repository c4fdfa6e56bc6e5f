import { checkInteger, checkPositive, checkWithin } from '../check.js';
import { nearestRank } from './nearest-rank.js';

/** Of how many of the last values a quantile is. */
export interface RecentQuantileOptions {
  /** How many of the latest values count. */
  readonly size?: number;
  /** Values older than this do not count. */
  readonly maxAgeMs: number;
  /** The quantile that `value` gives: the median unless told. */
  readonly q?: number;
}

const DEFAULTS = {
  /** The rank of a quantile found in n random values is off by σ = √(q(1 − q)/n): 3 to 4 % for 128 and the usual q. */
  size: 128,
  q: 0.5,
};

/** Sorting costs as much as about ten scans, whatever the size: a walk that is longer is cut short by a sort. */
const MOST_STEPS = 8;

/**
 * The exact quantile, by nearest rank, of the last `size` values that are not older than maxAgeMs.
 *
 * It is made for being asked the same q again and again after a few values each time. The last answer is kept, with how
 * many values lie below it and how many are equal to it: to add or to forget is then two comparisons, and the next
 * answer is the old one or a few steps away. Keeping a sorted copy instead would move half of it for each value. To
 * change q costs a sort, some microseconds. Memory: 24 bytes × size; nothing is allocated after the constructor.
 */
export class RecentQuantile {
  readonly #maxAgeMs: number;
  readonly #q: number;
  /** A ring; NaN where nothing is, which no comparison below takes for a value. */
  readonly #values: Float64Array;
  readonly #times: Float64Array;
  readonly #scratch: Float64Array;
  #oldest = 0;
  #count = 0;
  #latest = Number.NEGATIVE_INFINITY;
  #answer = Number.NEGATIVE_INFINITY;
  #below = 0;
  #equal = 0;
  /** The rank that was last asked for, and for which quantile of how many: nearly always the same again. */
  #rank = 1;
  #rankedQ = Number.NaN;
  #rankedCount = 0;

  constructor(options: RecentQuantileOptions) {
    const size = checkInteger('size', options.size ?? DEFAULTS.size, 1);
    this.#maxAgeMs = checkPositive('maxAgeMs', options.maxAgeMs);
    this.#q = checkWithin('q', options.q ?? DEFAULTS.q, 0, 1);
    this.#values = new Float64Array(size).fill(Number.NaN);
    this.#times = new Float64Array(size);
    this.#scratch = new Float64Array(size);
  }

  /** NaN is not a value and is passed over: it has no place in an order. */
  add(now: number, value: number): void {
    if (Number.isNaN(value)) return;
    // Times in the ring never go back, so that the oldest entry is always the first to leave.
    if (now > this.#latest) this.#latest = now;
    const size = this.#values.length;
    if (this.#count === size) this.#forgetOldest();
    const end = this.#oldest + this.#count;
    const index = end < size ? end : end - size;
    this.#values[index] = value;
    this.#times[index] = this.#latest;
    this.#count++;
    if (value < this.#answer) this.#below++;
    else if (value === this.#answer) this.#equal++;
  }

  /** How many values count now. */
  count(now: number): number {
    this.#expire(now);
    return this.#count;
  }

  /** Undefined when nothing recent is known. */
  quantile(q: number, now: number): number | undefined {
    this.#expire(now);
    if (q !== this.#rankedQ || this.#count !== this.#rankedCount) this.#findRank(q);
    return this.#answerAtRank();
  }

  /** `quantile` of the q it was made with. For hot paths: a fraction handed over in a call is boxed with every call. */
  value(now: number): number | undefined {
    this.#expire(now);
    if (this.#q !== this.#rankedQ || this.#count !== this.#rankedCount) this.#findRank(this.#q);
    return this.#answerAtRank();
  }

  #answerAtRank(): number | undefined {
    if (this.#count === 0) return undefined;
    const rank = this.#rank;
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      if (rank <= this.#below) this.#stepDown();
      else if (rank > this.#below + this.#equal) this.#stepUp();
      else return this.#answer;
    }
    return this.#select(rank);
  }

  #findRank(q: number): void {
    this.#rank = nearestRank(q, this.#count);
    this.#rankedQ = q;
    this.#rankedCount = this.#count;
  }

  #expire(now: number): void {
    // Added rather than subtracted: handed to a function, a time from the ring would be boxed with every question.
    while (this.#count > 0 && this.#times[this.#oldest]! + this.#maxAgeMs < now) this.#forgetOldest();
  }

  #forgetOldest(): void {
    const value = this.#values[this.#oldest]!;
    this.#values[this.#oldest] = Number.NaN;
    this.#oldest = this.#oldest + 1 === this.#values.length ? 0 : this.#oldest + 1;
    this.#count--;
    if (value < this.#answer) this.#below--;
    else if (value === this.#answer) this.#equal--;
  }

  /** To the next smaller value. */
  #stepDown(): void {
    const values = this.#values;
    const answer = this.#answer;
    let next = Number.NEGATIVE_INFINITY;
    let equal = 0;
    for (let i = 0; i < values.length; i++) {
      const value = values[i]!;
      if (value < answer && value >= next) {
        equal = value > next ? 1 : equal + 1;
        next = value;
      }
    }
    this.#answer = next;
    this.#below -= equal;
    this.#equal = equal;
  }

  /** To the next larger value. */
  #stepUp(): void {
    const values = this.#values;
    const answer = this.#answer;
    let next = Number.POSITIVE_INFINITY;
    let equal = 0;
    for (let i = 0; i < values.length; i++) {
      const value = values[i]!;
      if (value > answer && value <= next) {
        equal = value < next ? 1 : equal + 1;
        next = value;
      }
    }
    this.#answer = next;
    this.#below += this.#equal;
    this.#equal = equal;
  }

  /** From anywhere. Sorting puts NaN last, so the values come first. */
  #select(rank: number): number {
    const sorted = this.#scratch;
    sorted.set(this.#values);
    sorted.sort();
    this.#answer = sorted[rank - 1]!;
    this.#below = sorted.indexOf(this.#answer);
    this.#equal = sorted.lastIndexOf(this.#answer) - this.#below + 1;
    return this.#answer;
  }
}
