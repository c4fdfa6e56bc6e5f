import type { Cells } from '../../core/index.js';
import { hashAt, KEY_CELLS, sought, TEXT_FORM } from './sought-key.js';

/** A power of two, as all numbers of places. */
const LEAST_PLACES = 16;

/**
 * Of the places that are taken. At four fifths a key is found at the third place on average, mostly in the same line of a
 * cache or the next; with fewer taken the table is larger than a cache is, which costs more.
 */
const FULLEST = 0.8;
/** Half of what a table has when it has just grown. */
const EMPTIEST = 0.2;

const WORDS_A_CELL = 2;

/**
 * States by the hashes of their keys, for keys of one form: open addressing, the next place when one is taken. A place is a
 * state and its key right behind, so that a lookup goes to one place in memory. Who leaves is made up for by moving those
 * who come after, so that nothing is left behind that would lengthen ways.
 */
export class StateSegment {
  readonly #keyForm: number;
  /** Words of a place, and those before its key. */
  readonly #stride: number;
  readonly #keyAt: number;
  #mask = LEAST_PLACES - 1;
  #size = 0;
  #cells: Float64Array;
  /** The same memory: as numbers with a fraction, bytes of keys need not stay what they are. */
  #words: Int32Array;
  #lists: (number[] | undefined)[] | undefined;
  #texts: (string | undefined)[] | undefined;

  /** Width 0: a list for each state. */
  constructor(width: number, keyForm: number) {
    this.#keyForm = keyForm;
    this.#stride = WORDS_A_CELL * (width + KEY_CELLS[keyForm]!);
    this.#keyAt = WORDS_A_CELL * width;
    this.#lists = width > 0 ? undefined : [];
    this.#texts = keyForm === TEXT_FORM ? [] : undefined;
    this.#cells = new Float64Array((this.places * this.#stride) / WORDS_A_CELL);
    this.#words = new Int32Array(this.#cells.buffer);
  }

  get size(): number {
    return this.#size;
  }

  get places(): number {
    return this.#mask + 1;
  }

  /** Of the key that is sought; -1: none. */
  find(key: string): number {
    const words = this.#words;
    const mask = this.#mask;
    for (let place = sought.hash & mask; ; place = (place + 1) & mask) {
      const at = place * this.#stride + this.#keyAt;
      if (words[at] === 0) return -1;
      if (sought.isAt(words, at) && (this.#texts === undefined || this.#texts[place] === key)) return place;
    }
  }

  isTaken(place: number): boolean {
    return this.#words[place * this.#stride + this.#keyAt] !== 0;
  }

  cells(place: number): Cells {
    return this.#lists === undefined ? this.#cells : this.#lists[place]!;
  }

  at(place: number): number {
    return this.#lists === undefined ? (place * this.#stride) / WORDS_A_CELL : 0;
  }

  /** The key that is sought and not here yet, with a state of zeros. Others may be at other places afterwards. */
  add(key: string): number {
    if (++this.#size > FULLEST * this.places) this.#resize(2 * this.places);
    const place = this.#freeFrom(sought.hash);
    sought.write(this.#words, place * this.#stride + this.#keyAt);
    if (this.#texts !== undefined) this.#texts[place] = key;
    if (this.#lists !== undefined) this.#lists[place] = [];
    return place;
  }

  /** Others may be at other places afterwards. */
  remove(gone: number): void {
    let hole = gone;
    for (let place = (hole + 1) & this.#mask; this.isTaken(place); place = (place + 1) & this.#mask) {
      const hash = hashAt(this.#words, place * this.#stride + this.#keyAt, this.#keyForm);
      // One that lies nearer to its own place than the hole does stays.
      if (((place - hash) & this.#mask) < ((place - hole) & this.#mask)) continue;
      this.#put(hole, this.#words, place);
      if (this.#texts !== undefined) this.#texts[hole] = this.#texts[place];
      if (this.#lists !== undefined) this.#lists[hole] = this.#lists[place];
      hole = place;
    }
    this.#words.fill(0, hole * this.#stride, (hole + 1) * this.#stride);
    if (this.#texts !== undefined) this.#texts[hole] = undefined;
    if (this.#lists !== undefined) this.#lists[hole] = undefined;
    const isSparse = --this.#size < EMPTIEST * this.places && this.places > LEAST_PLACES;
    if (isSparse) this.#resize(this.places / 2);
  }

  #freeFrom(hash: number): number {
    let place = hash & this.#mask;
    while (this.isTaken(place)) place = (place + 1) & this.#mask;
    return place;
  }

  #put(place: number, words: Int32Array, from: number): void {
    const to = place * this.#stride;
    const at = from * this.#stride;
    for (let i = 0; i < this.#stride; i++) this.#words[to + i] = words[at + i]!;
  }

  #resize(places: number): void {
    const [words, texts, lists, before] = [this.#words, this.#texts, this.#lists, this.places];
    this.#mask = places - 1;
    this.#cells = new Float64Array((places * this.#stride) / WORDS_A_CELL);
    this.#words = new Int32Array(this.#cells.buffer);
    if (texts !== undefined) this.#texts = new Array<string | undefined>(places).fill(undefined);
    if (lists !== undefined) this.#lists = new Array<number[] | undefined>(places).fill(undefined);
    for (let from = 0; from < before; from++) {
      if (words[from * this.#stride + this.#keyAt] === 0) continue;
      const place = this.#freeFrom(hashAt(words, from * this.#stride + this.#keyAt, this.#keyForm));
      this.#put(place, words, from);
      if (this.#texts !== undefined) this.#texts[place] = texts![from];
      if (this.#lists !== undefined) this.#lists[place] = lists![from];
    }
  }
}
