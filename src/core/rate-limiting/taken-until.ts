import { elapsedMs } from '../elapsed.js';
import type { Cells } from './in-place-algorithm.js';
import type { RateScale } from './rate-scale.js';

/**
 * The instant up to which a line of requests at a constant rate is taken: whole milliseconds and a fraction in grains,
 * 0 ≤ fraction < perMs, since an interval of windowMs / limit is seldom whole. State: [ms, fraction].
 *
 * It is also the state's own latest time: an earlier `now` only finds more taken. That is at most twice the capacity
 * (the debt included), so a `now` that is earlier than such a state can have been made counts as that instant.
 */
export class TakenUntil {
  readonly #perMs: number;
  readonly #mostMs: number;

  constructor({ perMs, capacity }: RateScale) {
    this.#perMs = perMs;
    this.#mostMs = Math.ceil((2 * capacity) / perMs);
  }

  /** From when `ahead` and `put` count: `ms`, or the earliest instant at which this state can have been made. */
  fromMs(cells: Cells, at: number, ms: number): number {
    return Math.max(ms, cells[at]! - this.#mostMs);
  }

  /** Grains that are taken after that instant. */
  ahead(cells: Cells, at: number, fromMs: number): number {
    const untilMs = cells[at]!;
    return untilMs < fromMs ? 0 : elapsedMs(fromMs, untilMs) * this.#perMs + cells[at + 1]!;
  }

  put(cells: Cells, at: number, fromMs: number, grains: number): void {
    cells[at] = fromMs + Math.floor(grains / this.#perMs);
    cells[at + 1] = grains % this.#perMs;
  }

  /** The first whole instant at which no more than `grains` are ahead; they may be negative. */
  whenAhead(cells: Cells, at: number, grains: number): number {
    return cells[at]! + Math.ceil((cells[at + 1]! - grains) / this.#perMs);
  }
}
