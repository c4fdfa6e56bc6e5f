/** One request that has been sent. */
export interface Waiting {
  readonly dueMs: number;
  isOver: boolean;
}

/** Of what was taken out no more than this is kept. */
const MOST_TAKEN = 1_000;

/** Requests that wait for their answers, in the order in which they were due: as all may take as long, so they expire. */
export class Pending<W extends Waiting> {
  #waiting: W[] = [];
  #first = 0;

  add(one: W): void {
    this.#waiting.push(one);
  }

  /** The next one that was due before this and is not over; undefined: there is none. */
  takeDueBefore(ms: number): W | undefined {
    for (; this.#first < this.#waiting.length; this.#first++) {
      const one = this.#waiting[this.#first]!;
      if (one.isOver) continue;
      if (one.dueMs >= ms) break;
      this.#first++;
      return one;
    }
    if (this.#first > MOST_TAKEN) {
      this.#waiting = this.#waiting.slice(this.#first);
      this.#first = 0;
    }
    return undefined;
  }
}
