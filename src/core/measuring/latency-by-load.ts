import { checkInteger, withDefaults } from '../check.js';
import { RecentQuantile } from './recent-quantile.js';

/** How many latencies an estimate is made of, and how old they may be. */
export interface LatencyByLoadOptions {
  /** How many latencies are kept for each level of load. */
  readonly size: number;
  /** Latencies that were measured longer ago do not count. */
  readonly maxAgeMs: number;
  /** So many latencies make an estimate; where a level has fewer, its neighbours help out. */
  readonly enough: number;
  /** With fewer at all levels together nothing is known. */
  readonly fewest: number;
}

export const LATENCY_BY_LOAD_DEFAULTS: LatencyByLoadOptions = Object.freeze({
  // The median of 16 latencies that vary as an exponential does is off by a third (σ): less than backends differ when
  // it matters.
  size: 16,
  // An estimate should be of the present state, and one that is too high keeps away the requests that would mend it
  // until it is forgotten, so this is how long a backend may starve. In a closed loop of 100 equal backends the least
  // used got a fiftieth of its share within 3 s at 5 s, and half of it at 2 s. At 10 requests a second it leaves 20.
  maxAgeMs: 2_000,
  // One latency alone may be five times too high by chance, and the backend would not be asked again until it is
  // forgotten.
  enough: 8,
  // Whoever asks should find out, and four requests in two seconds cost a slow backend's clients little.
  fewest: 4,
});

/** Every number in flight below it is a level of its own. */
const EXACT = 16;
/**
 * Above, levels per doubling. They are then 14 to 25 % wide, about what a number from 16 to 50 varies by itself
 * (1/√n): finer levels would tell noise apart, and each would know less.
 */
const PER_DOUBLING = 4;
/** More in flight than this counts as this many: a process cannot have more sockets. */
const MOST_IN_FLIGHT = 0xffff;

/**
 * A backend's own estimate of the latency that the next request will see: the median latency of recent requests that
 * arrived when about as many were in flight (Prequal, NSDI 2024). It answers probes, so it changes with the load at
 * once, before a single request has finished under the new load.
 *
 * Memory: 64 levels at most, each made when it is first seen, of 24 bytes × size plus the objects around it: about 1
 * kB a level, 20 kB for a backend that has seen loads from 0 to 19, and never above 70 kB.
 */
export class LatencyByLoad {
  readonly #options: LatencyByLoadOptions;
  readonly #levels: (RecentQuantile | undefined)[];
  /** The highest level that was made: beyond it there is nothing to look for. */
  #highest = 0;

  constructor(given?: Partial<LatencyByLoadOptions>) {
    this.#options = withDefaults('latencyByLoad', LATENCY_BY_LOAD_DEFAULTS, given);
    checkInteger('enough', this.#options.enough, 1);
    checkInteger('fewest', this.#options.fewest, 1, this.#options.enough);
    this.#levels = new Array<RecentQuantile | undefined>(levelOf(MOST_IN_FLIGHT) + 1).fill(undefined);
    // The first level checks the other options.
    this.#levels[0] = this.#makeLevel();
  }

  record(now: number, inFlightAtArrival: number, latencyMs: number): void {
    const level = levelOf(inFlightAtArrival);
    if (level > this.#highest) this.#highest = level;
    this.#levels[level] ??= this.#makeLevel();
    this.#levels[level].add(now, latencyMs);
  }

  /**
   * Undefined when nothing recent is known at any load. Where too few latencies are known at this one, the nearest
   * levels help out, as they are: how latency grows with load is for measuring, not for guessing. Of two as near the
   * lower comes first: an estimate that is too good is mended by the requests it attracts, one that is too bad keeps
   * away those that would mend it.
   */
  estimate(now: number, inFlight: number): number | undefined {
    const { enough, fewest } = this.#options;
    const level = levelOf(inFlight);
    let counted = 0;
    let sum = 0;
    const furthest = Math.max(level, this.#highest - level);
    for (let distance = 0; distance <= furthest && counted < enough; distance++) {
      for (let side = distance === 0 ? 1 : -1; side <= 1; side += 2) {
        const at = level + side * distance;
        if (at < 0 || at > this.#highest || counted >= enough) continue;
        const near = this.#levels[at];
        const median = near?.quantile(0.5, now);
        if (near === undefined || median === undefined) continue;
        const count = near.count(now);
        counted += count;
        sum += median * count;
      }
    }
    return counted < fewest ? undefined : sum / counted;
  }

  #makeLevel(): RecentQuantile {
    const { size, maxAgeMs } = this.#options;
    return new RecentQuantile({ size, maxAgeMs });
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
