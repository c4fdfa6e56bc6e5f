/** Readings of two seconds each, half a second apart: together some six seconds. */
const READINGS = 10;

/**
 * The best that a fleet has done for some seconds: a single reading is often above what it can keep up, since requests
 * come and end in bunches. It begins with what was measured with clients that wait for their answers.
 */
export class Peak {
  #recent: number[] = [];
  #best: number;

  constructor(capacityPerSecond: number) {
    this.#best = capacityPerSecond;
  }

  get perSecond(): number {
    return this.#best;
  }

  observe(goodputPerSecond: number): void {
    this.#recent = [...this.#recent, goodputPerSecond].slice(-READINGS);
    if (this.#recent.length < READINGS) return;
    this.#best = Math.max(this.#best, this.#recent.reduce((sum, each) => sum + each, 0) / READINGS);
  }
}
