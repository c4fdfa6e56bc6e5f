/** The weight of an interval against those before: after five, 92 % of a change is in. */
const WEIGHT = 0.4;
/** How much more a busy server may be able to do than it did. */
const UNEVEN = 1.25;
/** A rise that is no noise. An interval of a fast server has an error of 5 %, of which the weight leaves half. */
const GROWING = 1.05;
/** As long as twice the limit brings a quarter more, the server is far from busy (BBR leaves its startup likewise). */
const STARTING = 1.25;
/** A fall that is no noise. */
const FALLEN = 0.7;
/** Believed when it lasts: a process that stood still for a second, collecting garbage, has not become another. */
const FALLS = 2;

/** What a server gets done when it is busy, per millisecond, learned interval by interval. */
export class BusyThroughput {
  #value = 0;
  #latest = 0;
  /** Since the last `settle`. */
  #best = 0;
  #falls = 0;
  #isGrowing = false;
  #isStarting = true;

  /** 0 = unknown. */
  get value(): number {
    return this.#value;
  }

  get isGrowing(): boolean {
    return this.#isGrowing;
  }

  /** It was never seen to stop growing. */
  get isStarting(): boolean {
    return this.#isStarting;
  }

  /** Intervals have shown much less than before. The value still is the one before, until `settle`. */
  get hasFallen(): boolean {
    return this.#falls >= FALLS;
  }

  /**
   * Two measures of one thing: how much was done, and by Little's law how much would be if the limit were always
   * reached and all requests took as long as those. When requests come unevenly the first is too low, and to believe
   * it would lower the limit of a server that is not busy. But those done know nothing of those that starve behind
   * them: by the second alone, a server that takes the newest first would look idle, and its limit rise without end.
   */
  learn(done: number, byLatency: number): void {
    this.#latest = done;
    this.#falls = done < FALLEN * this.#best ? this.#falls + 1 : 0;
    this.#isGrowing = false;
    if (this.#falls > 0) return;
    const former = this.#value;
    const measured = Math.min(UNEVEN * done, Math.max(done, byLatency));
    this.#isGrowing = measured > GROWING * former;
    this.#value = this.#isStarting ? measured : former + WEIGHT * (measured - former);
    this.#isStarting &&= measured > STARTING * former;
    this.#best = Math.max(this.#best, this.#value);
  }

  /** The cause of a fall, if there was one, is known now: what was seen last holds. */
  settle(): void {
    if (this.hasFallen) this.#value = this.#latest;
    this.#falls = 0;
    this.#best = this.#value;
  }

  clear(): void {
    this.#value = 0;
    this.#best = 0;
    this.#falls = 0;
    this.#isStarting = true;
  }
}
