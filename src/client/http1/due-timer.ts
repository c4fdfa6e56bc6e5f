/** Looks this many times as often as the shortest time that it looks for: nothing ends later than that by more than a tenth. */
const LOOKS = 10;
/** And no more often than this is worth. */
const LEAST_MS = 1;
/** Nor more rarely, for times that nobody measures to the second. */
const MOST_MS = 250;

/** One timer for all connections of a backend: to set one for each request, and take it back, takes longer than both. */
export class DueTimer {
  readonly #nowMs: () => number;
  readonly #stepMs: number;
  /** Looks for what is due, and says when the next will be. */
  readonly #look: (now: number) => number;
  #timer: NodeJS.Timeout | undefined = undefined;
  #nextMs = Number.POSITIVE_INFINITY;

  constructor(nowMs: () => number, shortestMs: number, look: (now: number) => number) {
    this.#nowMs = nowMs;
    this.#stepMs = Math.min(Math.max(shortestMs / LOOKS, LEAST_MS), MOST_MS);
    this.#look = look;
  }

  /** Something will be due then. */
  onDue(dueMs: number): void {
    if (dueMs + this.#stepMs < this.#nextMs) this.#set(dueMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#nextMs = Number.POSITIVE_INFINITY;
  }

  #set(dueMs: number): void {
    const now = this.#nowMs();
    // Those that are due within a step are looked for together.
    this.#nextMs = Math.max(dueMs, now) + this.#stepMs;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#onTimer(), Math.min(this.#nextMs - now, LONGEST_MS));
    this.#timer.unref();
  }

  #onTimer(): void {
    this.#nextMs = Number.POSITIVE_INFINITY;
    const nextMs = this.#look(this.#nowMs());
    if (nextMs !== Number.POSITIVE_INFINITY) this.#set(nextMs);
  }
}

/** Timers longer than this end at once (Node). */
const LONGEST_MS = 2_147_483_647;
