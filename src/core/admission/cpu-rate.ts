import { checkPositive, withDefaults } from '../check.js';
import { elapsedMs } from '../elapsed.js';
import type { UtilizationSignal } from './utilization-signal.js';

/** At which CPU rate a server is at its target, and how much is smoothed. */
export interface CpuRateOptions {
  /** Processors reserved for this process; half of one is possible. */
  readonly processors: number;
  /** Share of them at which utilization is 1. */
  readonly target: number;
  /** After this time at a new rate, 63 % of the way to it is gone. */
  readonly decayMs: number;
  /** A rate older than this says nothing any more. */
  readonly expiryMs: number;
}

export const CPU_RATE_DEFAULTS: CpuRateOptions = Object.freeze({
  // Handlers of one Node process run on one.
  processors: 1,
  // Places the default thresholds at 64 % of the CPU for SHEDDABLE, 80 % for CRITICAL and 96 % for CRITICAL_PLUS;
  // Netflix sheds its classes from 60 % and 80 %. What remains absorbs the time until a refusal takes effect.
  target: 0.8,
  // Refusing lowers the rate at once, so this alone decides how calm the loop is. Read every 100 ms or oftener, the
  // refused share stays within 6 points of its mean at 2 × the capacity; read once a second it swings between all and
  // nothing.
  decayMs: 1_000,
  // A sampler that has died must not go on refusing. Nothing else keeps one silent for so long.
  expiryMs: 10_000,
});

/**
 * CPU rate over what is reserved (SRE ch. 21): "the current CPU rate divided by the total CPUs reserved for the
 * task".
 */
export class CpuRate implements UtilizationSignal {
  readonly name = 'cpu';
  readonly #options: CpuRateOptions;
  #totalMs = 0;
  #rate = 0;
  #at = Number.NEGATIVE_INFINITY;

  constructor(given?: Partial<CpuRateOptions>) {
    const options = withDefaults('cpuRate', CPU_RATE_DEFAULTS, given);
    checkPositive('processors', options.processors);
    checkPositive('target', options.target);
    checkPositive('decayMs', options.decayMs);
    checkPositive('expiryMs', options.expiryMs);
    this.#options = options;
  }

  /** CPU time that the process has used since it began, user and system. */
  observe(cpuMsTotal: number, now: number): void {
    const passedMs = elapsedMs(this.#at, now);
    // Two readings in one instant: the first stands, the next measures from there. A broken one measures nothing.
    if (passedMs === 0 || !Number.isFinite(cpuMsTotal)) return;
    const usedMs = cpuMsTotal - this.#totalMs;
    // A counter that began anew: nothing to measure from until the next. (The first is a rate of 0, over all time
    // before.)
    if (usedMs >= 0) {
      const rate = usedMs / passedMs;
      this.#rate = rate + (this.#rate - rate) * Math.exp(-passedMs / this.#options.decayMs);
    }
    this.#totalMs = cpuMsTotal;
    this.#at = now;
  }

  utilization(now: number): number {
    const { processors, target, expiryMs } = this.#options;
    return elapsedMs(this.#at, now) > expiryMs ? 0 : this.#rate / processors / target;
  }
}
