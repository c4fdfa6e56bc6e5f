import { believable, type UtilizationSignal } from '../../core/admission/utilization-signal.js';
import { CpuRate } from '../../core/index.js';
import { FAST_MS, type Reading } from './sampler.js';

/**
 * CPU that the process uses, all its threads together, against what it may use (SRE ch. 21: "the current CPU rate divided
 * by the total CPUs reserved for the task"). 1 = all of it.
 *
 * What is reserved can change while the process runs, so each stretch of CPU time is measured in what was reserved while
 * it was used.
 */
export class ProcessCpu implements UtilizationSignal, Reading {
  readonly name = 'cpu';
  readonly intervalMs = FAST_MS;
  readonly #cpuMs: () => number;
  readonly #limits: { readonly processors: number };
  readonly #rate = new CpuRate({ processors: 1, target: 1 });
  #totalMs = Number.NaN;
  #sharesMs = 0;

  /** `cpuMs` is the CPU time since the process began, user and system. */
  constructor(cpuMs: () => number, limits: { readonly processors: number }) {
    this.#cpuMs = cpuMs;
    this.#limits = limits;
  }

  read(now: number): void {
    const totalMs = this.#cpuMs();
    // Nothing can be added by the first reading, by a counter that began anew, by a broken one.
    this.#sharesMs += believable((totalMs - this.#totalMs) / this.#limits.processors);
    this.#totalMs = totalMs;
    this.#rate.observe(this.#sharesMs, now);
  }

  utilization(now: number): number {
    return this.#rate.utilization(now);
  }
}
