import { elapsedMs } from '../../core/elapsed.js';
import { PeakDecayingAverage, type UtilizationSignal } from '../../core/index.js';
import { FAST_MS, type Reading } from './sampler.js';

/** What `performance.eventLoopUtilization()` counts: milliseconds since the loop began. */
export interface LoopTime {
  readonly active: number;
  readonly idle: number;
}

/** As CPU_RATE_DEFAULTS: both go into load reports, where the higher one counts, and should be of one age. */
const DECAY_MS = 1_000;
const EXPIRY_MS = 10_000;

/**
 * Share of time that the event loop had something to do: how much of the one executor that JavaScript runs on is
 * used, also by work that waits for a processor which others hold.
 *
 * Taken per interval. Since the process began, as @fastify/under-pressure reads it (issue 294), a day of quiet hides
 * an hour of overload.
 *
 * It is at most 1 and says *how much* is used, never how much too much is asked for: 1 × and 10 × the capacity look the
 * same. And it is blind to stalls: a loop that is blocked for 150 ms in every second reads .15 (platformatic 4957). What
 * tells of both is the time that requests wait, see QueuePressure; `lagMs` shows stalls to people.
 */
export class EventLoopLoad implements UtilizationSignal, Reading {
  readonly name = 'event-loop';
  readonly intervalMs = FAST_MS;
  readonly #loopTime: () => LoopTime;
  readonly #lag = new PeakDecayingAverage();
  #activeMs = Number.NaN;
  #idleMs = Number.NaN;
  #share = 0;
  #at = Number.NEGATIVE_INFINITY;

  constructor(loopTime: () => LoopTime) {
    this.#loopTime = loopTime;
  }

  read(now: number): void {
    const { active, idle } = this.#loopTime();
    const activeMs = active - this.#activeMs;
    const idleMs = idle - this.#idleMs;
    this.#activeMs = active;
    this.#idleMs = idle;
    const passedMs = activeMs + idleMs;
    // The first covers the start of the process, in which modules are loaded: that is no load. Both are 0 until the loop
    // has begun, and idle time that falls (seen as a NaN or below 0) is a broken reading.
    if (!(activeMs >= 0 && idleMs >= 0 && passedMs > 0)) return;
    const share = activeMs / passedMs;
    this.#share = share + (this.utilization(now) - share) * Math.exp(-passedMs / DECAY_MS);
    if (now > this.#at) this.#at = now;
  }

  /** A timer fired so much later than it was due. */
  observeLag(lateMs: number, now: number): void {
    this.#lag.observe(now, lateMs);
  }

  utilization(now: number): number {
    return elapsedMs(this.#at, now) > EXPIRY_MS ? 0 : this.#share;
  }

  /** How late timers are: the worst of the last seconds, forgiven over ten. */
  lagMs(now: number): number {
    return this.#lag.value(now);
  }
}
