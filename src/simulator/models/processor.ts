import { checkNonNegative, checkPositive } from '../../core/check.js';
import { elapsedMs } from '../../core/elapsed.js';
import { Event } from '../kernel/event.js';
import type { Kernel } from '../kernel/kernel.js';
import { type Work, WorkQueue } from './work-queue.js';

export type { Work } from './work-queue.js';

/**
 * Cores that share themselves among all works alike, as a scheduler with short slices does. Each work uses one core at
 * most: with n works on c cores each advances by speed · min(1, c / n).
 *
 * All advance alike, so one number tells how far each has come: the virtual time V, which is what a work that was there
 * all along has been given. A work that comes at V is done at V + cost whatever comes or goes meanwhile; only when V
 * gets there changes. So the processor is one timer, for the first end, and n works cost nothing while they run.
 */
export class Processor extends Event {
  readonly #kernel: Kernel;
  readonly #queue = new WorkQueue();
  #cores: number;
  #speed: number;
  /** V, and the instant at which it was that. */
  #virtualMs = 0;
  #atMs: number;
  /** How fast V goes. */
  #rate = 0;
  #usedMs = 0;
  /** What the timer was set for. */
  #timedEnd = 0;
  #timedRate = 0;

  /** Cores may be a fraction, and 0: then nothing moves. */
  constructor(kernel: Kernel, cores: number, speed: number) {
    super();
    this.#kernel = kernel;
    this.#cores = checkNonNegative('cores', cores);
    this.#speed = checkPositive('speed', speed);
    this.#atMs = kernel.now;
  }

  /** How many works there are. */
  get active(): number {
    return this.#queue.size;
  }

  /** Core-milliseconds spent until now: utilization is their growth, over time passed and cores reserved. */
  usedMs(): number {
    return this.#usedMs + elapsedMs(this.#atMs, this.#kernel.now) * this.#busyCores();
  }

  /** The cost is in milliseconds of one core of speed 1. Also a work of no cost is done later, if in this instant. */
  add(work: Work, costMs: number): void {
    if (work.workPlace >= 0) throw new Error('a work can be on a processor only once');
    checkNonNegative('costMs', costMs);
    this.#advance();
    work.workEnd = this.#virtualMs + costMs;
    this.#queue.add(work);
    this.#changed();
  }

  /** Gives up on a work, and says how much of its cost had not been spent; 0 when it is not there. */
  remove(work: Work): number {
    if (!this.#queue.has(work)) return 0;
    this.#advance();
    const undone = Math.max(0, work.workEnd - this.#virtualMs);
    this.#take(work);
    this.#changed();
    return undone;
  }

  /** From now on; what has been done stays done. */
  setCapacity(cores: number, speed: number): void {
    checkNonNegative('cores', cores);
    checkPositive('speed', speed);
    this.#advance();
    this.#cores = cores;
    this.#speed = speed;
    this.#changed();
  }

  /** The timer: the first work is done. */
  happen(now: number): void {
    this.#advance();
    let first = this.#queue.first;
    // The first one is done because its timer says so. V may be a rounding short of its end, and asking V would set
    // the timer for this same instant again, and again. The others are done when the clock cannot tell their end from
    // now.
    do {
      this.#take(first!);
      first!.onWorkDone(now);
      first = this.#queue.first;
    } while (first !== undefined && this.#endMs(first) <= now);
    this.#changed();
  }

  #busyCores(): number {
    return Math.min(this.#queue.size, this.#cores);
  }

  #advance(): void {
    const { now } = this.#kernel;
    const passedMs = elapsedMs(this.#atMs, now);
    this.#usedMs += passedMs * this.#busyCores();
    this.#virtualMs += passedMs * this.#rate;
    this.#atMs = now;
  }

  /** V starts anew whenever nobody is there, so that after a day it still counts in nanoseconds of nanoseconds. */
  #take(work: Work): void {
    this.#queue.remove(work);
    if (this.#queue.size === 0) this.#virtualMs = 0;
  }

  #endMs(work: Work): number {
    return this.#atMs + (work.workEnd - this.#virtualMs) / this.#rate;
  }

  /** After any change: how fast V goes from here, and when the first work is done. */
  #changed(): void {
    const { size, first } = this.#queue;
    this.#rate = size === 0 ? 0 : this.#speed * Math.min(1, this.#cores / size);
    if (first === undefined || this.#rate === 0) {
      this.#kernel.cancel(this);
    } else if (!this.isScheduled || first.workEnd !== this.#timedEnd || this.#rate !== this.#timedRate) {
      this.#timedEnd = first.workEnd;
      this.#timedRate = this.#rate;
      // V may be a rounding past an end whose timer is this very instant.
      this.#kernel.at(Math.max(this.#kernel.now, this.#endMs(first)), this);
    }
  }
}
