import { checkPositive } from '../../core/check.js';
import { elapsedMs } from '../../core/elapsed.js';

/**
 * CPU, loop and heap together take 2 µs: often enough for CpuRate, whose refused share swings when it is read once a
 * second, and for the saw-tooth of a heap, which has several teeth a second.
 */
export const FAST_MS = 100;

/** The resident set moves slowly, and asking for it opens a file. */
export const SLOW_MS = 1_000;

/** Something to be read every so often. */
export interface Reading {
  readonly name: string;
  readonly intervalMs: number;
  /** Takes as long as a reading takes, and may throw. */
  read(now: number): void;
}

export interface SamplerOptions {
  readonly monotonicMs: () => number;
  /** Told how late each of the sampler's own timers was. */
  readonly onLate?: (lateMs: number, now: number) => void;
}

/** Timers count whole milliseconds: one of 100 comes 99.2 ms after the last, and must not find nothing due. */
const TIMER_GRAIN_MS = 1;

interface Scheduled {
  readonly reading: Reading;
  dueMs: number;
  failures: number;
}

/**
 * Reads each reading when it is due. A timer alone comes late on exactly the loop that is to be measured (hapi 1536:
 * with enough load the next sample is never reached), so whoever runs requests also calls `poll` as it goes; the timer is
 * for when nothing runs. How far apart readings really were is seen from `now`: none of them assumes its interval.
 */
export class Sampler {
  readonly #scheduled: readonly Scheduled[];
  readonly #options: SamplerOptions;
  readonly #timerMs: number;
  #nextMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #timerDueMs = 0;

  constructor(readings: readonly Reading[], options: SamplerOptions) {
    this.#scheduled = readings.map((reading) => {
      checkPositive(`intervalMs of ${reading.name}`, reading.intervalMs);
      return { reading, dueMs: Number.NEGATIVE_INFINITY, failures: 0 };
    });
    this.#timerMs = Math.min(...readings.map(({ intervalMs }) => intervalMs));
    this.#options = options;
  }

  /** Reads all once, and from then on by itself. The timer keeps no process alive. */
  start(): void {
    if (this.#timer !== undefined || this.#scheduled.length === 0) return;
    const now = this.#options.monotonicMs();
    this.poll(now);
    this.#timerDueMs = now + this.#timerMs;
    this.#timer = setInterval(() => this.#onTimer(), this.#timerMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Reads what is due. One comparison when nothing is: for every turn of a loop. */
  poll(now: number): void {
    if (now >= this.#nextMs) this.#readDue(now);
  }

  /** How often each reading failed, for reports. */
  failures(): Record<string, number> {
    return Object.fromEntries(this.#scheduled.map(({ reading, failures }) => [reading.name, failures]));
  }

  #onTimer(): void {
    const now = this.#options.monotonicMs();
    this.#options.onLate?.(elapsedMs(this.#timerDueMs, now), now);
    this.#timerDueMs = now + this.#timerMs;
    this.poll(now);
  }

  #readDue(now: number): void {
    let nextMs = Number.POSITIVE_INFINITY;
    for (const scheduled of this.#scheduled) {
      if (now >= scheduled.dueMs) {
        scheduled.dueMs = now + scheduled.reading.intervalMs - TIMER_GRAIN_MS;
        try {
          scheduled.reading.read(now);
        } catch {
          // Out of file descriptors, say. A signal that is not fed expires by itself; the loop that polls must go on.
          scheduled.failures++;
        }
      }
      if (scheduled.dueMs < nextMs) nextMs = scheduled.dueMs;
    }
    this.#nextMs = nextMs;
  }
}
