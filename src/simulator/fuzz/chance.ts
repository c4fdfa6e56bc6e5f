import type { Random } from '../../core/environment.js';
import type { DistributionSpec } from '../models/index.js';

/** Draws of all kinds from one source. */
export class Chance {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** True so often. */
  flip(share: number): boolean {
    return this.#random() < share;
  }

  between(least: number, most: number): number {
    return least + (most - least) * this.#random();
  }

  /** Each order of magnitude as likely as any other. */
  scaled(least: number, most: number): number {
    return least * (most / least) ** this.#random();
  }

  /** A whole number, both ends included. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.#random() * (most - least + 1));
  }

  oneOf<T>(items: readonly T[]): T {
    return items[Math.floor(this.#random() * items.length)]!;
  }

  /** What is drawn when it is drawn at all: `...maybe(0.3, () => ({ quota }))`. */
  maybe<T extends object>(share: number, draw: () => T): T | object {
    return this.flip(share) ? draw() : {};
  }

  /** Any law with this mean. None has a tail so heavy that few draws decide. */
  distribution(mean: number): DistributionSpec {
    switch (this.whole(0, 4)) {
      case 0:
        return mean;
      case 1:
        return { exponential: { mean } };
      case 2:
        return { uniform: { from: mean / 2, to: mean * 1.5 } };
      case 3: {
        const sigma = this.between(0.2, 0.8);
        return { lognormal: { median: mean / Math.exp(sigma ** 2 / 2), sigma } };
      }
      // Of the mean 3/5, since shape / (shape − 1) = 5/3; what is cut off beyond 10 means is 1 % of it.
      default:
        return { pareto: { least: mean * 0.6, shape: 2.5, most: mean * 10 } };
    }
  }
}
