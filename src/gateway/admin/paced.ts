import { elapsedMs } from '../../core/elapsed.js';

/** A tenth of the time: however many ask, the rest is for requests. */
const PAUSES = 10;
/** What is older is of no use to those who look once a second. */
const MOST_PAUSE_MS = 2_000;

/**
 * Something that takes time to make, and that anybody may ask for as often as they like. Whoever asks while it is being
 * made gets that one; whoever asks soon after gets the last one, so that no more than a tenth of the time goes into it.
 */
export class Paced<T> {
  readonly #make: () => Promise<T>;
  readonly #now: () => number;
  #last: Promise<T> | undefined = undefined;
  #freshUntilMs = 0;

  constructor(make: () => Promise<T>, now: () => number = () => performance.now()) {
    this.#make = make;
    this.#now = now;
  }

  get(): Promise<T> {
    if (this.#last !== undefined && this.#now() < this.#freshUntilMs) return this.#last;
    const begun = this.#now();
    this.#freshUntilMs = Number.POSITIVE_INFINITY;
    const made = this.#make();
    this.#last = made;
    made.then(
      () => this.#keep(begun),
      // A failure is not kept: the next one tries again.
      () => this.#forget(),
    );
    return made;
  }

  #keep(begun: number): void {
    const now = this.#now();
    this.#freshUntilMs = now + Math.min(elapsedMs(begun, now) * PAUSES, MOST_PAUSE_MS);
  }

  #forget(): void {
    this.#last = undefined;
  }
}
