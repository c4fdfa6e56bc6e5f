import type { Cells, Random } from '../../core/index.js';
import { FewStates, MOST_FEW } from './few-states.js';
import { KEY_CELLS, sought } from './sought-key.js';
import { StateSegment } from './state-segment.js';

/** What a table must know of the states in it. */
export interface StateKind {
  /** Numbers of a state; 0: a list of its own. */
  readonly width: number;
  expiryAt(cells: Cells, at: number): number;
  /** What still passes: 0 is somebody who is at the limit. */
  remainingAt(cells: Cells, at: number, now: number): number;
}

/** Redis samples 5 and is near the best choice; a few more cost less than the key that comes. */
const SAMPLES = 8;

/**
 * A segment is copied when it grows: with one for all, two million keys would be a pause of many milliseconds. Of 256 each
 * has 8,000 then, and is copied within one, at a time of its own.
 */
const SEGMENT_BITS = 8;
/** Of a slot, which is a segment and a place in it: far more than one has at the most keys a store may have. */
const PLACE_BITS = 20;
const PLACE_MASK = (1 << PLACE_BITS) - 1;

/**
 * The states of one rule, by key. Few keys are a Map. For many, segments of states and keys: a Map of strings takes more
 * memory, and longer where that no longer fits a cache. For a counter and a key of 15 letters a slot is 32 bytes, the key
 * included, and two to four of five slots are taken. A slot is where a key is until another one is added or removed.
 *
 * There is no timer for each key: a hand goes over the slots, a few at a time, and removes what has expired.
 */
export class StateTable {
  readonly #kind: StateKind;
  #few: FewStates | undefined;
  /** By the form of keys, and the first bits of their hashes; or the few. */
  #parts: (FewStates | StateSegment | undefined)[];
  /** How many keys there are of each form; or the few. */
  #perForm: number[] = [0];
  #size = 0;
  #hand = 0;

  constructor(kind: StateKind) {
    this.#kind = kind;
    this.#few = new FewStates(kind.width);
    this.#parts = [this.#few];
  }

  get size(): number {
    return this.#size;
  }

  /** -1: none. */
  find(key: string): number {
    if (this.#few !== undefined) return this.#few.find(key);
    sought.read(key);
    const index = soughtIndex();
    const place = this.#parts[index]?.find(key) ?? -1;
    return place < 0 ? place : (index << PLACE_BITS) | place;
  }

  cells(slot: number): Cells {
    return this.#parts[slot >>> PLACE_BITS]!.cells(slot & PLACE_MASK);
  }

  at(slot: number): number {
    return this.#parts[slot >>> PLACE_BITS]!.at(slot & PLACE_MASK);
  }

  /** A key that is not here yet, with a state of zeros. */
  add(key: string): number {
    if (this.#few !== undefined && this.#size >= MOST_FEW) this.#divide(this.#few);
    this.#size++;
    if (this.#few === undefined) return this.#addToSegment(key);
    this.#perForm[0]!++;
    return this.#few.add(key);
  }

  remove(slot: number): void {
    const index = slot >>> PLACE_BITS;
    this.#parts[index]!.remove(slot & PLACE_MASK);
    this.#perForm[this.#few === undefined ? index >>> SEGMENT_BITS : 0]!--;
    this.#size--;
    if (this.#size > 0 || this.#few !== undefined) return;
    this.#few = new FewStates(this.#kind.width);
    this.#parts = [this.#few];
    this.#perForm = [0];
    this.#hand = 0;
  }

  /** Looks at the next slots; returns how many it removed. */
  sweep(now: number, count: number): number {
    let removed = 0;
    for (let looked = 0; looked < count && this.#size > 0; looked++) {
      const slot = this.#hand;
      if (this.#isTaken(slot) && this.#kind.expiryAt(this.cells(slot), this.at(slot)) <= now) {
        // The next one may have come to this place: the hand stays.
        this.remove(slot);
        removed++;
      } else this.#hand = this.#next(slot);
    }
    return removed;
  }

  /**
   * Of a few drawn by lot, the one whose loss does least: not at its limit if another is not, then the one that is forgotten
   * soonest anyway, then the one that has used least. Whoever floods a limiter with new keys thus mostly loses those.
   */
  evict(now: number, random: Random): void {
    if (this.size === 0) return;
    let victim = -1;
    let least = [0, 0, 0];
    for (let drawn = 0; drawn < SAMPLES; drawn++) {
      const slot = this.#draw(random);
      const danger = this.#danger(slot, now);
      if (victim >= 0 && !isBelow(danger, least)) continue;
      victim = slot;
      least = danger;
    }
    this.remove(victim);
  }

  #danger(slot: number, now: number): number[] {
    const cells = this.cells(slot);
    const at = this.at(slot);
    const remaining = this.#kind.remainingAt(cells, at, now);
    return [remaining === 0 ? 1 : 0, this.#kind.expiryAt(cells, at), -remaining];
  }

  /** A slot that is taken, by lot: a form of keys by how many have it, then anywhere in the segments of that. */
  #draw(random: Random): number {
    let rest = random() * this.#size;
    let form = 0;
    while (rest >= this.#perForm[form]!) rest -= this.#perForm[form++]!;
    const segments = this.#parts.length / this.#perForm.length;
    const position = segments * (rest / this.#perForm[form]!);
    const index = segments * form + Math.floor(position);
    const place = Math.floor((position % 1) * (this.#parts[index]?.places ?? 0));
    let slot = (index << PLACE_BITS) | place;
    while (!this.#isTaken(slot)) slot = this.#next(slot);
    return slot;
  }

  #isTaken(slot: number): boolean {
    const part = this.#parts[slot >>> PLACE_BITS];
    // A segment may have become smaller since.
    return part !== undefined && (slot & PLACE_MASK) < part.places && part.isTaken(slot & PLACE_MASK);
  }

  /** The slot after this one, in a segment that is there. */
  #next(slot: number): number {
    let index = slot >>> PLACE_BITS;
    if ((slot & PLACE_MASK) + 1 < (this.#parts[index]?.places ?? 0)) return slot + 1;
    do index = (index + 1) % this.#parts.length;
    while (this.#parts[index] === undefined);
    return index << PLACE_BITS;
  }

  #divide(few: FewStates): void {
    this.#few = undefined;
    this.#parts = new Array<StateSegment | undefined>(KEY_CELLS.length << SEGMENT_BITS).fill(undefined);
    this.#perForm = KEY_CELLS.map(() => 0);
    for (const [key, place] of few.entries()) {
      const slot = this.#addToSegment(key);
      const [from, to] = [few.cells(place), this.cells(slot)];
      const [fromAt, toAt] = [few.at(place), this.at(slot)];
      const width = this.#kind.width === 0 ? from.length : this.#kind.width;
      for (let i = 0; i < width; i++) to[toAt + i] = from[fromAt + i]!;
    }
  }

  #addToSegment(key: string): number {
    sought.read(key);
    const index = soughtIndex();
    this.#parts[index] ??= new StateSegment(this.#kind.width, sought.form);
    const segment = this.#parts[index];
    this.#perForm[sought.form]!++;
    return (index << PLACE_BITS) | segment.add(key);
  }
}

function soughtIndex(): number {
  return (sought.form << SEGMENT_BITS) | (sought.hash >>> (32 - SEGMENT_BITS));
}

function isBelow(some: readonly number[], others: readonly number[]): boolean {
  for (const [index, value] of some.entries()) {
    if (value !== others[index]) return value < others[index]!;
  }
  return false;
}
