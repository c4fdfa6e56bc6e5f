import type { Cells } from '../../core/index.js';

/** So few are a Map: what it takes more lies in a cache all the same, and the engine has hashed most strings before. */
export const MOST_FEW = 1_024;

/** States of a few keys by their strings. */
export class FewStates {
  readonly places = MOST_FEW;
  readonly #width: number;
  readonly #placeOf = new Map<string, number>();
  readonly #keys: (string | undefined)[] = [];
  readonly #cells: Float64Array;
  readonly #lists: number[][] | undefined;
  readonly #freePlaces = Uint16Array.from({ length: MOST_FEW }, (_, place) => MOST_FEW - 1 - place);

  /** Width 0: a list for each state. */
  constructor(width: number) {
    this.#width = width;
    this.#cells = new Float64Array(MOST_FEW * width);
    this.#lists = width > 0 ? undefined : [];
  }

  get size(): number {
    return this.#placeOf.size;
  }

  /** -1: none. */
  find(key: string): number {
    return this.#placeOf.get(key) ?? -1;
  }

  isTaken(place: number): boolean {
    return this.#keys[place] !== undefined;
  }

  cells(place: number): Cells {
    return this.#lists === undefined ? this.#cells : this.#lists[place]!;
  }

  at(place: number): number {
    return place * this.#width;
  }

  /** A key that is not here yet, with a state of zeros. */
  add(key: string): number {
    const place = this.#freePlaces[MOST_FEW - 1 - this.size]!;
    this.#placeOf.set(key, place);
    this.#keys[place] = key;
    if (this.#lists !== undefined) this.#lists[place] = [];
    return place;
  }

  remove(place: number): void {
    this.#placeOf.delete(this.#keys[place]!);
    this.#keys[place] = undefined;
    if (this.#lists !== undefined) this.#lists[place] = [];
    this.#cells.fill(0, place * this.#width, (place + 1) * this.#width);
    this.#freePlaces[MOST_FEW - 1 - this.size] = place;
  }

  /** Keys and their places. */
  entries(): Iterable<readonly [string, number]> {
    return this.#placeOf;
  }
}
