import { checkPositive } from '../check.js';

/**
 * How full a backend is, as seen from one side (SRE ch. 21, "Utilization Signals"). Each is fed by whoever drives it
 * and answers from what it was told: reading one costs no I/O and allocates nothing, since every request reads them
 * all.
 */
export interface UtilizationSignal {
  readonly name: string;
  /** 1 = at its target; may go above. */
  utilization(now: number): number;
}

/** One signal as `explain` lists it. */
export interface SignalReading {
  readonly name: string;
  readonly utilization: number;
}

/**
 * What is believed of a number that was measured: NaN, a negative or an infinite one is a broken measurement (a
 * division by zero, an unset limit) and counts as 0. A broken signal must not refuse everything; the others still
 * guard.
 */
export function believable(measured: number): number {
  return measured > 0 && measured < Number.POSITIVE_INFINITY ? measured : 0;
}

/** A signal of the user's own. */
export class CustomSignal implements UtilizationSignal {
  readonly name: string;
  readonly #read: (now: number) => number;
  readonly #target: number;
  #broken = 0;

  constructor(name: string, read: (now: number) => number, target: number) {
    this.name = name;
    this.#read = read;
    this.#target = checkPositive('target', target);
  }

  /** How many readings were no utilization: neither 0 nor a finite number above it, or an exception. For reports. */
  get brokenReadings(): number {
    return this.#broken;
  }

  utilization(now: number): number {
    let measured = Number.NaN;
    try {
      measured = this.#read(now);
    } catch {
      // Counted below. Passed on it would fail each request that asks for admission: a broken gauge as a full outage.
    }
    const utilization = believable(measured / this.#target);
    if (utilization === 0 && measured !== 0) this.#broken++;
    return utilization;
  }
}

/** `read` returns a level, in the same unit as `target`. It is called for every request: keep it to a field read. */
export function customSignal(name: string, read: (now: number) => number, target = 1): CustomSignal {
  return new CustomSignal(name, read, target);
}
