import { checkNonNegative } from '../../core/check.js';
import { elapsedMs } from '../../core/elapsed.js';
import { OTHER } from './accounts.js';

/** After this time a measured request weighs 37 % of a fresh one: a new version of a route's code shows in a minute. */
const DECAY_MS = 60_000;

/** A mean of less than this weight says nothing any more: one measured request, after 20.7 × DECAY_MS. */
const NEGLIGIBLE = 1e-9;

class CostMean {
  sumMs = 0;
  weight = 0;

  get isEmpty(): boolean {
    return this.weight < NEGLIGIBLE;
  }

  get ms(): number {
    return this.sumMs / this.weight;
  }
}

/**
 * What a request of each route costs on average, in CPU-ms: for those that are not measured themselves. Before anything
 * was measured a route costs what its hint says, without a hint as much as the others.
 */
export class RouteCosts {
  readonly #hints = new Map<string, number>();
  readonly #means = new Map<string, CostMean>();
  readonly #most: number;
  readonly #all = new CostMean();
  #decayedAtMs = Number.NEGATIVE_INFINITY;

  /** Hints in CPU-ms by route; means are kept for at most that many routes, the rest share one. */
  constructor(hints: Readonly<Record<string, number>>, most: number) {
    for (const [route, ms] of Object.entries(hints)) {
      this.#hints.set(route, checkNonNegative(`hints of ${route}`, ms));
    }
    this.#most = most;
    this.#means.set(OTHER, new CostMean());
  }

  /** A finished request was measured. */
  teach(route: string, ms: number): void {
    this.#add(route, ms, 1);
  }

  /** It went on after it was finished. */
  teachMore(route: string, ms: number): void {
    this.#add(route, ms, 0);
  }

  expected(route: string): number {
    const mean = this.#means.get(route);
    if (mean !== undefined && !mean.isEmpty) return mean.ms;
    return this.#hints.get(route) ?? (this.#all.isEmpty ? 0 : this.#all.ms);
  }

  /** What the hint says, and nothing else. */
  hinted(route: string): number {
    return this.#hints.get(route) ?? 0;
  }

  decay(now: number): void {
    const kept = Math.exp(-elapsedMs(this.#decayedAtMs, now) / DECAY_MS);
    this.#decayedAtMs = now;
    this.#fade(this.#all, kept);
    for (const [route, mean] of this.#means) {
      this.#fade(mean, kept);
      if (mean.isEmpty && route !== OTHER) this.#means.delete(route);
    }
  }

  #fade(mean: CostMean, kept: number): void {
    mean.sumMs *= kept;
    mean.weight *= kept;
  }

  #add(route: string, ms: number, weight: number): void {
    const mean = this.#meanOf(route);
    mean.sumMs += ms;
    mean.weight += weight;
    this.#all.sumMs += ms;
    this.#all.weight += weight;
  }

  #meanOf(route: string): CostMean {
    const known = this.#means.get(route);
    if (known !== undefined) return known;
    if (this.#means.size > this.#most) return this.#means.get(OTHER)!;
    const mean = new CostMean();
    this.#means.set(route, mean);
    return mean;
  }
}
