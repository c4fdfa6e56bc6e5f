import { checkNonNegative, checkPositive, withDefaults } from '../../core/check.js';
import { elapsedMs, MemoryPressure, type UtilizationSignal } from '../../core/index.js';
import type { Reading } from './sampler.js';

/** Every request asks, and a smoothed value does not change in this time. */
const KNOWN_MS = 5;

/** How much of one kind of memory is in use, and how much there is. */
export interface MemoryUse {
  readonly usedBytes: number;
  readonly limitBytes: number;
}

/** From which share of its limit on memory counts, and how much. */
export interface MemoryOptions {
  /** Share of the limit that normal operation fills: up to here memory counts for nothing. */
  readonly normal: number;
  /** Share of the limit at which utilization is 1. */
  readonly target: number;
  /** It never says more than this. */
  readonly most: number;
}

export const MEMORY_DEFAULTS: MemoryOptions = Object.freeze({
  // SRE ch. 21: memory "beyond normal operational parameters" is the signal, not memory. Caches and a heap that has once
  // been large fill a steady half and more of a limit, and unlike CPU it does not sink when requests are refused: counted
  // from 0, a process at 75 % of its memory would refuse its SHEDDABLE requests for ever. From here the default thresholds
  // lie at 84 % for SHEDDABLE, 90 % for CRITICAL, which is half gone at 93 %.
  normal: 0.6,
  // As MEMORY_PRESSURE_DEFAULTS: the last tenth is for what is admitted already.
  target: 0.9,
  // A process that leaks would come to refuse everything and still look alive. With the default thresholds this leaves one
  // in twenty of CRITICAL and all of CRITICAL_PLUS: enough to bring a leak to its end, and a backend never stops accepting
  // altogether (SRE ch. 21).
  most: 1.19,
});

/** One kind of memory against its limit, which may move: so shares are smoothed, not bytes. */
export class MemorySignal implements UtilizationSignal, Reading {
  readonly name: string;
  readonly intervalMs: number;
  readonly #use: () => MemoryUse;
  readonly #share: MemoryPressure;
  readonly #options: MemoryOptions;
  #known = 0;
  #knownMs = Number.NEGATIVE_INFINITY;

  constructor(name: string, intervalMs: number, use: () => MemoryUse, given?: Partial<MemoryOptions>) {
    const options = withDefaults('memory', MEMORY_DEFAULTS, given);
    checkPositive('target', options.target);
    checkPositive('most', options.most);
    checkNonNegative('normal', options.normal);
    if (options.normal >= options.target) {
      throw new RangeError(`normal must be < target (${options.target}), got ${options.normal}`);
    }
    this.name = name;
    this.intervalMs = intervalMs;
    this.#use = use;
    this.#share = new MemoryPressure(1, { name, target: 1 });
    this.#options = options;
  }

  read(now: number): void {
    const { usedBytes, limitBytes } = this.#use();
    this.#share.observe(usedBytes / limitBytes, now);
    this.#knownMs = Number.NEGATIVE_INFINITY;
  }

  /** Part of the limit that is in use. */
  share(now: number): number {
    return this.#share.utilization(now);
  }

  utilization(now: number): number {
    if (elapsedMs(this.#knownMs, now) < KNOWN_MS) return this.#known;
    const { normal, target, most } = this.#options;
    const beyond = (this.share(now) - normal) / (target - normal);
    this.#known = Math.min(most, Math.max(0, beyond));
    this.#knownMs = now;
    return this.#known;
  }
}
