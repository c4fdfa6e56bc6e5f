/** As many names as a metrics system should be given for one label. */
const MOST_LABELS = 200;

/** What all names share that come when there are too many. */
export const OTHER_LABEL = '(other)';

/** Something kept for each name, for a bounded number of names: the first ones seen, and one for all others. */
export class LabelTable<T> {
  readonly #make: () => T;
  readonly #entries = new Map<string, T>();
  readonly #other: T;
  /** Most requests are of the same kind as the one before. */
  #lastName: string | undefined = undefined;
  #last: T;

  constructor(make: () => T) {
    this.#make = make;
    this.#other = make();
    this.#last = this.#other;
  }

  of(name: string): T {
    if (name === this.#lastName) return this.#last;
    this.#last = this.#find(name);
    this.#lastName = name;
    return this.#last;
  }

  #find(name: string): T {
    const known = this.#entries.get(name);
    if (known !== undefined) return known;
    if (this.#entries.size >= MOST_LABELS) return this.#other;
    const made = this.#make();
    this.#entries.set(name, made);
    return made;
  }

  /** All of them, the shared one last when it is in use. */
  *entries(): IterableIterator<[string, T]> {
    yield* this.#entries;
    if (this.#entries.size >= MOST_LABELS) yield [OTHER_LABEL, this.#other];
  }
}
