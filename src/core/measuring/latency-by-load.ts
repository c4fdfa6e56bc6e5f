import { RecentQuantile } from './recent-quantile.js';

export interface LatencyByLoadOptions {
  /** How many latencies are kept for each level of load. */
  readonly size?: number;
  /** Latencies that were measured longer ago do not count. */
  readonly maxAgeMs?: number;
}

const DEFAULTS = {
  /** The median of 16 latencies that vary as an exponential does is off by a third (σ): less than backends differ when it matters. */
  size: 16,
  /**
   * 5 s: what slows a backend down (a neighbour on its machine, a cold cache) comes and goes over tens of seconds, and an
   * estimate should be of the present state. At 10 requests a second it still leaves 50 latencies.
   */
  maxAgeMs: 5_000,
};

/** Every number in flight below it is a level of its own. */
const EXACT = 16;
/**
 * Above, levels per doubling. They are then 14 to 25 % wide, about what a number from 16 to 50 varies by itself (1/√n): finer
 * levels would tell noise apart, and each would know less.
 */
const PER_DOUBLING = 4;
/** More in flight than this counts as this many: a process cannot have more sockets. */
const MOST_IN_FLIGHT = 0xffff;

/**
 * A backend's own estimate of the latency that the next request will see: the median latency of recent requests that
 * arrived when about as many were in flight (Prequal, NSDI 2024). It answers probes, so it changes with the load at once,
 * before a single request has finished under the new load.
 *
 * Memory: 64 levels at most, each made when it is first seen, of 24 bytes × size plus the objects around it: about 1 kB a
 * level, 20 kB for a backend that has seen loads from 0 to 19, and never above 70 kB.
 */
export class LatencyByLoad {
  readonly #options: { readonly size: number; readonly maxAgeMs: number };
  readonly #levels: (RecentQuantile | undefined)[];

  constructor(options: LatencyByLoadOptions = {}) {
    this.#options = {
      size: options.size ?? DEFAULTS.size,
      maxAgeMs: options.maxAgeMs ?? DEFAULTS.maxAgeMs,
    };
    this.#levels = new Array<RecentQuantile | undefined>(levelOf(MOST_IN_FLIGHT) + 1).fill(undefined);
    // The first level also checks the options.
    this.#levels[0] = new RecentQuantile(this.#options);
  }

  record(now: number, inFlightAtArrival: number, latencyMs: number): void {
    const level = levelOf(inFlightAtArrival);
    this.#levels[level] ??= new RecentQuantile(this.#options);
    this.#levels[level].add(now, latencyMs);
  }

  /**
   * Undefined when nothing recent is known at any load. If nothing is known at this one, the nearest level answers, as it
   * is: how latency grows with load is for measuring, not for guessing. Of two as near the lower answers: an estimate that
   * is too good is mended by the requests it attracts, one that is too bad keeps away those that would mend it.
   */
  estimate(now: number, inFlight: number): number | undefined {
    const level = levelOf(inFlight);
    for (let distance = 0; distance < this.#levels.length; distance++) {
      const median =
        this.#levels[level - distance]?.quantile(0.5, now) ??
        this.#levels[level + distance]?.quantile(0.5, now);
      if (median !== undefined) return median;
    }
    return undefined;
  }
}

/** 0, 1, … 15 for themselves, then 16–19, 20–23, 24–27, 28–31, 32–39, … */
function levelOf(inFlight: number): number {
  // Down to a whole number from 0 to the most; NaN is 0.
  const bounded = Math.max(0, Math.min(inFlight, MOST_IN_FLIGHT) | 0);
  if (bounded < EXACT) return bounded;
  const doublings = 31 - Math.clz32(bounded / EXACT);
  const within = Math.floor((bounded / (EXACT << doublings) - 1) * PER_DOUBLING);
  return EXACT + doublings * PER_DOUBLING + within;
}
