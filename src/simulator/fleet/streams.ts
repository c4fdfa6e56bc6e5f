import type { Random } from '../../core/environment.js';
import { SeededRandom } from '../../core/seeded-random.js';

/**
 * Sources of chance, one for each purpose, all from one seed: a client that draws once more does not change what any
 * machine draws, so that two policies are compared on the same arrivals, costs and neighbours.
 */
export class Streams {
  readonly #seed: number;
  #purposes = 0;

  constructor(seed: number) {
    this.#seed = seed;
  }

  next(): Random {
    const random = new SeededRandom(this.#seed, ++this.#purposes);
    return () => random.next();
  }
}
