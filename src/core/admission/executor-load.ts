import { checkPositive, withDefaults } from '../check.js';
import { DecayingLevel } from '../measuring/decaying-level.js';
import { believable, type UtilizationSignal } from './utilization-signal.js';

/** How much runnable work is too much, and over how long it is smoothed: a burst is swallowed, a lasting one is not. */
export interface ExecutorLoadOptions {
  /** Processors that runnable work can run on. */
  readonly processors: number;
  /** Runnable work per processor at which utilization is 1. */
  readonly target: number;
  /** After this time at a new level, 63 % of the way to it is gone. */
  readonly decayMs: number;
}

export const EXECUTOR_LOAD_DEFAULTS: ExecutorLoadOptions = Object.freeze({
  // An event loop is one.
  processors: 1,
  // SRE ch. 21: refuse when there are more active threads than processors for them. On many processors that is close
  // to full use. On one, chance alone makes it 1 at 59 % use, 4.9 at 90 % and 10 at 95 % (requests at random, equal
  // in cost: ρ + ρ²/2(1 − ρ)): a single event loop that should be used fully needs a target of that size.
  target: 1,
  // A request that fans out into 100 operations of 0.2 ms makes 50 runnable for 20 ms on average: half of one over 2 s,
  // which is swallowed. Ten that stay are seen after 2 s · ln(10/9) = 0.2 s.
  decayMs: 2_000,
});

/**
 * The executor load average (SRE ch. 21): runnable work, which is running or ready to run and waiting for a processor,
 * smoothed exponentially. A short burst is swallowed; a lasting one is not.
 *
 * It says *that* there is too much. For *how much* to refuse it comes too late: a queue grows as long as too much is
 * admitted, and smoothing tells of it afterwards, so a share that follows it swings (by ten points at 2 × the capacity,
 * where that of QueuePressure does by two).
 */
export class ExecutorLoad implements UtilizationSignal {
  readonly name = 'executor-load';
  readonly #runnable: DecayingLevel;
  readonly #full: number;

  constructor(given?: Partial<ExecutorLoadOptions>) {
    const options = withDefaults('executorLoad', EXECUTOR_LOAD_DEFAULTS, given);
    const processors = checkPositive('processors', options.processors);
    this.#full = processors * checkPositive('target', options.target);
    this.#runnable = new DecayingLevel({ decayMs: options.decayMs });
  }

  /** From now on so much is running or ready to run. */
  setRunnable(count: number, now: number): void {
    this.#runnable.set(now, believable(count));
  }

  utilization(now: number): number {
    return this.#runnable.value(now) / this.#full;
  }
}
