import { elapsedMs } from '../../core/elapsed.js';

/**
 * Some seconds: a neighbour on the machine comes and goes, and over one second of little work the quotient of two small
 * differences is mostly noise.
 */
const DECAY_MS = 5_000;

/**
 * How much CPU a millisecond of a busy event loop is: 1 when it has a processor to itself, less when it waits for one
 * (neighbours, a container's quota), since slices are measured with a clock that does not stop meanwhile.
 */
export class CpuScale {
  #cpuMs = 0;
  #busyMs = 0;
  #lastCpuMs: number | undefined;
  #lastBusyMs = 0;
  #at = Number.NEGATIVE_INFINITY;

  /** Both since the thread began: the CPU it has used, and how long its event loop was not idle. */
  observe(cpuMsTotal: number, busyMsTotal: number, now: number): void {
    const kept = Math.exp(-elapsedMs(this.#at, now) / DECAY_MS);
    if (this.#lastCpuMs !== undefined) {
      this.#cpuMs = this.#cpuMs * kept + Math.max(0, cpuMsTotal - this.#lastCpuMs);
      this.#busyMs = this.#busyMs * kept + Math.max(0, busyMsTotal - this.#lastBusyMs);
    }
    this.#lastCpuMs = cpuMsTotal;
    this.#lastBusyMs = busyMsTotal;
    this.#at = now;
  }

  /** Never above 1: CPU that is used while the loop is idle was used by other threads, or by the kernel on its way. */
  get value(): number {
    return this.#cpuMs < this.#busyMs ? this.#cpuMs / this.#busyMs : 1;
  }
}
