import { elapsedMs } from '../elapsed.js';
import type { Cells, InPlaceAlgorithm } from './in-place-algorithm.js';
import type { RateDecision } from './rate-algorithm.js';
import type { RateOptions } from './rate-limit-options.js';
import { type RateScale, rateScale } from './rate-scale.js';
import { TakenUntil } from './taken-until.js';
import { asWhole, checkCost, wholeMs } from './whole-numbers.js';

/**
 * The generic cell rate algorithm (ITU-T I.371): a bucket that keeps one instant, the theoretical arrival time of the
 * next request if all came evenly. Each unit moves it on by the emission interval, windowMs / limit, and it may be
 * ahead of `now` by at most burst intervals.
 *
 * State: [ms, fraction] of that instant (see TakenUntil). With `ahead` grains until it, 0 if it is past:
 *   allowed if ahead + cost × unit ≤ capacity.
 *
 * It decides as a token bucket does, and has the same bound. redis-cell's `max_burst` is one less than burst: it does
 * not count the request itself.
 */
export class Gcra implements InPlaceAlgorithm {
  readonly name = 'gcra';
  readonly width = 2;
  readonly #scale: RateScale;
  readonly #arrival: TakenUntil;

  constructor(options: RateOptions) {
    this.#scale = rateScale(options);
    this.#arrival = new TakenUntil(this.#scale);
  }

  takeAt(cells: Cells, at: number, now: number, cost: number): RateDecision {
    const { unit, burst, capacity } = this.#scale;
    const ms = wholeMs(now);
    const fromMs = this.#arrival.fromMs(cells, at, ms);
    const ahead = this.#arrival.ahead(cells, at, fromMs);
    if (checkCost(cost) > burst) return this.#decision(cells, at, ms, ahead, Number.POSITIVE_INFINITY);
    const room = capacity - cost * unit;
    if (ahead > room && cost > 0) {
      const retryAfterMs = asWhole(elapsedMs(ms, this.#arrival.whenAhead(cells, at, room)));
      return this.#decision(cells, at, ms, ahead, retryAfterMs);
    }
    if (cost > 0) this.#arrival.put(cells, at, fromMs, ahead + cost * unit);
    return this.#decision(cells, at, ms, ahead + cost * unit, 0);
  }

  refundAt(cells: Cells, at: number, now: number, cost: number): void {
    const fromMs = this.#arrival.fromMs(cells, at, wholeMs(now));
    this.#giveBack(cells, at, fromMs, checkCost(cost) * this.#scale.unit);
  }

  /**
   * Other than a bucket it does not know when somebody last came: if `now` has gone back behind that, what flowed until
   * then is given back as well.
   */
  undoAt(cells: Cells, at: number, now: number, cost: number, takenAtMs: number): void {
    const { perMs, unit } = this.#scale;
    const fromMs = this.#arrival.fromMs(cells, at, wholeMs(now));
    const flowed = elapsedMs(wholeMs(takenAtMs), fromMs) * perMs;
    this.#giveBack(cells, at, fromMs, Math.max(0, checkCost(cost) * unit - flowed));
  }

  chargeAt(cells: Cells, at: number, now: number, cost: number): void {
    const { unit, capacity } = this.#scale;
    const fromMs = this.#arrival.fromMs(cells, at, wholeMs(now));
    const ahead = this.#arrival.ahead(cells, at, fromMs);
    const more = checkCost(cost) * unit;
    // Seen from an earlier instant more than the most may be ahead already; it stays.
    this.#arrival.put(cells, at, fromMs, Math.max(ahead, Math.min(2 * capacity, ahead + more)));
  }

  expiryAt(cells: Cells, at: number): number {
    return this.#arrival.whenAhead(cells, at, 0);
  }

  #giveBack(cells: Cells, at: number, fromMs: number, grains: number): void {
    const ahead = this.#arrival.ahead(cells, at, fromMs);
    this.#arrival.put(cells, at, fromMs, Math.max(0, ahead - grains));
  }

  #decision(cells: Cells, at: number, ms: number, ahead: number, retryAfterMs: number): RateDecision {
    const { unit, burst, capacity } = this.#scale;
    return {
      allowed: retryAfterMs === 0,
      limit: burst,
      remaining: Math.max(0, Math.floor((capacity - ahead) / unit)),
      resetMs: asWhole(elapsedMs(ms, this.#arrival.whenAhead(cells, at, 0))),
      retryAfterMs,
    };
  }
}
