import { RANKS } from './rank-line.js';

/** Credit is kept for so long at the share, and for one request at least. With half of it noise refused critical ones. */
const KEPT_SECONDS = 1;

/** What is left of a share with the next levels, if they say less: a demand that is read low once is noise. Half in 3.5 s. */
const SLOWLY = 0.95;

/**
 * Holds all of a customer's requests up to a criticality, together, to a share. Levels are for what was wanted when they
 * were made: what comes a moment later at another backend, or is more critical, they let pass as a whole. This bounds it
 * until there are others.
 *
 * The more critical one is, the more of the credit it may use: nobody is refused for one that is less critical.
 */
export class ShareCredit {
  #top = 0;
  #perSecond = Number.POSITIVE_INFINITY;
  /** NaN until the first request. */
  #credit = Number.NaN;

  /** A share that moves keeps the credit. Infinity: none. */
  hold(top: number, perSecond: number): void {
    const isNew = top !== this.#top || !this.#holds(top);
    if (isNew) this.#credit = Number.NaN;
    this.#top = top;
    this.#perSecond = isNew ? perSecond : Math.max(perSecond, this.#perSecond * SLOWLY);
  }

  release(): void {
    this.#perSecond = Number.POSITIVE_INFINITY;
  }

  /** So many seconds later. `most` is what may be owed, in seconds. */
  roll(seconds: number, meanCost: number, most: number): void {
    if (!this.#holds(0)) return;
    const least = -this.#perSecond * most - meanCost;
    this.#credit = Math.max(least, Math.min(this.#kept(meanCost), this.#credit + this.#perSecond * seconds));
  }

  passes(rank: number, order: number, meanCost: number): boolean {
    if (!this.#holds(rank)) return true;
    // At each backend from another part of a request on, as levels are held.
    if (Number.isNaN(this.#credit))
      this.#credit = this.#perSecond * KEPT_SECONDS - meanCost * (order >= 0 && order < 1 ? order : 0.5);
    return this.#credit > (this.#kept(meanCost) * (this.#top - rank)) / (2 * RANKS);
  }

  /** It costs so much, or so much more than was assumed. */
  take(rank: number, cost: number): void {
    if (this.#holds(rank)) this.#credit -= cost;
  }

  #holds(rank: number): boolean {
    return rank <= this.#top && this.#perSecond < Number.POSITIVE_INFINITY;
  }

  #kept(meanCost: number): number {
    return Math.max(meanCost, this.#perSecond * KEPT_SECONDS);
  }
}
