/** The last 500 or so. With fewer, one slow request in a hundred would come and go. */
const MEMORY = 500;

/** How long requests take and how much that varies, which says how many it takes to tell their mean. */
export class LatencyMoments {
  #count = 0;
  #meanMs = 0;
  #meanSquare = 0;

  get meanMs(): number {
    return this.#meanMs;
  }

  /**
   * Variance by squared mean: 0 when all take the same time, 1 for exponential times, 10 for a cache with slow
   * misses.
   */
  get variation(): number {
    return this.#meanMs === 0 ? 0 : this.#meanSquare / (this.#meanMs * this.#meanMs) - 1;
  }

  observe(latencyMs: number): void {
    if (this.#count < MEMORY) this.#count++;
    this.#meanMs += (latencyMs - this.#meanMs) / this.#count;
    this.#meanSquare += (latencyMs * latencyMs - this.#meanSquare) / this.#count;
  }

  clear(): void {
    this.#count = 0;
    this.#meanMs = 0;
    this.#meanSquare = 0;
  }
}
