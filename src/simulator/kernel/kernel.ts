import { checkInteger, checkNonNegative } from '../../core/check.js';
import type { Event } from './event.js';
import { EventQueue, MOST_PRIORITY } from './event-queue.js';

/** Told now and then while a run goes on: often enough for a bar that moves, too seldom to cost anything. */
export type OnProgress = (now: number, events: number) => void;

const EVENTS_PER_PROGRESS = 50_000;

/** Virtual time, and what happens in it. */
export class Kernel {
  readonly #queue = new EventQueue();
  #now = 0;
  #events = 0;

  /** Milliseconds of virtual time. */
  get now(): number {
    return this.#now;
  }

  /** How many events have happened. */
  get events(): number {
    return this.#events;
  }

  /** How many are scheduled. */
  get scheduled(): number {
    return this.#queue.size;
  }

  /**
   * At an instant, moved if it is scheduled already. Of one instant, lower priorities happen first; of one priority,
   * those that were scheduled first.
   */
  at(timeMs: number, event: Event, priority = 0): void {
    // Written so that NaN, which would lose its place in the order, is refused too.
    if (!(timeMs >= this.#now)) throw new RangeError(`timeMs must be >= ${this.#now}, got ${timeMs}`);
    checkInteger('priority', priority, 0, MOST_PRIORITY);
    // Never: whoever asks for it means a timer that does not run.
    if (timeMs === Number.POSITIVE_INFINITY) this.#queue.remove(event);
    else this.#queue.schedule(event, timeMs, priority);
  }

  after(delayMs: number, event: Event, priority = 0): void {
    this.at(this.#now + delayMs, event, priority);
  }

  cancel(event: Event): void {
    this.#queue.remove(event);
  }

  /** Everything up to and including an instant, which is then the present one. */
  runUntil(timeMs: number, onProgress?: OnProgress): void {
    checkNonNegative('timeMs', timeMs);
    const queue = this.#queue;
    while (queue.nextMs <= timeMs) {
      this.#now = queue.nextMs;
      // Before it happens: one that throws has happened too.
      this.#events++;
      queue.shift().happen(this.#now);
      if (onProgress !== undefined && this.#events % EVENTS_PER_PROGRESS === 0)
        onProgress(this.#now, this.#events);
    }
    this.#now = Math.max(this.#now, timeMs);
  }
}
