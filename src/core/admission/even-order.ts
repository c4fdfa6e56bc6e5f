import { CRITICALITIES, type Criticality, criticalityRank } from '../criticality.js';

/** The golden ratio: multiples of it, modulo 1, are spread the most evenly of all (and so are every second, third … one). */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * Places in the order of refusal for requests that belong to no trace (see `refusalOrder`): any will do, so they are dealt
 * out evenly. Drawn by lot, half of 900 a second would be 450 ± 15, and the queue behind would wander by as much; dealt
 * out, each second arrival is refused, and the queue stays where it is held. Apart for each criticality, since a share of
 * one is refused at a time.
 */
export class EvenOrder {
  readonly #places: number[] = CRITICALITIES.map(() => 0);

  /** In [0, 1). */
  next(criticality: Criticality): number {
    const rank = criticalityRank(criticality);
    const place = (this.#places[rank]! + GOLDEN) % 1;
    this.#places[rank] = place;
    return place;
  }
}
