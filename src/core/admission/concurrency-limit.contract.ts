import { expect } from 'vitest';
import { SeededRandom } from '../seeded-random.js';
import { ConcurrencyLimit } from './concurrency-limit.js';
import type { LimitAlgorithm } from './concurrency-limit-algorithm.js';
import { ConcurrencyLimiter } from './concurrency-limiter.js';

export type Times = 'constant' | 'exponential' | 'lognormal';

export interface Conditions {
  readonly slots: number;
  readonly serviceMs: number;
  readonly times: Times;
  /** Of the logarithm of lognormal times. 1: a standard deviation of 1.3 means, one in a hundred six means. */
  readonly sigma: number;
  /** Offered by capacity. Arrivals are independent of each other and of what became of them (an open loop). */
  readonly load: number;
  /** How many come at once. */
  readonly bunch: number;
  /** Which of those that wait for a slot is next. */
  readonly next: 'oldest' | 'newest';
}

export interface Observed {
  readonly done: number;
  /** Done by what the slots could do. */
  readonly throughput: number;
  readonly refused: number;
  readonly largest: number;
  readonly smallest: number;
  /** At the end. */
  readonly limit: number;
}

const WAITING = 1 << 14;

/**
 * A server with some slots, requests waiting for them behind the limiter, and those that the limiter refuses lost.
 * All on a virtual clock: a million events take a tenth of a second.
 */
export class ModelServer {
  readonly #limiter: ConcurrencyLimiter;
  readonly #random: SeededRandom;
  /** Those in a slot, as a heap: the first to finish at the top, beside when each was let in. */
  readonly #finish = new Float64Array(4_096);
  readonly #began = new Float64Array(4_096);
  #busy = 0;
  readonly #waiting = new Float64Array(WAITING);
  #head = 0;
  #tail = 0;
  #conditions: Conditions = {
    slots: 20,
    serviceMs: 20,
    times: 'constant',
    sigma: 1,
    load: 2,
    bunch: 1,
    next: 'oldest',
  };
  #now = 0;
  #arrivalMs = 0;
  #toHang = 0;

  constructor(algorithm: LimitAlgorithm, conditions: Partial<Conditions> = {}, seed = 1) {
    this.#limiter = new ConcurrencyLimiter(algorithm);
    this.#random = new SeededRandom(seed);
    this.become(conditions);
  }

  /** From now on; those already in a slot keep their time. */
  become(conditions: Partial<Conditions>): this {
    this.#conditions = { ...this.#conditions, ...conditions };
    this.#fill();
    return this;
  }

  /** The next so many that are let in never end, in no slot. */
  hang(count: number): void {
    this.#toHang += count;
  }

  /** Nothing is done for a while, and goes on where it stopped. */
  pause(ms: number): void {
    for (let at = 0; at < this.#busy; at++) this.#finish[at]! += ms;
  }

  run(seconds: number): Observed {
    const { slots, serviceMs, load, bunch } = this.#conditions;
    const gapMs = (bunch * serviceMs) / slots / load;
    const endMs = this.#now + seconds * 1_000;
    let done = 0;
    let offered = 0;
    let refused = 0;
    let largest = 0;
    let smallest = Number.POSITIVE_INFINITY;
    for (;;) {
      const finishMs = this.#busy > 0 ? this.#finish[0]! : Number.POSITIVE_INFINITY;
      const isArrival = this.#arrivalMs < finishMs;
      const nextMs = isArrival ? this.#arrivalMs : finishMs;
      if (nextMs >= endMs) break;
      this.#now = nextMs;
      if (isArrival) {
        offered += bunch;
        for (let left = bunch; left > 0; left--) if (!this.#arrive()) refused++;
        this.#arrivalMs = nextMs + this.#exponential(gapMs);
      } else {
        done++;
        this.#leave();
      }
      const { limit } = this.#limiter;
      if (limit > largest) largest = limit;
      if (limit < smallest) smallest = limit;
    }
    this.#now = endMs;
    const throughput = (done * serviceMs) / (slots * seconds * 1_000);
    return { done, throughput, refused: refused / offered, largest, smallest, limit: this.#limiter.limit };
  }

  #arrive(): boolean {
    if (!this.#limiter.tryAcquire(this.#now)) return false;
    if (this.#toHang > 0) this.#toHang--;
    else {
      this.#waiting[this.#tail++ % WAITING] = this.#now;
      this.#fill();
    }
    return true;
  }

  #leave(): void {
    this.#limiter.release(this.#began[0]!, this.#now);
    this.#pop();
    this.#fill();
  }

  #fill(): void {
    const { slots, next } = this.#conditions;
    while (this.#busy < slots && this.#head < this.#tail) {
      const index = next === 'oldest' ? this.#head++ : --this.#tail;
      this.#push(this.#now + this.#serviceMs(), this.#waiting[index % WAITING]!);
    }
  }

  #serviceMs(): number {
    const { serviceMs, times, sigma } = this.#conditions;
    if (times === 'constant') return serviceMs;
    if (times === 'exponential') return this.#exponential(serviceMs);
    const normal = Math.sqrt(this.#exponential(2)) * Math.cos(2 * Math.PI * this.#random.next());
    return serviceMs * Math.exp(sigma * normal - sigma ** 2 / 2);
  }

  #exponential(mean: number): number {
    return -mean * Math.log((this.#random.uint32() + 1) / 0x1_0000_0000);
  }

  #push(finishMs: number, beganMs: number): void {
    let hole = this.#busy++;
    for (
      let parent = (hole - 1) >> 1;
      hole > 0 && this.#finish[parent]! > finishMs;
      parent = (hole - 1) >> 1
    ) {
      this.#move(parent, hole);
      hole = parent;
    }
    this.#finish[hole] = finishMs;
    this.#began[hole] = beganMs;
  }

  #pop(): void {
    const last = --this.#busy;
    const finishMs = this.#finish[last]!;
    const beganMs = this.#began[last]!;
    let hole = 0;
    for (let child = 1; child < last; child = 2 * hole + 1) {
      if (child + 1 < last && this.#finish[child + 1]! < this.#finish[child]!) child++;
      if (this.#finish[child]! >= finishMs) break;
      this.#move(child, hole);
      hole = child;
    }
    this.#finish[hole] = finishMs;
    this.#began[hole] = beganMs;
  }

  #move(from: number, to: number): void {
    this.#finish[to] = this.#finish[from]!;
    this.#began[to] = this.#began[from]!;
  }
}

/** The usual server of these tests has 20 slots and takes 20 ms: its knee is 20, its capacity 1000 a second. */
export function server(conditions: Partial<Conditions> = {}, initialLimit = 20): ModelServer {
  return new ModelServer(new ConcurrencyLimit({ initialLimit }), conditions);
}

/** Little above the knee, and next to nothing of the throughput lost, dips and all. */
export function expectAtKnee(observed: Observed, knee: number): void {
  expect(observed.largest).toBeLessThanOrEqual(1.5 * knee);
  expect(observed.throughput).toBeGreaterThanOrEqual(0.95);
}
