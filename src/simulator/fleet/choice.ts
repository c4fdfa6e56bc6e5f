import type { Random } from '../../core/environment.js';

/** One of several things by their weights. */
export class Choice<T> {
  readonly #items: readonly T[];
  readonly #upTo: readonly number[];

  constructor(weighted: readonly (readonly [T, number])[]) {
    const total = weighted.reduce((sum, [, weight]) => sum + weight, 0);
    if (!(total > 0)) throw new RangeError('at least one weight must be > 0');
    let sum = 0;
    this.#items = weighted.map(([item]) => item);
    this.#upTo = weighted.map(([, weight]) => {
      sum += weight;
      return sum / total;
    });
  }

  draw(random: Random): T {
    if (this.#items.length === 1) return this.#items[0]!;
    const drawn = random();
    let index = 0;
    while (index < this.#upTo.length - 1 && drawn >= this.#upTo[index]!) index++;
    return this.#items[index]!;
  }
}
