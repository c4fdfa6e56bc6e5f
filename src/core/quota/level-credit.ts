/** Of what passes by its place in the order of refusal, so much more than the level would pass. */
const MARGIN = 1.5;

/** Credit is kept for so long at the level, and for one request at least. */
const KEPT_SECONDS = 1;

/**
 * Holds one criticality of a customer to a level, from the moment the level is heard. A share of requests that follows
 * from the measured demand would let too much pass after each step of the demand, until it is measured anew; and where
 * a level is less than a request a second, a measured demand is mostly noise. So there is a credit that grows with the
 * level, and what would overdraw it is refused. Most are refused before that by their place in the order of refusal,
 * the same ones everywhere.
 */
export class LevelCredit {
  rank = 0;
  level = Number.POSITIVE_INFINITY;
  isHolding = false;
  /** NaN until the first request. */
  #credit = Number.NaN;
  #refusedShare = 0;

  /** Of all requests of the rank, as it was when the slot began. */
  get refusedShare(): number {
    return this.#refusedShare;
  }

  /** A level that moves keeps the credit; one for another criticality begins without savings and without debt. */
  hold(rank: number, level: number, demand: number): void {
    if (!this.isHolding || rank !== this.rank) this.#credit = Number.NaN;
    this.isHolding = true;
    this.rank = rank;
    this.level = level;
    this.#choose(demand);
  }

  release(): void {
    this.isHolding = false;
  }

  /** So many seconds later. `demand` is a rate, `meanCost` that of a request, `most` what may be owed, in seconds. */
  roll(seconds: number, demand: number, meanCost: number, most: number): void {
    const kept = Math.max(meanCost, this.level * KEPT_SECONDS);
    this.#credit = Math.max(
      -this.level * most - meanCost,
      Math.min(kept, this.#credit + this.level * seconds),
    );
    this.#choose(demand);
  }

  admit(order: number, meanCost: number): boolean {
    // At each backend from another part of a request on: if all let one pass at once when a level is heard, a thousand
    // backends would let pass a thousand requests more than they may.
    if (Number.isNaN(this.#credit)) this.#credit = -meanCost * (order >= 0 && order < 1 ? order : 0.5);
    if (order < this.#refusedShare || this.#credit <= 0) return false;
    this.#credit -= meanCost;
    return true;
  }

  /** It cost so much more than was assumed, or less. */
  correct(cost: number): void {
    this.#credit -= cost;
  }

  #choose(demand: number): void {
    // Before the first request there is no credit yet.
    const credit = this.#credit > 0 ? this.#credit : 0;
    const passing = (this.level + credit / KEPT_SECONDS) * MARGIN;
    this.#refusedShare = demand > passing ? 1 - passing / demand : 0;
  }
}
