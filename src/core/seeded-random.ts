import { checkInteger } from './check.js';

/**
 * A seeded generator of our own: the same seed gives the same numbers in every process and on every version of Node,
 * which a subset that many clients compute apart from each other depends on. It is sfc32 (small fast counting:
 * 128 bits of state, one of them a counter, so no cycle is shorter than 2^32), filled from the seed by a murmur-style
 * mixer. Not for secrets.
 */
export class SeededRandom {
  #a: number;
  #b: number;
  #c: number;
  #counter: number;

  /** Each further seed makes an independent stream: `new SeededRandom(clientLot, backendLot)`. */
  constructor(seed: number, stream = 0) {
    this.#a = mix(seed);
    // Seeds beyond 32 bits (wall clocks, hashes) keep their upper half.
    this.#b = mix(Math.floor(seed / 0x1_0000_0000) ^ 0x9e3779b9);
    this.#c = mix(stream ^ 0x85ebca6b);
    this.#counter = 1;
    // sfc32 needs about a dozen rounds until neighbouring seeds no longer resemble each other.
    for (let round = 0; round < 12; round++) this.uint32();
  }

  /** A whole number in [0, 2^32). */
  uint32(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /**
   * A whole number in [0, bound), each equally likely: draws past the last full multiple of the bound are thrown
   * away.
   */
  below(bound: number): number {
    checkInteger('bound', bound, 1, 0x1_0000_0000);
    const unbiased = 0x1_0000_0000 - (0x1_0000_0000 % bound);
    for (;;) {
      const drawn = this.uint32();
      if (drawn < unbiased) return drawn % bound;
    }
  }

  /** Uniform in [0, 1) with 53 bits, as an Environment's `random()` is. */
  next(): number {
    const high = this.uint32() >>> 5;
    const low = this.uint32() >>> 6;
    return (high * 0x400_0000 + low) / 0x20_0000_0000_0000;
  }

  /** Fisher–Yates, in place. */
  shuffle<T>(items: T[]): T[] {
    for (let last = items.length - 1; last > 0; last--) {
      const other = this.below(last + 1);
      const moved = items[last]!;
      items[last] = items[other]!;
      items[other] = moved;
    }
    return items;
  }
}

/** The finalizer of murmur3: every bit of the input reaches every bit of the output. */
export function mix(value: number): number {
  let bits = value | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}
