import { elapsedMs } from '../elapsed.js';
import type { Cells, InPlaceAlgorithm } from './in-place-algorithm.js';
import type { RateDecision } from './rate-algorithm.js';
import type { RateOptions } from './rate-limit-options.js';
import { type RateScale, rateScale } from './rate-scale.js';
import { asWhole, checkCost, wholeMs } from './whole-numbers.js';

/**
 * Token bucket and leaking bucket (as a meter), which are one thing seen from two sides: what is missing of the tokens
 * is the level of the leaking one, tokens come in as fast as water leaks, and empty is full. The level is kept, so that
 * zeros are a bucket nobody touched. Requests do not wait here; for that see LeakingQueue.
 *
 * State: [level in grains, latest time in ms]. At `now`:
 *   level = max(0, level − elapsed × perMs);  allowed if level + cost × unit ≤ capacity.
 *
 * A product that is too large to be exact is larger than any level, and ends at a bound. So it is with those of `cost`
 * in refunds and debts.
 *
 * It leaks all the time, not once a second: 2/s is one each 500 ms.
 *
 * Bound: from s to s + w at most burst + w × limit / windowMs pass, within a window thus less than burst + limit.
 */
export class Bucket implements InPlaceAlgorithm {
  readonly name: 'token-bucket' | 'leaking-bucket';
  readonly width = 2;
  readonly #scale: RateScale;

  constructor(name: 'token-bucket' | 'leaking-bucket', options: RateOptions) {
    this.name = name;
    this.#scale = rateScale(options);
  }

  takeAt(cells: Cells, at: number, now: number, cost: number): RateDecision {
    const { perMs, unit, burst, capacity } = this.#scale;
    const ms = wholeMs(now);
    const behindMs = elapsedMs(ms, cells[at + 1]!);
    const level = this.#level(cells, at, ms);
    if (checkCost(cost) > burst) return this.#decision(false, level, behindMs, Number.POSITIVE_INFINITY);
    const filled = level + cost * unit;
    if (filled > capacity && cost > 0) {
      const retryAfterMs = asWhole(behindMs + Math.ceil((filled - capacity) / perMs));
      return this.#decision(false, level, behindMs, retryAfterMs);
    }
    if (cost > 0) put(cells, at, ms, filled);
    return this.#decision(true, filled, behindMs, 0);
  }

  refundAt(cells: Cells, at: number, now: number, cost: number): void {
    const ms = wholeMs(now);
    const back = checkCost(cost) * this.#scale.unit;
    put(cells, at, ms, Math.max(0, this.#level(cells, at, ms) - back));
  }

  undoAt(cells: Cells, at: number, now: number, cost: number, takenAtMs: number): void {
    const { perMs, unit } = this.#scale;
    const ms = wholeMs(now);
    const leaked = elapsedMs(wholeMs(takenAtMs), Math.max(ms, cells[at + 1]!)) * perMs;
    const back = Math.max(0, checkCost(cost) * unit - leaked);
    put(cells, at, ms, Math.max(0, this.#level(cells, at, ms) - back));
  }

  chargeAt(cells: Cells, at: number, now: number, cost: number): void {
    const { unit, capacity } = this.#scale;
    const ms = wholeMs(now);
    const more = checkCost(cost) * unit;
    put(cells, at, ms, Math.min(2 * capacity, this.#level(cells, at, ms) + more));
  }

  expiryAt(cells: Cells, at: number): number {
    return cells[at + 1]! + Math.ceil(cells[at]! / this.#scale.perMs);
  }

  #level(cells: Cells, at: number, ms: number): number {
    return Math.max(0, cells[at]! - elapsedMs(cells[at + 1]!, ms) * this.#scale.perMs);
  }

  #decision(allowed: boolean, level: number, behindMs: number, retryAfterMs: number): RateDecision {
    const { perMs, unit, burst, capacity } = this.#scale;
    return {
      allowed,
      limit: burst,
      remaining: Math.max(0, Math.floor((capacity - level) / unit)),
      resetMs: level === 0 ? 0 : asWhole(behindMs + Math.ceil(level / perMs)),
      retryAfterMs,
    };
  }
}

function put(cells: Cells, at: number, ms: number, level: number): void {
  cells[at] = level;
  if (ms > cells[at + 1]!) cells[at + 1] = ms;
}
