import type { LimitSample } from './concurrency-limit-algorithm.js';
import { Tally } from './concurrency-limit-tally.js';

/**
 * A mean of n has a relative error of √(variation / n). 150 for each unit of variation: 8 %. What is known of the
 * variation comes from busy times, when waiting evens it out: about 10 % in truth.
 */
const WANTED = 150;
/** 18 % for exponential times. */
const LEAST = 30;
/** A server that does 75 in 2 s is measured for 2 s, and a slower one until it has done the least. */
const WANTED_MS = 2_000;
/** A server that is four times as slow as expected can still be measured; one that hangs is not waited for. */
const PATIENCE = 4;
/** With fewer the error is a third: that would move the limit further than not knowing. */
const TOO_FEW = 10;

/**
 * A short time at a low limit, to learn how long requests take when none waits for another. Measuring begins when the
 * number in flight has come down to the level, and as many again are done: nobody is let in while it drains, so those
 * that are left then have been there for long, and end early. Taken for the whole truth they make the stay of two
 * generations 14 % too short.
 */
export class Dip {
  readonly #tally = new Tally();
  #level = 1;
  #wanted = 0;
  #deadlineMs = 0;
  /** Completions until those that were there before it are gone. Infinite while it drains. */
  #toPass = Number.POSITIVE_INFINITY;
  #isFull = false;

  get level(): number {
    return this.#level;
  }

  /** How many requests it has measured. */
  get done(): number {
    return this.#tally.done;
  }

  /** `stayMs` is how long requests stay at present; with fewer in flight it is expected to be no longer. */
  begin(level: number, stayMs: number, variation: number, now: number): void {
    const eachMs = stayMs / level;
    const wanted = Math.max(LEAST, 2 * level, Math.min(WANTED * variation, WANTED_MS / eachMs));
    // Whole generations, at least two: with constant times requests stay bunched as the drain left them, and any other
    // number would cut a bunch in two.
    this.#wanted = Math.ceil(wanted / level) * level;
    this.#deadlineMs = now + PATIENCE * (stayMs + (level + this.#wanted) * eachMs);
    this.#level = level;
    this.#toPass = Number.POSITIVE_INFINITY;
    this.#tally.clear();
  }

  /** True when the dip is over. */
  add(since: number, sample: LimitSample): boolean {
    this.#isFull = sample.inFlight >= this.#level;
    // Measured from completion to completion.
    if (this.#toPass === 0) this.#tally.add(since, sample);
    else if (sample.isDone && sample.inFlight <= this.#level) {
      this.#toPass = Math.min(this.#toPass, this.#level + 1) - 1;
    }
    return this.#tally.done >= this.#wanted || sample.now >= this.#deadlineMs;
  }

  /**
   * How long they stayed. Undefined when too few came to tell; infinite when they came and did not end, because hung
   * requests take all the room there is.
   */
  get measuredMs(): number | undefined {
    if (this.#tally.done >= TOO_FEW) return this.#tally.stayMs;
    return this.#isFull ? Number.POSITIVE_INFINITY : undefined;
  }
}
