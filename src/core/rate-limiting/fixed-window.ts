import { elapsedMs } from '../elapsed.js';
import type { Cells, InPlaceAlgorithm } from './in-place-algorithm.js';
import type { RateDecision } from './rate-algorithm.js';
import type { RateOptions } from './rate-limit-options.js';
import { asWhole, checkCost, checkLimit, checkWindowMs, wholeMs, windowBeginMs } from './whole-numbers.js';

/**
 * A counter for each window. Windows begin at multiples of windowMs, for everybody at the same time.
 *
 * State: [count, begin of its window in ms]. In a later window the count is 0:  allowed if count + cost ≤ limit.
 *
 * Bound: `limit` in each such window, and therefore 2 × limit in a stretch as long that lies across two: all at the end
 * of one, all at the begin of the next.
 *
 * A debt is forgotten with its window.
 */
export class FixedWindow implements InPlaceAlgorithm {
  readonly name = 'fixed-window';
  readonly width = 2;
  readonly #limit: number;
  readonly #windowMs: number;

  constructor(options: RateOptions) {
    this.#limit = checkLimit(options.limit);
    this.#windowMs = checkWindowMs(options.windowMs);
  }

  takeAt(cells: Cells, at: number, now: number, cost: number): RateDecision {
    const limit = this.#limit;
    const ms = wholeMs(now);
    const beginMs = this.#beginMs(cells, at, ms);
    const leftMs = asWhole(elapsedMs(ms, beginMs + this.#windowMs));
    let count = countAt(cells, at, beginMs);
    const allowed = checkCost(cost) === 0 || count + cost <= limit;
    if (allowed && cost > 0) {
      count += cost;
      put(cells, at, beginMs, count);
    }
    return {
      allowed,
      limit,
      remaining: Math.max(0, limit - count),
      resetMs: count === 0 ? 0 : leftMs,
      retryAfterMs: allowed ? 0 : cost > limit ? Number.POSITIVE_INFINITY : leftMs,
    };
  }

  refundAt(cells: Cells, at: number, now: number, cost: number, takenAtMs?: number): void {
    const beginMs = this.#beginMs(cells, at, wholeMs(now));
    checkCost(cost);
    if (takenAtMs !== undefined && wholeMs(takenAtMs) < beginMs) return;
    put(cells, at, beginMs, Math.max(0, countAt(cells, at, beginMs) - cost));
  }

  /** A window counts it where it came: there it is, or it is gone. */
  undoAt(cells: Cells, at: number, now: number, cost: number, takenAtMs: number): void {
    this.refundAt(cells, at, now, cost, takenAtMs);
  }

  chargeAt(cells: Cells, at: number, now: number, cost: number): void {
    const beginMs = this.#beginMs(cells, at, wholeMs(now));
    put(cells, at, beginMs, Math.min(2 * this.#limit, countAt(cells, at, beginMs) + checkCost(cost)));
  }

  expiryAt(cells: Cells, at: number): number {
    return cells[at] === 0 ? 0 : cells[at + 1]! + this.#windowMs;
  }

  #beginMs(cells: Cells, at: number, ms: number): number {
    return Math.max(cells[at + 1]!, windowBeginMs(ms, this.#windowMs));
  }
}

function countAt(cells: Cells, at: number, beginMs: number): number {
  return cells[at + 1] === beginMs ? cells[at]! : 0;
}

function put(cells: Cells, at: number, beginMs: number, count: number): void {
  cells[at] = count;
  cells[at + 1] = beginMs;
}
