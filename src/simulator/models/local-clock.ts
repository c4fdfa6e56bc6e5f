import { checkNonNegative, checkPositive } from '../../core/check.js';
import { elapsedMs } from '../../core/elapsed.js';

/**
 * The monotonic clock of one process: its origin means nothing, it may run fast or slow, and it may leap forward (a
 * machine that slept), but it never goes back. Decisions are given its time, the kernel's timers the global one.
 */
export class LocalClock {
  #rate = 1;
  #inverse = 1;
  /** The last change, by both clocks. */
  #localMs: number;
  #globalMs = 0;

  /** What it shows at the global instant 0. */
  constructor(offsetMs = 0) {
    if (!Number.isFinite(offsetMs)) throw new RangeError(`offsetMs must be finite, got ${offsetMs}`);
    this.#localMs = offsetMs;
  }

  /** Of an instant since the last change; an earlier one counts as that. */
  toLocal(globalMs: number): number {
    return this.#localMs + elapsedMs(this.#globalMs, globalMs) * this.#rate;
  }

  /**
   * The first global instant at which this clock shows that time or a later one, no earlier than its last change. At
   * that instant it does show it: a timer set for it does not find itself a rounding too early. It may be before now
   * by a rounding when the local instant is the present one.
   */
  toGlobal(localMs: number): number {
    let globalMs = this.#globalMs + elapsedMs(this.#localMs, localMs) * this.#inverse;
    let step = Math.max(1, globalMs) * Number.EPSILON;
    for (; this.toLocal(globalMs) < localMs; step *= 2) globalMs += step;
    return globalMs;
  }

  /** From now on, `rate` local milliseconds pass in each global one. */
  change(nowGlobalMs: number, rate: number, jumpMs: number): void {
    checkPositive('rate', rate);
    checkNonNegative('jumpMs', jumpMs);
    this.#localMs = this.toLocal(nowGlobalMs) + jumpMs;
    this.#globalMs = Math.max(this.#globalMs, nowGlobalMs);
    this.#rate = rate;
    this.#inverse = 1 / rate;
  }
}
