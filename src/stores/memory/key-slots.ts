/**
 * A Map is copied as a whole when it grows: at two million keys that is a pause of 90 ms. 256 of them at the same number are
 * 8,000 each, and copied in less than a millisecond, at different times.
 */
const SHARDS = 256;

/** So few are one Map: nothing to hash, and no 256 Maps for a rule that knows a hundred keys. */
const MOST_IN_ONE = 1_024;

/** Which slot a key has. */
export class KeySlots {
  #size = 0;
  #one: Map<string, number> | undefined = new Map();
  #shards: Map<string, number>[] = [];

  get size(): number {
    return this.#size;
  }

  /** -1: none. */
  get(key: string): number {
    return this.#mapOf(key).get(key) ?? -1;
  }

  /** A key that is not here yet. */
  add(key: string, slot: number): void {
    if (this.#one !== undefined && this.#one.size >= MOST_IN_ONE) this.#divide(this.#one);
    this.#mapOf(key).set(key, slot);
    this.#size++;
  }

  /** A key that is here. */
  delete(key: string): void {
    this.#mapOf(key).delete(key);
    this.#size--;
    if (this.#size === 0 && this.#one === undefined) {
      this.#one = new Map();
      this.#shards = [];
    }
  }

  #mapOf(key: string): Map<string, number> {
    return this.#one ?? this.#shards[shardOf(key)]!;
  }

  #divide(one: Map<string, number>): void {
    this.#one = undefined;
    this.#shards = Array.from({ length: SHARDS }, () => new Map<string, number>());
    for (const [key, slot] of one) this.#mapOf(key).set(key, slot);
  }
}

/**
 * FNV-1a over five to eight letters, spread over all of it since keys often differ in their middle alone. Keys that differ
 * elsewhere meet in one Map: that is as slow to grow as one Map is, and no less right.
 */
function shardOf(key: string): number {
  const step = 1 + (key.length >> 3);
  let hash = 0x811c9dc5;
  for (let i = key.length - 1; i >= 0; i -= step) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  // The low bits are mostly those of the last letter read: fold the high ones in.
  return (hash ^ (hash >>> 16)) & (SHARDS - 1);
}
