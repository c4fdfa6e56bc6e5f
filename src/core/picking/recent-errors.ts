/**
 * How long an error counts. As long as an answer to a probe does in Prequal: a backend that fails or refuses everything is
 * tried about once a second, and one that has recovered is back after a second.
 */
const COUNTED_MS = 1_000;

/**
 * An entry's errors count no more than this: enough to stand behind every backend at the usual limit of active
 * requests, and a bound on memory when everything fails.
 */
const MOST_PER_ENTRY = 100;

interface Counted {
  errors: number;
}

/** Errors of the last second, forgotten in the order they came. */
export class RecentErrors<E extends Counted> {
  #entries: E[] = [];
  #times: number[] = [];
  #first = 0;

  add(entry: E, now: number): void {
    if (entry.errors >= MOST_PER_ENTRY) return;
    entry.errors++;
    this.#entries.push(entry);
    this.#times.push(now);
  }

  /** An entry one of whose errors no longer counts; undefined when there is none (any more). */
  forget(now: number): E | undefined {
    if (this.#first === this.#times.length || this.#times[this.#first]! > now - COUNTED_MS) return undefined;
    const entry = this.#entries[this.#first++]!;
    entry.errors--;
    // Half of it is past: move the rest to the front, at a constant cost for each that passed.
    if (this.#first * 2 > this.#times.length) {
      this.#entries = this.#entries.slice(this.#first);
      this.#times = this.#times.slice(this.#first);
      this.#first = 0;
    }
    return entry;
  }
}
