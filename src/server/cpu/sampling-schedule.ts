import { checkPositive } from '../../core/check.js';
import { elapsedMs } from '../../core/elapsed.js';
import type { Random } from '../../core/environment.js';

/** How much measuring may cost. */
export interface SamplingOptions {
  /** Share of the process's CPU that measuring may use, on average over time. */
  readonly budget: number;
  /** Share of the time in which is measured; `auto` = as much as the budget allows, all of it when that is enough. */
  readonly duty: number | 'auto';
}

/** How long requests are taken in. At 20,000/s that is a thousand of them, at most. */
const OPEN_MS = 50;

/**
 * How long those taken in are followed beyond that. Few requests take longer; for them it counts what they used until
 * then.
 */
const TRAIL_MS = 1_000;

/** How often it is looked whether all of them are finished. */
const POLL_MS = 5;

/** What was learned is never older than this, whatever that costs. */
const MOST_CLOSED_MS = 10_000;

/** Not so rarely that a change of costs goes unseen, whatever the budget. */
const LEAST_DUTY = 0.01;

/**
 * When to measure. Requests that begin while a window is open are measured to their end, so the window trails until
 * the last of them is finished; then nothing is measured until the next. How long that is follows from what measuring
 * costs here: the events it looks at, times what one takes, over the CPU used meanwhile. Where requests are expensive
 * that is next to nothing, the window never closes, and sampled is exact.
 */
export class SamplingSchedule {
  readonly #options: SamplingOptions;
  readonly #eventMs: number;
  readonly #random: Random;
  #state: 'closed' | 'open' | 'trailing' = 'closed';
  #window = 0;
  #openedAtMs = 0;
  #trailsSinceMs = 0;
  #events = 0;
  #cpuMs = 0;

  /** One event takes `eventMs`. */
  constructor(options: SamplingOptions, eventMs: number, random: Random) {
    this.#options = options;
    this.#eventMs = checkPositive('eventMs', eventMs);
    this.#random = random;
  }

  /** Requests that begin now are to be measured. */
  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** Something is being measured. */
  get isMeasuring(): boolean {
    return this.#state !== 'closed';
  }

  /** Which window this is, from 1. */
  get window(): number {
    return this.#window;
  }

  /**
   * Goes on to what is next and returns after how many ms to step again. `events` and `cpuMs` are since the process
   * began; `inFlight`, how many of those taken in are not finished.
   */
  step(now: number, events: number, cpuMs: number, inFlight: number): number {
    if (this.#state === 'closed') {
      this.#window += 1;
      return this.#open(now, events, cpuMs);
    }
    const duty = this.#duty(events - this.#events, cpuMs - this.#cpuMs);
    if (this.#state === 'open') {
      if (duty >= 1) return this.#open(now, events, cpuMs);
      this.#state = 'trailing';
      this.#trailsSinceMs = now;
    }
    if (inFlight > 0 && elapsedMs(this.#trailsSinceMs, now) < TRAIL_MS) return POLL_MS;
    this.#state = 'closed';
    return this.#closedMs(elapsedMs(this.#openedAtMs, now), duty);
  }

  /** Nothing is measured any more; the next step opens. */
  reset(): void {
    this.#state = 'closed';
  }

  #open(now: number, events: number, cpuMs: number): number {
    this.#state = 'open';
    this.#openedAtMs = now;
    this.#events = events;
    this.#cpuMs = cpuMs;
    return OPEN_MS;
  }

  #duty(events: number, cpuMs: number): number {
    const { budget, duty } = this.#options;
    if (duty !== 'auto') return duty;
    // Cost ÷ CPU is the share while measuring; over time it is that times the duty.
    return Math.max(LEAST_DUTY, (budget * cpuMs) / (events * this.#eventMs));
  }

  /** Half to one and a half times what it should be: work that comes by the clock must not fall into every window. */
  #closedMs(onMs: number, duty: number): number {
    const closedMs = onMs * (1 / Math.min(1, duty) - 1) * (0.5 + this.#random());
    return Math.min(MOST_CLOSED_MS, closedMs);
  }
}
