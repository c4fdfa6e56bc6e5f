/** Outcomes that speak for backends, and against them. */
export interface Tally {
  successes: number;
  failures: number;
}

/** What is remembered of one backend. Whoever owns the backend owns this; only the detector changes it. */
export class OutlierRecord {
  isEjected = false;
  /** When it comes back; when it came back last, once it has. */
  ejectedUntilMs = Number.NEGATIVE_INFINITY;
  /** Ejections that still count: the next one lasts one base longer than this many. */
  ejections = 0;
  /** Not forgotten with time: a service that gets one request a minute must find its dead backend too. */
  failuresInARow = 0;
  /**
   * The first of these, and those that were sent when it was known. The others were under way together with it, and
   * whatever it was that lasted too long, they all stood in it: they say nothing that the first has not said.
   */
  separateFailures = 0;
  /** How many requests the backend had been sent by then. */
  #sentBefore = 0;
  /** What all backends had counted before the first of these: since then is the period in which others are compared. */
  readonly #before: Tally = { successes: 0, failures: 0 };
  /** Of this interval. */
  successes = 0;
  failures = 0;
  /** Of the rows of failures in it, the sum of their squared lengths. */
  squaredRows = 0;

  get requests(): number {
    return this.successes + this.failures;
  }

  get successRate(): number {
    return this.successes / this.requests;
  }

  /**
   * `turn`: the place of its request among all that the backend was ever sent, of which there are `sent` by now. `all`: what
   * all backends have had, this outcome not yet among it.
   */
  observe(succeeded: boolean, turn: number, sent: number, all: Readonly<Tally>): void {
    if (succeeded) {
      this.successes++;
      this.endRow();
      return;
    }
    if (this.failuresInARow === 0) {
      this.#before.successes = all.successes;
      this.#before.failures = all.failures;
      this.#sentBefore = sent;
      this.separateFailures = 1;
    } else if (turn > this.#sentBefore) this.separateFailures++;
    this.failures++;
    this.failuresInARow++;
    // k² − (k − 1)²
    this.squaredRows += 2 * this.failuresInARow - 1;
  }

  /** What the other backends have had since the first of the failures in a row. */
  othersSince(all: Readonly<Tally>): Tally {
    return {
      successes: all.successes - this.#before.successes,
      failures: all.failures - this.#before.failures - this.failuresInARow,
    };
  }

  endRow(): void {
    this.failuresInARow = 0;
    this.separateFailures = 0;
  }

  /** An interval is over, or its ejection. */
  forgetCounts(): void {
    this.successes = 0;
    this.failures = 0;
    this.squaredRows = 0;
  }
}
