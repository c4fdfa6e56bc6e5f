import { checkPositive } from '../check.js';
import { believable, type UtilizationSignal } from './utilization-signal.js';

/** Requests in flight against a limit that may move. Not smoothed: the count is exact, and so is the limit. */
export class InFlightSignal implements UtilizationSignal {
  readonly name = 'in-flight';
  #count = 0;
  #limit: number;

  constructor(limit: number) {
    this.#limit = checkPositive('limit', limit);
  }

  set(count: number): void {
    this.#count = believable(count);
  }

  setLimit(limit: number): void {
    this.#limit = checkPositive('limit', limit);
  }

  /** The same at any time. */
  utilization(_now?: number): number {
    return this.#count / this.#limit;
  }
}
