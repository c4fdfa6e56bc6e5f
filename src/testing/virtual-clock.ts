import type { Environment } from '../core/environment.js';
import { SeededRandom } from '../core/seeded-random.js';

/**
 * Wall time at which a virtual clock starts unless told otherwise: 2026-01-01T00:00:00Z, so that dates look like
 * dates.
 */
const START_WALL_MS = 1_767_225_600_000;

/**
 * An Environment for tests: time that moves only when told to, and chance that comes from a seed. Give it to whatever
 * takes an Environment, and every run is the same run.
 */
export class VirtualClock implements Environment {
  readonly #random: SeededRandom;
  #nowMs = 0;
  #wallStartMs: number;

  constructor(options: { seed?: number; wallMs?: number } = {}) {
    this.#random = new SeededRandom(options.seed ?? 0);
    this.#wallStartMs = options.wallMs ?? START_WALL_MS;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  wallMs(): number {
    return this.#wallStartMs + this.#nowMs;
  }

  random(): number {
    return this.#random.next();
  }

  /** Lets time pass. */
  advance(ms: number): void {
    if (!(ms >= 0 && ms < Number.POSITIVE_INFINITY)) throw new RangeError(`ms must be >= 0, got ${ms}`);
    this.#nowMs += ms;
  }

  /** Sets the wall clock, forwards or back, as an operator or NTP would; monotonic time takes no notice. */
  setWall(wallMs: number): void {
    this.#wallStartMs = wallMs - this.#nowMs;
  }
}
