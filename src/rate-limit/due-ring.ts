/** Grows by itself; most limiters have fewer under way. A power of two, as all its sizes. */
const FIRST_SIZE = 64;

/**
 * Things that are due in the order in which they come, and most of which are gone long before. They lie in a ring and not
 * in objects of their own that wait in a list until they would have been due: those outlive scavenges, and made them a
 * quarter longer.
 */
export class DueRing<T extends object> {
  #things: (T | undefined)[] = new Array(FIRST_SIZE).fill(undefined);
  #dues = new Float64Array(FIRST_SIZE);
  /** Places count on; where they lie is what is left of them in the ring. */
  #first = 0;
  #next = 0;

  /** Its place, to be taken out by. It is due no sooner than those before it. */
  add(thing: T, dueMs: number): number {
    if (this.#next - this.#first === this.#things.length) this.#makeRoom();
    const place = this.#next++;
    const at = place & (this.#things.length - 1);
    this.#things[at] = thing;
    this.#dues[at] = dueMs;
    return place;
  }

  /** Undefined if it was taken out already. */
  take(place: number): T | undefined {
    if (place < this.#first) return undefined;
    const at = place & (this.#things.length - 1);
    const thing = this.#things[at];
    this.#things[at] = undefined;
    return thing;
  }

  /** The oldest one, if it is due. */
  takeDue(now: number): T | undefined {
    this.#skip();
    const isDue = this.#first < this.#next && this.#dues[this.#first & (this.#things.length - 1)]! <= now;
    return isDue ? this.take(this.#first) : undefined;
  }

  /** When the oldest one is due. Infinity: there is none. */
  get nextDueMs(): number {
    this.#skip();
    return this.#first === this.#next
      ? Number.POSITIVE_INFINITY
      : this.#dues[this.#first & (this.#things.length - 1)]!;
  }

  /** Past those that were taken out. */
  #skip(): void {
    const last = this.#things.length - 1;
    while (this.#first < this.#next && this.#things[this.#first & last] === undefined) this.#first++;
  }

  #makeRoom(): void {
    this.#skip();
    const size = this.#things.length;
    if (this.#next - this.#first < size) return;
    const things = new Array<T | undefined>(2 * size).fill(undefined);
    const dues = new Float64Array(2 * size);
    for (let place = this.#first; place < this.#next; place++) {
      things[place & (2 * size - 1)] = this.#things[place & (size - 1)];
      dues[place & (2 * size - 1)] = this.#dues[place & (size - 1)]!;
    }
    this.#things = things;
    this.#dues = dues;
  }
}
