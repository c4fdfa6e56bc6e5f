import { checkInteger, checkNonNegative } from '../../core/check.js';
import { elapsedMs } from '../../core/elapsed.js';

/** After this time a measured request weighs 37 % of a fresh one: new code of a route shows within a minute. */
const DECAY_MS = 60_000;

/** A mean of less weight says nothing any more. A single measured request is forgotten after 20.7 × DECAY_MS. */
const NEGLIGIBLE = 1e-9;

class CostMean {
  #sumMs = 0;
  #weight = 0;

  add(ms: number, weight: number): void {
    this.#sumMs += ms;
    this.#weight += weight;
  }

  fade(kept: number): void {
    this.#sumMs *= kept;
    this.#weight *= kept;
  }

  /** Undefined when nothing was measured, or so long ago that it is forgotten. */
  get ms(): number | undefined {
    return this.#weight < NEGLIGIBLE ? undefined : this.#sumMs / this.#weight;
  }
}

/**
 * What a request of each route costs on average, in CPU-ms: for those that are not measured themselves. Before anything
 * was measured a route costs what its hint says, and without a hint as much as the average of all.
 */
export class RouteCosts {
  readonly #hints = new Map<string, number>();
  readonly #means = new Map<string, CostMean>();
  readonly #all = new CostMean();
  readonly #most: number;
  readonly #announced = new Set<string>();
  #fadedAtMs: number | undefined = undefined;

  /** Hints in CPU-ms by route. A mean is kept for at most that many routes, the others count as the average of all. */
  constructor(hints: Readonly<Record<string, number>>, most: number) {
    for (const [route, ms] of Object.entries(hints)) {
      this.#hints.set(route, checkNonNegative(`hints["${route}"]`, ms));
    }
    this.#most = checkInteger('maxRoutes', most, 1);
  }

  /** A request was measured to its end. */
  teach(route: string, ms: number): void {
    this.#add(route, ms, 1);
  }

  /** It went on after that: its cost grows, the number of requests does not. */
  teachMore(route: string, ms: number): void {
    this.#add(route, ms, 0);
  }

  expectedMs(route: string): number {
    return this.#means.get(route)?.ms ?? this.#hints.get(route) ?? this.#all.ms ?? 0;
  }

  /** Whether nothing is known of a route yet, and something will be as soon as one of its requests is measured. */
  isUnknown(route: string): boolean {
    return !this.#means.has(route) && !this.#hints.has(route) && this.#means.size < this.#most;
  }

  /** True once for each route of which nothing is known: it should be measured soon. */
  isNew(route: string): boolean {
    if (this.#means.has(route) || this.#hints.has(route) || this.#announced.has(route)) return false;
    if (this.#announced.size >= this.#most) return false;
    this.#announced.add(route);
    return true;
  }

  /** What the hint says and nothing else, 0 without one. */
  hintedMs(route: string): number {
    return this.#hints.get(route) ?? 0;
  }

  /** Each second or so. */
  fade(now: number): void {
    const kept = Math.exp(-elapsedMs(this.#fadedAtMs ?? now, now) / DECAY_MS);
    this.#fadedAtMs = now;
    this.#all.fade(kept);
    for (const [route, mean] of this.#means) {
      mean.fade(kept);
      if (mean.ms === undefined) this.#means.delete(route);
    }
  }

  #add(route: string, ms: number, weight: number): void {
    this.#all.add(ms, weight);
    let mean = this.#means.get(route);
    if (mean === undefined) {
      if (this.#means.size >= this.#most) return;
      mean = new CostMean();
      this.#means.set(route, mean);
    }
    mean.add(ms, weight);
  }
}
