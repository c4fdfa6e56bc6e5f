import { checkInteger } from '../check.js';
import { SlotClock, type WindowOptions } from './slot-clock.js';

/** How many keys are counted: more are more exact. */
export interface HeavyHittersOptions extends WindowOptions {
  /** How many keys are counted at once. */
  readonly counters: number;
}

/** A key that came often. */
export interface HeavyHitter {
  readonly key: string;
  /** At least so many in the window. */
  readonly hits: number;
  /** Of those, at least so many were refused. */
  readonly refused: number;
}

/**
 * The keys that come most, in the memory of a few: Space-Saving (Metwally, Agrawal, El Abbadi 2005), over a window. A key
 * without a counter takes over the smallest one, and what that had counted stays with it as inherited. The smallest of m
 * counters holds at most an m-th of all hits N in the window, so every key with more than N / m of them has a counter,
 * and what is reported of it is at most N / m too low. Only its own hits are reported, never what it has inherited: when
 * millions of keys come once each, none of them looks busy. Memory: 12 bytes × counters × (slots + 1), and the keys.
 */
export class HeavyHitters {
  readonly #counters: number;
  readonly #clock: SlotClock;
  readonly #keys: (string | undefined)[];
  readonly #places = new Map<string, number>();
  /** By counter, then by slot. */
  readonly #inherited: Uint32Array;
  readonly #own: Uint32Array;
  readonly #refused: Uint32Array;
  /** Inherited and own hits of all slots. */
  readonly #totals: Float64Array;

  constructor(options: HeavyHittersOptions) {
    this.#counters = checkInteger('counters', options.counters, 1);
    this.#clock = new SlotClock(options);
    const cells = this.#counters * this.#clock.length;
    this.#keys = new Array<string | undefined>(this.#counters).fill(undefined);
    this.#inherited = new Uint32Array(cells);
    this.#own = new Uint32Array(cells);
    this.#refused = new Uint32Array(cells);
    this.#totals = new Float64Array(this.#counters);
  }

  /** `amount` is a whole number: more than 1 for one that stands for several. */
  add(key: string, amount: number, isRefused: boolean, now: number): void {
    this.#advance(now);
    const place = this.#places.get(key) ?? this.#takeOver(key);
    const cell = place * this.#clock.length + this.#clock.index;
    this.#own[cell]! += amount;
    this.#totals[place]! += amount;
    if (isRefused) this.#refused[cell]! += amount;
  }

  /** Busiest first; keys that have not come in the window are left out. */
  top(count: number, now: number): HeavyHitter[] {
    this.#advance(now);
    const all: HeavyHitter[] = [];
    for (const [key, place] of this.#places) {
      const hits = this.#sum(this.#own, place);
      if (hits > 0) all.push({ key, hits, refused: this.#sum(this.#refused, place) });
    }
    return all.sort((a, b) => b.hits - a.hits).slice(0, count);
  }

  #takeOver(key: string): number {
    const place = this.#smallest();
    const before = this.#keys[place];
    if (before !== undefined) this.#places.delete(before);
    this.#keys[place] = key;
    this.#places.set(key, place);
    const { length } = this.#clock;
    for (let cell = place * length; cell < (place + 1) * length; cell++) {
      this.#inherited[cell]! += this.#own[cell]!;
      this.#own[cell] = 0;
      this.#refused[cell] = 0;
    }
    return place;
  }

  #smallest(): number {
    const totals = this.#totals;
    let smallest = 0;
    for (let place = 1; place < totals.length; place++)
      if (totals[place]! < totals[smallest]!) smallest = place;
    return smallest;
  }

  /** Empties slots that have left the window: once a slot, not once a call. */
  #advance(now: number): void {
    const begun = this.#clock.advance(now);
    if (begun === 0) return;
    const { index, length } = this.#clock;
    for (let place = 0; place < this.#counters; place++) {
      for (let back = 0; back < begun; back++) {
        const cell = place * length + ((index - back + length) % length);
        this.#inherited[cell] = 0;
        this.#own[cell] = 0;
        this.#refused[cell] = 0;
      }
      this.#totals[place] = this.#sum(this.#inherited, place) + this.#sum(this.#own, place);
    }
  }

  #sum(cells: Uint32Array, place: number): number {
    const { length } = this.#clock;
    let sum = 0;
    for (let cell = place * length; cell < (place + 1) * length; cell++) sum += cells[cell]!;
    return sum;
  }
}
