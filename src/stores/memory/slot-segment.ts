/** A power of two, as all sizes. Two numbers each: a hash, and a slot + 1; 0 is nobody. */
const LEAST_PLACES = 16;

/**
 * Of the places that are taken. At four fifths a key is found at the third place on average, mostly in the same line of a
 * cache; with fewer taken the table is larger than a cache is, which costs more: 100,000 keys took a quarter longer at 0.7.
 */
const FULLEST = 0.8;
/** Half of what a table has when it has just grown. */
const EMPTIEST = 0.2;

/** Where keys can be read from: strings are not kept twice. */
export interface Keys {
  keyOf(slot: number): string | undefined;
}

/**
 * Slots by the hashes of their keys: open addressing, the next place when one is taken. Who leaves is made up for by moving
 * those who come after, so that nothing is left behind that would lengthen ways.
 */
export class SlotSegment {
  #places = new Int32Array(2 * LEAST_PLACES);
  #mask = LEAST_PLACES - 1;
  #size = 0;

  get bytes(): number {
    return this.#places.byteLength;
  }

  /** -1: none. */
  find(keys: Keys, key: string, hash: number): number {
    const places = this.#places;
    const mask = this.#mask;
    for (let place = hash & mask; ; place = (place + 1) & mask) {
      const slot = places[2 * place + 1]! - 1;
      if (slot < 0 || (places[2 * place] === hash && keys.keyOf(slot) === key)) return slot;
    }
  }

  add(hash: number, slot: number): void {
    if (++this.#size > FULLEST * (this.#mask + 1)) this.#resize(2 * (this.#mask + 1));
    this.#put(hash, slot);
  }

  remove(hash: number, slot: number): void {
    const places = this.#places;
    const mask = this.#mask;
    let hole = hash & mask;
    while (places[2 * hole + 1] !== slot + 1) hole = (hole + 1) & mask;
    for (let place = (hole + 1) & mask; places[2 * place + 1] !== 0; place = (place + 1) & mask) {
      // One that lies nearer to its own place than the hole does stays.
      const way = (place - places[2 * place]!) & mask;
      if (way < ((place - hole) & mask)) continue;
      places[2 * hole] = places[2 * place]!;
      places[2 * hole + 1] = places[2 * place + 1]!;
      hole = place;
    }
    places[2 * hole + 1] = 0;
    const isSparse = --this.#size < EMPTIEST * (mask + 1) && mask >= LEAST_PLACES;
    if (isSparse) this.#resize((mask + 1) / 2);
  }

  #put(hash: number, slot: number): void {
    let place = hash & this.#mask;
    while (this.#places[2 * place + 1] !== 0) place = (place + 1) & this.#mask;
    this.#places[2 * place] = hash;
    this.#places[2 * place + 1] = slot + 1;
  }

  #resize(size: number): void {
    const before = this.#places;
    this.#places = new Int32Array(2 * size);
    this.#mask = size - 1;
    for (let at = 0; at < before.length; at += 2) {
      if (before[at + 1] !== 0) this.#put(before[at]!, before[at + 1]! - 1);
    }
  }
}
