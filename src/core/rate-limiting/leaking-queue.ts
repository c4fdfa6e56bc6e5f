import { elapsedMs } from '../elapsed.js';
import type { Cells } from './in-place-algorithm.js';
import type { RateState } from './rate-algorithm.js';
import { type RateScale, rateScale } from './rate-scale.js';
import { TakenUntil } from './taken-until.js';
import { checkCost, wholeMs } from './whole-numbers.js';

/** How fast a queue leaks, and how much may wait in it. */
export interface LeakingQueueOptions {
  /** How much leaks in a window. */
  readonly limit: number;
  /** How long that is. */
  readonly windowMs: number;
  /** How much may wait; the limit by default. */
  readonly burst?: number | undefined;
}

/** A place in a queue, or none. */
export interface QueuePlace {
  /** When its turn comes; undefined when it is refused. */
  readonly dueMs: number | undefined;
  /** As in a RateDecision: 0, or when there will be room for it to wait. */
  readonly retryAfterMs: number;
}

/**
 * The leaking bucket as a queue: requests leave it at a constant rate in the order in which they came, and what finds
 * it full is refused. It holds no requests, only the instant up to which its outflow is taken, and says when each one's
 * turn is; whoever waits until then is the queue.
 *
 * State: [ms, fraction] (see TakenUntil). A request leaves when its first unit does; its other units flow after it. The
 * unit that is flowing out is no longer waiting, hence the − 1:
 *   allowed if ahead + (cost − 1) × unit ≤ capacity and cost ≤ burst;  dueMs = now + ceil(ahead / perMs).
 *
 * Bound: of requests that cost 1, at most `limit` are due in any window, whatever came before.
 */
export class LeakingQueue {
  readonly width = 2;
  readonly #scale: RateScale;
  readonly #outflow: TakenUntil;

  constructor(options: LeakingQueueOptions) {
    this.#scale = rateScale(options);
    this.#outflow = new TakenUntil(this.#scale);
  }

  schedule(
    state: RateState | undefined,
    now: number,
    cost: number,
  ): { readonly place: QueuePlace; readonly state: RateState } {
    const next = [...(state ?? [0, 0])];
    return { place: this.scheduleAt(next, 0, now, cost), state: next };
  }

  scheduleAt(cells: Cells, at: number, now: number, cost: number): QueuePlace {
    const { unit, burst, capacity } = this.#scale;
    const ms = wholeMs(now);
    if (checkCost(cost) > burst) return { dueMs: undefined, retryAfterMs: Number.POSITIVE_INFINITY };
    const fromMs = this.#outflow.fromMs(cells, at, ms);
    const ahead = this.#outflow.ahead(cells, at, fromMs);
    const room = capacity - (cost - 1) * unit;
    if (ahead > room && cost > 0) {
      const retryAfterMs = elapsedMs(ms, this.#outflow.whenAhead(cells, at, room));
      return { dueMs: undefined, retryAfterMs };
    }
    const dueMs = Math.max(ms, this.#outflow.whenAhead(cells, at, 0));
    if (cost > 0) this.#outflow.put(cells, at, fromMs, ahead + cost * unit);
    return { dueMs, retryAfterMs: 0 };
  }

  expiryMs(state: RateState): number {
    return this.#outflow.whenAhead([...state], 0, 0);
  }
}
