import { elapsedMs } from '../../core/elapsed.js';
import type { ProcessReadings } from './process-readings.js';
import { FAST_MS, type Reading } from './sampler.js';

/** Less work than this in an interval says nothing: its parts are rounded. */
const LEAST_ACTIVE_MS = 5;

/** What stood still for a while may do so again: it is forgotten over a second. */
const DECAY_MS = 1_000;

type Source = Pick<ProcessReadings, 'cpuMs' | 'loopTime' | 'heldUpMs'>;

/**
 * How many times longer the event loop takes for what it does than it uses a processor: 1 on a machine of its own, 5 where
 * it gets a fifth of one. A queue is as long then as at five times the load, and yet nothing is too much: who refuses for
 * it gains nothing, as the time goes to others.
 *
 * Linux says for how long a thread was held up; elsewhere the loop counts as busy from the time it was given a processor
 * on, so that waits for the first moment of it are missed.
 */
export class Slowdown implements Reading {
  readonly name = 'slowdown';
  readonly intervalMs = FAST_MS;
  readonly #source: Source;
  readonly #most: number;
  readonly #onRead: (times: number) => void;
  #cpuMs = Number.NaN;
  #takenMs = Number.NaN;
  #at = Number.NEGATIVE_INFINITY;
  #times = 1;

  constructor(source: Source, most: number, onRead: (times: number) => void) {
    this.#source = source;
    this.#most = most;
    this.#onRead = onRead;
  }

  get times(): number {
    return this.#times;
  }

  read(now: number): void {
    const cpuMs = this.#source.cpuMs();
    const heldUpMs = this.#source.heldUpMs?.();
    const takenMs = heldUpMs === undefined ? this.#source.loopTime().active : cpuMs + heldUpMs;
    const [usedMs, activeMs] = [cpuMs - this.#cpuMs, takenMs - this.#takenMs];
    const kept = Math.exp(-elapsedMs(this.#at, now) / DECAY_MS);
    this.#cpuMs = cpuMs;
    this.#takenMs = takenMs;
    this.#at = now;
    const isSaying = usedMs >= 0 && activeMs >= LEAST_ACTIVE_MS;
    const read = isSaying ? Math.min(this.#most, activeMs / Math.max(usedMs, 1)) : 1;
    this.#times = Math.max(read, 1 + (this.#times - 1) * kept);
    this.#onRead(this.#times);
  }
}
