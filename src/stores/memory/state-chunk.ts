import type { Cells } from '../../core/index.js';

/** 1,024 states: 16 to 35 kB, so that a rule with few keys takes little, and one with millions never copies. */
export const CHUNK_BITS = 10;
export const CHUNK_SIZE = 1 << CHUNK_BITS;
const MASK = CHUNK_SIZE - 1;

/** States of so many keys, and the keys themselves: the hand that looks for expired ones must know whom to forget. */
export class StateChunk {
  readonly #width: number;
  readonly #cells: Float64Array | undefined;
  readonly #lists: (number[] | undefined)[];
  readonly #keys: (string | undefined)[];
  readonly #freePlaces: Uint16Array;
  #free = CHUNK_SIZE;

  /** Width 0: a list for each state. */
  constructor(width: number) {
    this.#width = width;
    this.#cells = width > 0 ? new Float64Array(CHUNK_SIZE * width) : undefined;
    this.#lists = width > 0 ? [] : new Array<number[] | undefined>(CHUNK_SIZE).fill(undefined);
    this.#keys = new Array<string | undefined>(CHUNK_SIZE).fill(undefined);
    this.#freePlaces = Uint16Array.from({ length: CHUNK_SIZE }, (_, place) => MASK - place);
  }

  get isFull(): boolean {
    return this.#free === 0;
  }

  get isEmpty(): boolean {
    return this.#free === CHUNK_SIZE;
  }

  keyOf(slot: number): string | undefined {
    return this.#keys[slot & MASK];
  }

  cells(slot: number): Cells {
    return this.#cells ?? this.#lists[slot & MASK]!;
  }

  /** A place, its state all zeros. */
  add(key: string): number {
    const place = this.#freePlaces[--this.#free]!;
    this.#keys[place] = key;
    if (this.#cells === undefined) this.#lists[place] = [];
    return place;
  }

  remove(slot: number): void {
    const place = slot & MASK;
    this.#keys[place] = undefined;
    if (this.#cells === undefined) this.#lists[place] = undefined;
    else this.#cells.fill(0, place * this.#width, (place + 1) * this.#width);
    this.#freePlaces[this.#free++] = place;
  }
}
