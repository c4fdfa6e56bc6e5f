import { type Keys, SlotSegment } from './slot-segment.js';

/** So few are a Map: what it takes more lies in a cache all the same, and the engine has hashed most strings before. */
const MOST_IN_MAP = 1_024;

/**
 * A table is copied when it grows: at two million keys that would be a pause of many milliseconds. 256 segments at the same
 * number have 8,000 keys each, and are copied in a tenth of a millisecond, at different times.
 */
const SEGMENT_BITS = 8;

/** Keys are the world's: whoever could tell which ones have the same hash could make all ways long. */
const SEED = Math.floor(Math.random() * 2 ** 32) | 0;

/**
 * Which slot a key has. For many keys a table of its own: a Map takes three times the memory, and half as long again to
 * look up where that no longer fits a cache.
 */
export class KeySlots {
  readonly #keys: Keys;
  #few: Map<string, number> | undefined = new Map();
  #segments: SlotSegment[] = [];
  #size = 0;

  constructor(keys: Keys) {
    this.#keys = keys;
  }

  get size(): number {
    return this.#size;
  }

  /** -1: none. */
  get(key: string): number {
    if (this.#few !== undefined) return this.#few.get(key) ?? -1;
    const hash = hashOf(key);
    return this.#segments[hash >>> (32 - SEGMENT_BITS)]!.find(this.#keys, key, hash);
  }

  /** A key that is not here yet. */
  add(key: string, slot: number): void {
    if (this.#few !== undefined && this.#size >= MOST_IN_MAP) this.#divide(this.#few);
    if (this.#few !== undefined) this.#few.set(key, slot);
    else this.#addHashed(key, slot);
    this.#size++;
  }

  /** A key that is here, and has this slot. */
  delete(key: string, slot: number): void {
    this.#size--;
    if (this.#few !== undefined) {
      this.#few.delete(key);
      return;
    }
    const hash = hashOf(key);
    this.#segments[hash >>> (32 - SEGMENT_BITS)]!.remove(hash, slot);
    if (this.#size > 0) return;
    this.#few = new Map();
    this.#segments = [];
  }

  #divide(few: Map<string, number>): void {
    this.#few = undefined;
    this.#segments = Array.from({ length: 1 << SEGMENT_BITS }, () => new SlotSegment());
    for (const [key, slot] of few) this.#addHashed(key, slot);
  }

  #addHashed(key: string, slot: number): void {
    const hash = hashOf(key);
    this.#segments[hash >>> (32 - SEGMENT_BITS)]!.add(hash, slot);
  }
}

/** By itself, not by way of the key: a class somewhere that extends String makes that five times as slow. */
const { charCodeAt } = String.prototype;

/** Jenkins' one-at-a-time, seeded, as engines have had it for their own tables of strings. */
function hashOf(key: string): number {
  let hash = SEED;
  for (let at = 0; at < key.length; at++) {
    hash = (hash + charCodeAt.call(key, at)) | 0;
    hash = (hash + (hash << 10)) | 0;
    hash ^= hash >>> 6;
  }
  hash = (hash + (hash << 3)) | 0;
  hash ^= hash >>> 11;
  return (hash + (hash << 15)) | 0;
}
