/** Checks and probes are on time within this: a timer more often would cost more than it brings. */
const TICK_MS = 10;

/** Nothing is further away; and a timer of Node's that is too long fires at once. */
const MOST_MS = 3_600_000;

/** One timer for everything that is due at some time. It never keeps a process alive. */
export class Alarm {
  readonly #run: () => void;
  readonly #now: () => number;
  #timer: NodeJS.Timeout | undefined;
  #atMs = Number.POSITIVE_INFINITY;

  constructor(run: () => void, now: () => number) {
    this.#run = run;
    this.#now = now;
  }

  /** Rings at that time, or at an earlier one that it was set to before. */
  set(dueMs: number): void {
    if (dueMs >= this.#atMs) return;
    const now = this.#now();
    const atMs = Math.max(dueMs, now + TICK_MS);
    // What is due already is not brought forward by something else that is.
    if (atMs >= this.#atMs) return;
    clearTimeout(this.#timer);
    this.#atMs = atMs;
    this.#timer = setTimeout(this.#ring, Math.min(Math.ceil(atMs - now), MOST_MS)).unref();
  }

  close(): void {
    clearTimeout(this.#timer);
    // Nothing is earlier: it cannot be set again.
    this.#atMs = Number.NEGATIVE_INFINITY;
  }

  readonly #ring = (): void => {
    this.#atMs = Number.POSITIVE_INFINITY;
    this.#run();
  };
}
