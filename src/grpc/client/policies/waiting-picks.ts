import { elapsedMs, type WaitingLineOptions } from '../../../core/index.js';

/**
 * Bounds how long calls wait when all backends are at their limit. The calls themselves stand in grpc-js's own queue, which
 * asks anew for all of them whenever it is given a picker: first come, first served, whatever their criticality.
 */
export class WaitingPicks {
  readonly #options: WaitingLineOptions;
  readonly #askAgain: () => void;
  /**
   * Since when a call waits, by what its channel says of it to pickers, which is one object for all that it asks of a call.
   * Metadata is not: it is copied each time, and its options are shared by all calls that are given the same.
   */
  readonly #sinceMs = new WeakMap<object, number>();
  #waiting = 0;
  #timer: NodeJS.Timeout | undefined = undefined;
  #isAsking = false;

  constructor(options: WaitingLineOptions, askAgain: () => void) {
    this.#options = options;
    this.#askAgain = askAgain;
  }

  get count(): number {
    return this.#waiting;
  }

  /** How long it has waited, if it may no longer; undefined: it may. */
  overdueMs(call: object, now: number): number | undefined {
    const { maxWaitMs, maxWaiting } = this.#options;
    const waitedMs = elapsedMs(this.#sinceMs.get(call) ?? now, now);
    if (waitedMs >= maxWaitMs || this.#waiting >= maxWaiting) {
      this.#sinceMs.delete(call);
      return waitedMs;
    }
    this.#waiting++;
    if (!this.#sinceMs.has(call)) this.#sinceMs.set(call, now);
    // Who came first is asked for first, and is the first to be overdue.
    this.#timer ??= setTimeout(
      () => {
        this.#timer = undefined;
        this.#askAgain();
      },
      Math.ceil(maxWaitMs - waitedMs),
    );
    return undefined;
  }

  /** It has got its backend. */
  leave(call: object): void {
    this.#sinceMs.delete(call);
  }

  /** There may be room. Many ends of one moment ask once. */
  onRoom(): void {
    if (this.#waiting === 0 || this.#isAsking) return;
    this.#isAsking = true;
    setImmediate(() => {
      this.#isAsking = false;
      this.#askAgain();
    });
  }

  /** All that wait are about to be asked for anew, and count themselves again. */
  recount(): void {
    this.#waiting = 0;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#waiting = 0;
  }
}
