import { elapsedMs } from '../elapsed.js';
import type { InPlaceAlgorithm } from './in-place-algorithm.js';
import type { RateDecision } from './rate-algorithm.js';
import type { RateOptions } from './rate-limit-options.js';
import { asWhole, checkCost, checkLimit, checkWindowMs, wholeMs } from './whole-numbers.js';

/**
 * Every request with its time: what came within the last windowMs counts, and nothing else.
 *
 * State: [ms, cost, ms, cost, …], oldest first, one entry a millisecond. An entry counts while now − ms < windowMs:
 *   allowed if the costs that count + cost ≤ limit.  What no longer counts is dropped when something is written.
 *
 * Bound: `limit` in any stretch of windowMs, exactly. The price is memory and time by the limit: 16 bytes for each
 * request that counts.
 *
 * With `countRefused` refused requests are written down too, so that one who keeps asking keeps being refused. However
 * many ask, no more than the newest `limit` units are kept: while older ones count, these alone leave no room.
 */
export class SlidingLog implements InPlaceAlgorithm {
  readonly name = 'sliding-log';
  readonly width = 0;
  readonly #limit: number;
  readonly #windowMs: number;
  readonly #countRefused: boolean;

  constructor(options: RateOptions) {
    this.#limit = checkLimit(options.limit);
    this.#windowMs = checkWindowMs(options.windowMs);
    this.#countRefused = options.countRefused === true;
  }

  takeAt(log: number[], _at: number, now: number, cost: number): RateDecision {
    const limit = this.#limit;
    const ms = wholeMs(now);
    const first = this.#firstCounting(log, ms);
    let used = total(log, first);
    const allowed = checkCost(cost) === 0 || used + cost <= limit;
    if (cost > 0 && (allowed || this.#countRefused)) {
      this.#write(log, first, ms, cost);
      used = Math.min(limit, used + cost);
    }
    return {
      allowed,
      limit,
      remaining: limit - used,
      resetMs: asWhole(elapsedMs(ms, this.expiryAt(log))),
      retryAfterMs: allowed ? 0 : this.#retryAfterMs(log, ms, used + cost - limit, cost),
    };
  }

  refundAt(log: number[], _at: number, now: number, cost: number, takenAtMs?: number): void {
    const first = this.#firstCounting(log, wholeMs(now));
    const takenMs = takenAtMs === undefined ? undefined : wholeMs(takenAtMs);
    let left = checkCost(cost);
    for (let entry = log.length - 2; entry >= first && left > 0; entry -= 2) {
      if (takenMs !== undefined && log[entry] !== takenMs) continue;
      const back = Math.min(left, log[entry + 1]!);
      left -= back;
      log[entry + 1]! -= back;
      if (log[entry + 1] === 0) log.splice(entry, 2);
    }
  }

  /** What came at that instant is written there, or is gone. */
  undoAt(log: number[], at: number, now: number, cost: number, takenAtMs: number): void {
    this.refundAt(log, at, now, cost, takenAtMs);
  }

  chargeAt(log: number[], _at: number, now: number, cost: number): void {
    const ms = wholeMs(now);
    if (checkCost(cost) > 0) this.#write(log, this.#firstCounting(log, ms), ms, cost);
  }

  expiryAt(log: number[]): number {
    return log.length === 0 ? 0 : log.at(-2)! + this.#windowMs;
  }

  /** Where those begin that count. All did when the newest was written, so all do at an earlier `ms`. */
  #firstCounting(log: number[], ms: number): number {
    let first = 0;
    while (first < log.length && elapsedMs(log[first]!, ms) >= this.#windowMs) first += 2;
    return first;
  }

  #write(log: number[], first: number, ms: number, cost: number): void {
    log.splice(0, first);
    const kept = Math.min(cost, this.#limit);
    const newestMs = log.at(-2);
    if (newestMs !== undefined && newestMs >= ms) log[log.length - 1]! += kept;
    else log.push(ms, kept);
    let excess = total(log, 0) - this.#limit;
    while (excess > 0) {
      const dropped = Math.min(excess, log[1]!);
      excess -= dropped;
      log[1]! -= dropped;
      if (log[1] === 0) log.splice(0, 2);
    }
  }

  /** When the oldest have gone that are in the way. */
  #retryAfterMs(log: number[], ms: number, excess: number, cost: number): number {
    if (cost > this.#limit) return Number.POSITIVE_INFINITY;
    let entry = this.#firstCounting(log, ms);
    for (let gone = log[entry + 1]!; gone < excess; gone += log[entry + 1]!) entry += 2;
    return asWhole(elapsedMs(ms, log[entry]! + this.#windowMs));
  }
}

function total(log: number[], first: number): number {
  let sum = 0;
  for (let entry = first; entry < log.length; entry += 2) sum += log[entry + 1]!;
  return sum;
}
