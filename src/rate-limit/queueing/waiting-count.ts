import { elapsedMs } from '../../core/elapsed.js';

/** How old a count may be. What other processes accept meanwhile goes beyond the limit: at 1 000 a second as many. */
const FRESH_MS = 1_000;

/** How many wait in a queue that others fill as well: counted now and then, and in between by what was added here. */
export class WaitingCount {
  readonly #count: () => Promise<number>;
  readonly #now: () => number;
  #known = 0;
  #countedMs = Number.NEGATIVE_INFINITY;
  #counting: Promise<void> | undefined = undefined;

  constructor(count: () => Promise<number>, now: () => number) {
    this.#count = count;
    this.#now = now;
  }

  get known(): number {
    return this.#known;
  }

  added(): void {
    this.#known++;
  }

  /** Rejects when it must be counted, and cannot. */
  async isBelow(most: number): Promise<boolean> {
    await this.refresh();
    return this.#known < most;
  }

  /** Counts anew what was counted a while ago: others add, and all perform. Rejects when it cannot. */
  async refresh(): Promise<void> {
    if (elapsedMs(this.#countedMs, this.#now()) < FRESH_MS) return;
    this.#counting ??= this.#recount();
    await this.#counting;
  }

  async #recount(): Promise<void> {
    try {
      this.#known = await this.#count();
      this.#countedMs = this.#now();
    } finally {
      this.#counting = undefined;
    }
  }
}
