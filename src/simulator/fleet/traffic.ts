import { CRITICALITIES, type Criticality, criticalityRank } from '../../core/criticality.js';
import { nearestRank, QuantileSketch } from '../../core/measuring/index.js';
import { REQUEST_ENDS, type RequestEnd, type SimulatedRequest } from './request.js';

/** From a tenth of a millisecond to ten minutes, to 1 %, and never forgotten. */
const LATENCIES = { windowMs: 1e15, slots: 1, min: 0.1, max: 600_000, relativeError: 0.01 };

/** What became of some requests. */
export class Tally {
  offered = 0;
  retries = 0;
  readonly ends: Record<RequestEnd, number> = emptyEnds();
  /** Of those that were answered, and of those that waited in vain for as long as they could. */
  readonly #latencies = new QuantileSketch(LATENCIES);
  #latencySumMs = 0;
  #latencyCount = 0;

  onEnd(request: SimulatedRequest, end: RequestEnd, now: number): void {
    this.ends[end]++;
    this.retries += request.retries;
    if (!hasLatency(end)) return;
    const latencyMs = now - request.startedMs;
    this.#latencies.add(0, latencyMs);
    this.#latencySumMs += latencyMs;
    this.#latencyCount++;
  }

  /** How long answers took; null when there were none. */
  latencyMs(quantile: number): number | null {
    return this.#latencies.quantile(quantile, 0) ?? null;
  }

  get meanLatencyMs(): number | null {
    return this.#latencyCount === 0 ? null : this.#latencySumMs / this.#latencyCount;
  }

  /** Those that were answered in time. */
  get good(): number {
    return this.ends.served + this.ends.degraded;
  }

  /** Refused by somebody on purpose. */
  get refused(): number {
    return this.ends.shed + this.ends.limited + this.ends.throttled + this.ends.unsent;
  }

  /** Went wrong. */
  get errors(): number {
    return this.ends.failed + this.ends['timed-out'] + this.ends.broken;
  }

  get ended(): number {
    return this.good + this.refused + this.errors;
  }
}

/** Who was refused was not kept waiting, as a rule; who got nothing waited for as long as it could. */
function hasLatency(end: RequestEnd): boolean {
  return end === 'served' || end === 'degraded' || end === 'timed-out';
}

function emptyEnds(): Record<RequestEnd, number> {
  return Object.fromEntries(REQUEST_ENDS.map((end) => [end, 0])) as Record<RequestEnd, number>;
}

/** The requests of a group of clients, by criticality and all together, from an instant on. */
export class Traffic {
  readonly all = new Tally();
  readonly #byRank: readonly Tally[] = CRITICALITIES.map(() => new Tally());
  /** Requests that were made before are not counted, however they end. */
  sinceMs = 0;
  /** Latencies since somebody last looked. */
  #recentMs: number[] = [];

  of(criticality: Criticality): Tally {
    return this.#byRank[criticalityRank(criticality)]!;
  }

  onStart(request: SimulatedRequest): void {
    if (request.startedMs < this.sinceMs) return;
    this.all.offered++;
    this.of(request.criticality).offered++;
  }

  onEnd(request: SimulatedRequest, end: RequestEnd, now: number): void {
    if (request.startedMs < this.sinceMs) return;
    this.all.onEnd(request, end, now);
    this.of(request.criticality).onEnd(request, end, now);
    if (hasLatency(end)) this.#recentMs.push(now - request.startedMs);
  }

  /** Quantiles of the latencies since the last call; null when there were none. */
  takeRecent(quantiles: readonly number[]): (number | null)[] {
    const sorted = Float64Array.from(this.#recentMs).sort();
    this.#recentMs = [];
    return quantiles.map((q) => (sorted.length === 0 ? null : sorted[nearestRank(q, sorted.length) - 1]!));
  }
}
