import { checkPositive, withDefaults } from '../check.js';
import { elapsedMs } from '../elapsed.js';
import { DecayingLevel } from '../measuring/decaying-level.js';
import { believable, type UtilizationSignal } from './utilization-signal.js';

/** At which share of its limit memory is at its target. */
export interface MemoryPressureOptions {
  /** Two of them (heap and resident set) need two names. */
  readonly name: string;
  /** Share of the limit at which utilization is 1. */
  readonly target: number;
  /** After this time at a new level, 63 % of the way to it is gone. */
  readonly decayMs: number;
  /** A reading older than this says nothing any more. */
  readonly expiryMs: number;
}

export const MEMORY_PRESSURE_DEFAULTS: MemoryPressureOptions = Object.freeze({
  name: 'memory',
  // Memory in normal operation is high and steady, unlike CPU: caches fill it on purpose. The last tenth is for what is
  // admitted already.
  target: 0.9,
  // Garbage makes a saw-tooth with several teeth a second under load; two seconds show its mean. 1.5 GB fill in 15 s at
  // 100 MB/s, so there is time.
  decayMs: 2_000,
  // A sampler that has died must not go on refusing. Nothing else keeps one silent for so long.
  expiryMs: 10_000,
});

/** Memory in use against a limit: "beyond normal operational parameters" (SRE ch. 21, "memory pressure"). */
export class MemoryPressure implements UtilizationSignal {
  readonly name: string;
  readonly #limitBytes: number;
  readonly #options: MemoryPressureOptions;
  readonly #used: DecayingLevel;
  #at = Number.NEGATIVE_INFINITY;

  constructor(limitBytes: number, given?: Partial<MemoryPressureOptions>) {
    const options = withDefaults('memoryPressure', MEMORY_PRESSURE_DEFAULTS, given);
    this.#limitBytes = checkPositive('limitBytes', limitBytes);
    checkPositive('target', options.target);
    checkPositive('expiryMs', options.expiryMs);
    this.#used = new DecayingLevel({ decayMs: options.decayMs });
    this.#options = options;
    this.name = options.name;
  }

  observe(usedBytes: number, now: number): void {
    this.#used.set(now, believable(usedBytes));
    if (now > this.#at) this.#at = now;
  }

  utilization(now: number): number {
    if (elapsedMs(this.#at, now) > this.#options.expiryMs) return 0;
    return this.#used.value(now) / this.#limitBytes / this.#options.target;
  }
}
