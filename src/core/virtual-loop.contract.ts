/** Events in virtual time for tests of compositions, ordered by (time, sequence): no ties, every run the same. */
export class VirtualLoop {
  now = 0;
  readonly #times: number[] = [];
  readonly #sequences: number[] = [];
  readonly #actions: (() => void)[] = [];
  #sequence = 0;

  at(timeMs: number, action: () => void): void {
    let hole = this.#times.length;
    const sequence = this.#sequence++;
    this.#put(hole, timeMs, sequence, action);
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      if (!this.#isBefore(hole, parent)) break;
      this.#swap(hole, parent);
      hole = parent;
    }
  }

  after(ms: number, action: () => void): void {
    this.at(this.now + ms, action);
  }

  /** Runs everything up to and including an instant. */
  runUntil(timeMs: number): void {
    while (this.#times.length > 0 && this.#times[0]! <= timeMs) {
      this.now = this.#times[0]!;
      this.#pop()();
    }
    this.now = timeMs;
  }

  #pop(): () => void {
    const action = this.#actions[0]!;
    const last = this.#times.length - 1;
    this.#put(0, this.#times[last]!, this.#sequences[last]!, this.#actions[last]!);
    this.#times.pop();
    this.#sequences.pop();
    this.#actions.pop();
    let hole = 0;
    for (let child = 1; child < last; child = 2 * hole + 1) {
      if (child + 1 < last && this.#isBefore(child + 1, child)) child++;
      if (!this.#isBefore(child, hole)) break;
      this.#swap(hole, child);
      hole = child;
    }
    return action;
  }

  #put(index: number, timeMs: number, sequence: number, action: () => void): void {
    this.#times[index] = timeMs;
    this.#sequences[index] = sequence;
    this.#actions[index] = action;
  }

  #isBefore(a: number, b: number): boolean {
    const difference = this.#times[a]! - this.#times[b]!;
    return difference < 0 || (difference === 0 && this.#sequences[a]! < this.#sequences[b]!);
  }

  #swap(a: number, b: number): void {
    const [time, sequence, action] = [this.#times[a]!, this.#sequences[a]!, this.#actions[a]!];
    this.#put(a, this.#times[b]!, this.#sequences[b]!, this.#actions[b]!);
    this.#put(b, time, sequence, action);
  }
}
