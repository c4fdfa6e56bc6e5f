/** Jobs are fetched so much before their turn: Redis wakes who waits for one only every 100 ms, unless it is busy. */
export const EARLY_MS = 150;

/** Turns are told by the wall clock, which may be set meanwhile. */
const LOOK_MS = 1_000;

/** Who waits to be started. */
interface Waiter {
  readonly dueMs: number;
  readonly order: number;
  readonly start: () => void;
  readonly fail: (error: Error) => void;
}

/**
 * Starts what has been fetched: none before its turn, the earliest turn first, no more at once than `most`.
 *
 * Redis wakes a blocked client only ten times a second, so jobs are fetched somewhat early and in twos and threes; the
 * instant of their start is kept here. What comes in the same turn of the event loop is sorted before any of it starts.
 */
export class StartGate {
  readonly #most: number;
  readonly #now: () => number;
  /** Sorted; few, for BullMQ fetches only so many. */
  readonly #waiting: Waiter[] = [];
  #running = 0;
  #timer: NodeJS.Timeout | undefined = undefined;
  #isSorting = false;

  constructor(most: number, now: () => number) {
    this.#most = most;
    this.#now = now;
  }

  get running(): number {
    return this.#running;
  }

  /** Resolves when it may start: of those with one due time, the least `order` first. Each that started must leave. */
  enter(dueMs: number, order: number): Promise<void> {
    return new Promise((start, fail) => {
      const isBefore = (other: Waiter): boolean =>
        other.dueMs === dueMs ? other.order <= order : other.dueMs < dueMs;
      const at = this.#waiting.findLastIndex(isBefore) + 1;
      this.#waiting.splice(at, 0, { dueMs, order, start, fail });
      this.#look();
    });
  }

  leave(): void {
    this.#running--;
    this.#look();
  }

  /** What has not started will not. */
  close(): void {
    clearTimeout(this.#timer);
    for (const { fail } of this.#waiting.splice(0)) fail(new Error('it was cut off: its process was closed'));
  }

  #look(): void {
    if (this.#isSorting) return;
    this.#isSorting = true;
    setImmediate(() => {
      this.#isSorting = false;
      this.#startDue();
    });
  }

  #startDue(): void {
    clearTimeout(this.#timer);
    for (;;) {
      const [next] = this.#waiting;
      if (next === undefined || this.#running >= this.#most) return;
      const inMs = next.dueMs - this.#now();
      if (inMs > 0) {
        this.#timer = setTimeout(() => this.#startDue(), Math.min(inMs, LOOK_MS));
        return;
      }
      this.#waiting.shift();
      this.#running++;
      next.start();
    }
  }
}
