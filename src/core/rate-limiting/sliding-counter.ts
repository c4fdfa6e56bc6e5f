import { checkInteger } from '../check.js';
import { elapsedMs } from '../elapsed.js';
import type { Cells, InPlaceAlgorithm } from './in-place-algorithm.js';
import type { RateDecision } from './rate-algorithm.js';
import type { RateOptions } from './rate-limit-options.js';
import { asWhole, checkCost, checkLimit, checkWindowMs, wholeMs, windowBeginMs } from './whole-numbers.js';

/**
 * Two counters, of this window and the one before, and a window that slides over both: the previous one counts by the
 * part of it that the sliding window still covers, as if its requests had come evenly. 42 before, 18 now, 15 s into
 * a minute: 42 × 45/60 + 18 = 49.5.
 *
 * State: [current, previous, begin of the current window in ms]; windows begin at multiples of windowMs.
 *   used = current + ceil(previous × (windowMs − elapsed) / windowMs);  allowed if used + cost ≤ limit.
 * Costs and limit are whole, so rounding up decides as the exact fraction does. Rounding down, as some do, would let a
 * fourth of 3/s through 1 ms after three: 3 × 0.999 is 2.
 *
 * Bound: `limit` in each window of the clock. In a stretch as long across two it is less than 2 × limit, and reaches
 * that only if all of the previous window came at its end; evenly come it is `limit`.
 */
export class SlidingCounter implements InPlaceAlgorithm {
  readonly name = 'sliding-counter';
  readonly width = 3;
  readonly #limit: number;
  readonly #windowMs: number;
  // What a state says at an instant, left here by #read: three numbers without an object for each call.
  #current = 0;
  #previous = 0;
  #beginMs = 0;

  constructor(options: RateOptions) {
    this.#windowMs = checkWindowMs(options.windowMs);
    // Twice the limit (a debt) is multiplied by the window.
    const most = Math.floor(2 ** 52 / this.#windowMs);
    this.#limit = checkInteger('limit', checkLimit(options.limit), 1, most);
  }

  takeAt(cells: Cells, at: number, now: number, cost: number): RateDecision {
    const limit = this.#limit;
    const ms = wholeMs(now);
    this.#read(cells, at, ms);
    let used = this.#current + this.#weighed(ms);
    const allowed = checkCost(cost) === 0 || used + cost <= limit;
    if (allowed && cost > 0) {
      used += cost;
      this.#current += cost;
      this.#write(cells, at);
    }
    return {
      allowed,
      limit,
      remaining: Math.max(0, limit - used),
      resetMs: asWhole(elapsedMs(ms, this.#goneMs(this.#current, this.#previous, this.#beginMs))),
      retryAfterMs: allowed ? 0 : this.#retryAfterMs(ms, cost),
    };
  }

  refundAt(cells: Cells, at: number, now: number, cost: number, takenAtMs?: number): void {
    this.#read(cells, at, wholeMs(now));
    checkCost(cost);
    const takenMs = takenAtMs === undefined ? this.#beginMs : wholeMs(takenAtMs);
    if (takenMs >= this.#beginMs) this.#current = Math.max(0, this.#current - cost);
    else if (takenMs >= this.#beginMs - this.#windowMs) this.#previous = Math.max(0, this.#previous - cost);
    this.#write(cells, at);
  }

  /** A window counts it where it came: there it is, or it is gone. */
  undoAt(cells: Cells, at: number, now: number, cost: number, takenAtMs: number): void {
    this.refundAt(cells, at, now, cost, takenAtMs);
  }

  chargeAt(cells: Cells, at: number, now: number, cost: number): void {
    this.#read(cells, at, wholeMs(now));
    this.#current = Math.min(2 * this.#limit, this.#current + checkCost(cost));
    this.#write(cells, at);
  }

  expiryAt(cells: Cells, at: number): number {
    return this.#goneMs(cells[at]!, cells[at + 1]!, cells[at + 2]!);
  }

  #read(cells: Cells, at: number, ms: number): void {
    const begunMs = cells[at + 2]!;
    this.#beginMs = Math.max(begunMs, windowBeginMs(ms, this.#windowMs));
    const passed = elapsedMs(begunMs, this.#beginMs) / this.#windowMs;
    this.#current = passed === 0 ? cells[at]! : 0;
    this.#previous = passed === 0 ? cells[at + 1]! : passed === 1 ? cells[at]! : 0;
  }

  #write(cells: Cells, at: number): void {
    cells[at] = this.#current;
    cells[at + 1] = this.#previous;
    cells[at + 2] = this.#beginMs;
  }

  /** What the previous window still counts. */
  #weighed(ms: number): number {
    const coveredMs = this.#windowMs - elapsedMs(this.#beginMs, ms);
    return Math.ceil((this.#previous * coveredMs) / this.#windowMs);
  }

  /** The previous window fades; if this one alone is too much, it must first become the previous one and fade. */
  #retryAfterMs(ms: number, cost: number): number {
    if (cost > this.#limit) return Number.POSITIVE_INFINITY;
    const room = this.#limit - cost;
    const fading = this.#current > room ? this.#current : this.#previous;
    const fadedMs = this.#beginMs + (this.#current > room ? 2 : 1) * this.#windowMs;
    const beside = this.#current > room ? 0 : this.#current;
    return asWhole(elapsedMs(ms, fadedMs - Math.floor(((room - beside) * this.#windowMs) / fading)));
  }

  #goneMs(current: number, previous: number, beginMs: number): number {
    if (current > 0) return beginMs + 2 * this.#windowMs;
    return previous > 0 ? beginMs + this.#windowMs : 0;
  }
}
