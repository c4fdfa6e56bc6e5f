/**
 * A set of small whole numbers that answers "which member comes next, going round?" without looking at the others.
 * Bits in words of 32, and above them a bit for each word that is not empty, and so on up: a search touches one or two
 * words a level, so 10, 1,000 and 30,000 members cost one, two and three levels. Round robin over backends of which
 * many are full must not walk past all of them on each pick.
 */
export class IndexSet {
  /** How many members there are. */
  size = 0;
  readonly #levels: Int32Array[] = [];
  /** The lowest level, where nearly every question ends. */
  readonly #leaf: Int32Array;

  /** Room for 0 … capacity − 1. */
  constructor(capacity: number) {
    let bits = capacity;
    do {
      bits = Math.ceil(bits / 32);
      this.#levels.push(new Int32Array(bits));
    } while (bits > 1);
    this.#leaf = this.#levels[0]!;
  }

  has(index: number): boolean {
    return ((this.#leaf[index >>> 5]! >>> (index & 31)) & 1) === 1;
  }

  add(index: number): void {
    if (this.has(index)) return;
    this.size++;
    let position = index;
    for (const words of this.#levels) {
      const word = position >>> 5;
      const before = words[word]!;
      words[word] = before | (1 << (position & 31));
      if (before !== 0) return; // the levels above know this word already
      position = word;
    }
  }

  delete(index: number): void {
    if (!this.has(index)) return;
    this.size--;
    let position = index;
    for (const words of this.#levels) {
      const word = position >>> 5;
      const after = words[word]! & ~(1 << (position & 31));
      words[word] = after;
      if (after !== 0) return; // not the word's last member
      position = word;
    }
  }

  /** The first member at or after `from`, going round to the start; −1 when there is none. */
  nextFrom(from: number): number {
    const leaf = this.#leaf;
    const word = from >>> 5;
    const bits = word < leaf.length ? leaf[word]! & (-1 << (from & 31)) : 0;
    if (bits !== 0) return word * 32 + lowestBit(bits);
    const ahead = this.#atOrAfter(from);
    return ahead < 0 && from > 0 ? this.#atOrAfter(0) : ahead;
  }

  #atOrAfter(from: number): number {
    let index = from;
    for (let level = 0; level < this.#levels.length; level++) {
      const words = this.#levels[level]!;
      const word = index >>> 5;
      if (word >= words.length) return -1;
      const bits = words[word]! & (-1 << (index & 31));
      if (bits !== 0) return this.#descend(level, word * 32 + lowestBit(bits));
      index = word + 1;
    }
    return -1;
  }

  #descend(level: number, index: number): number {
    let found = index;
    for (let below = level - 1; below >= 0; below--) {
      found = found * 32 + lowestBit(this.#levels[below]![found]!);
    }
    return found;
  }
}

/** Position of the lowest bit that is set. */
function lowestBit(bits: number): number {
  return 31 - Math.clz32(bits & -bits);
}
