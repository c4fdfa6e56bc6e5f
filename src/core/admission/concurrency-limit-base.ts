/** Dips agree when they differ by no more than 2.5 times their error of 10 %. All queue, a dip would show 0.6. */
const FELL = 0.75;
/** Higher than that is noise too, unless throughput has fallen to match. */
const ROSE = 1.5;
/** A dip weighs as much as it has requests, and those before no more than six of its kind: an error of 3 %. */
const MEMORY = 6;
/** So many agree until the base is known, with an error of 6 %. */
const ENOUGH = 3;
/** Busy, requests stay longer than the base. When they stay a tenth less than it, that is no noise: it was none. */
const LOWERED = 0.9;

/** How long a request takes when it waits for no other, learned dip by dip. */
export class BaseLatency {
  #ms = Number.POSITIVE_INFINITY;
  #agreeing = 0;
  /** How many requests it rests on. */
  #evidence = 0;

  /** Infinite until something was observed. */
  get ms(): number {
    return this.#ms;
  }

  get isKnown(): boolean {
    return this.#agreeing >= ENOUGH;
  }

  /** How long requests stay while the server is busy: the base is no more than that. */
  onBusy(stayMs: number): void {
    if (stayMs >= LOWERED * this.#ms) return;
    this.#ms = stayMs;
    this.#agreeing = 0;
    this.#evidence = 0;
  }

  /**
   * A dip that agrees with those before is averaged with them; one that does not is the truth, and they are the past.
   */
  onDip(measuredMs: number, done: number, busyStayMs: number, hasThroughputFallen: boolean): void {
    const hasFallen = measuredMs < FELL * this.#ms;
    const hasRisen = measuredMs > ROSE * this.#ms && hasThroughputFallen;
    const isNews = hasFallen || hasRisen;
    this.#agreeing = isNews ? 1 : this.#agreeing + 1;
    const own = Math.max(1, done);
    this.#evidence = own + (isNews ? 0 : Math.min(this.#evidence, MEMORY * own));
    const weight = own / this.#evidence;
    const ms = weight === 1 ? measuredMs : this.#ms + weight * (measuredMs - this.#ms);
    // With fewer in flight no request takes longer. When it seems so some hang, or the process paused in the dip.
    this.#ms = Math.min(ms, busyStayMs);
  }

  clear(): void {
    this.#ms = Number.POSITIVE_INFINITY;
    this.#agreeing = 0;
    this.#evidence = 0;
  }
}
