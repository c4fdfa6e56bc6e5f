import { elapsedMs } from '../elapsed.js';
import type { LimitSample } from './concurrency-limit-algorithm.js';

/** What passed through a server over some time. */
export class Tally {
  ms = 0;
  done = 0;
  #inFlightMs = 0;
  #latencySumMs = 0;

  /** Done per millisecond. */
  get throughput(): number {
    return this.done / this.ms;
  }

  get meanInFlight(): number {
    return this.#inFlightMs / this.ms;
  }

  /**
   * How long requests stayed, by Little's law: mean number in flight = throughput × mean stay. The average over those
   * that are done is the same in the long run. In a short time it favours the short ones, and those that starve or
   * never end (a stream, a hung call) are not in it at all; here they count with the place they take.
   */
  get stayMs(): number {
    return this.#inFlightMs / this.done;
  }

  /** The average over those that are done. */
  get latencyMs(): number {
    return this.#latencySumMs / this.done;
  }

  add(since: number, { now, inFlight, isDone, latencyMs }: LimitSample): void {
    const ms = elapsedMs(since, now);
    this.ms += ms;
    this.#inFlightMs += ms * inFlight;
    if (!isDone) return;
    this.done++;
    this.#latencySumMs += latencyMs;
  }

  addAll(other: Tally): void {
    this.ms += other.ms;
    this.done += other.done;
    this.#inFlightMs += other.#inFlightMs;
    this.#latencySumMs += other.#latencySumMs;
  }

  clear(): void {
    this.ms = 0;
    this.done = 0;
    this.#inFlightMs = 0;
    this.#latencySumMs = 0;
  }
}
