import { checkInteger, checkPositive, withDefaults } from '../check.js';
import { elapsedMs } from '../elapsed.js';
import type { LimitAlgorithm, LimitEstimate, LimitSample } from './concurrency-limit-algorithm.js';
import { BaseLatency } from './concurrency-limit-base.js';
import { Dip } from './concurrency-limit-dip.js';
import { LatencyMoments } from './concurrency-limit-moments.js';
import { StretchTally } from './concurrency-limit-stretch.js';
import { BusyThroughput } from './concurrency-limit-throughput.js';

/** Between what a limit of requests at once moves, and how it keeps learning. */
export interface ConcurrencyLimitOptions {
  /** The limit until something was learned. */
  readonly initialLimit: number;
  /** It never goes below this: what runs alone teaches nothing of how many could. */
  readonly minLimit: number;
  /** Nor above this. */
  readonly maxLimit: number;
  /** How often the base latency is measured anew, while the limit holds requests back. */
  readonly dipEveryMs: number;
  /** After this long without any request all that was learned is forgotten. */
  readonly forgetAfterMs: number;
}

export const CONCURRENCY_LIMIT_DEFAULTS: ConcurrencyLimitOptions = Object.freeze({
  // As Netflix's Gradient2. A server that could run 80 or 1000 is at its throughput after 3 or 5 saturated seconds.
  initialLimit: 20,
  // A pure-CPU handler needs one.
  minLimit: 1,
  // A bound for memory, not for load: the limit stops at the knee by itself. At 10 KB for each request, 100 MB.
  maxLimit: 10_000,
  // BBR's interval for the same purpose (ProbeRTT). It costs a server of 20 slots × 20 ms 1 % of its throughput.
  dipEveryMs: 10_000,
  // In ten idle minutes caches expire, connections close, neighbours on the machine come and go.
  forgetAfterMs: 600_000,
});

/** A change of the limit shows after one latency, and 500 answers of a fast server tell its throughput to 5 %. */
const INTERVAL_MS = 500;
/** A slow one needs longer: at constant times 50 tell it to a few percent, whatever is cut off at both ends. */
const INTERVAL_DONE = 50;
/** And one whose latencies vary: 200 for each unit of variation tell it to 7 %. More than 2000 would take too long. */
const DONE_PER_VARIATION = 200;
const INTERVAL_DONE_MOST = 2_000;
/**
 * After a stop of the whole process latencies seem to vary tenfold for the next 500 requests. A limit that is far too high
 * must not stand for a minute until they are known well: after five seconds 150 are enough, 8 % for exponential times.
 */
const INTERVAL_LONG_MS = 5_000;
const INTERVAL_LONG_DONE = 150;
/**
 * A limit that is reached has at least this share of it in flight on average; if it is less, requests came unevenly.
 */
const AT_LIMIT = 0.9;
/** Low enough that there is no queue in a dip even if the knee was taken for half as high again as it is. */
const DIP_SHARE = 0.6;
/** A dip that is all queue finds a knee of 0.6 times the former, one without of 1. Half-way between. */
const STILL_QUEUED = 0.8;
/** Until the base is known, and when throughput has fallen. */
const EARLY_DIP_MS = 2_000;
/**
 * A dip of a slow server takes seconds, at 60 % of the throughput: 1/21 of the time costs 2 %, and 1/9 for a while 4
 * %.
 */
const REST_PER_DIP = 20;
const EARLY_REST_PER_DIP = 8;

/**
 * How many requests may run at once, learned from how many are done. The limit sits a little above the knee: the
 * number in flight from which on more of them only wait. By Little's law the knee is the throughput of the busy
 * server × the base latency, that of a request which waits for no other.
 *
 * Netflix's Gradient2 takes for the base a long average of latencies, which its own limit has raised: always
 * saturated, it ratchets upward. Here the base is measured in dips, as BBR does for a network path: every 10 s the
 * limit goes down to 60 % of the knee until a hundred or so are done. When throughput does not fall with it, the rest
 * was queue, and the dip goes deeper at once. A queue and a slower service look the same from outside; a dip tells
 * them apart. And the limit cannot grow unless throughput does (Uber's Cinnamon vetoes that too): what was done is a
 * factor of the knee.
 */
export class ConcurrencyLimit implements LimitAlgorithm {
  readonly #options: ConcurrencyLimitOptions;
  readonly #stretches = new StretchTally();
  readonly #throughput = new BusyThroughput();
  readonly #base = new BaseLatency();
  readonly #moments = new LatencyMoments();
  readonly #dip = new Dip();
  #limit = 0;
  #at = Number.NEGATIVE_INFINITY;
  #stayMs = 0;
  #isDipping = false;
  #dipBeganMs = 0;
  #dipEndedMs = 0;
  #dipTookMs = 0;

  constructor(given?: Partial<ConcurrencyLimitOptions>) {
    const options = withDefaults('concurrencyLimit', CONCURRENCY_LIMIT_DEFAULTS, given);
    checkInteger('minLimit', options.minLimit, 1);
    checkInteger('maxLimit', options.maxLimit, options.minLimit);
    checkInteger('initialLimit', options.initialLimit, options.minLimit, options.maxLimit);
    checkPositive('dipEveryMs', options.dipEveryMs);
    checkPositive('forgetAfterMs', options.forgetAfterMs);
    this.#options = options;
    this.#forget();
  }

  get limit(): number {
    return this.#limit;
  }

  onSample(sample: LimitSample): void {
    const { now, isDone, latencyMs } = sample;
    const since = this.#at;
    if (now > since) this.#at = now;
    if (elapsedMs(since, now) > this.#options.forgetAfterMs) this.#forget();
    else if (this.#isDipping) {
      if (this.#dip.add(since, sample)) this.#onDipOver(now);
    } else if (this.#stretches.add(since, sample, this.#limit, this.#moments.meanMs)) {
      // At a completion: a pause of the process then lies within one interval, however long it is.
      if (isDone && this.#isEnough()) this.#onInterval(now);
    }
    if (isDone) this.#moments.observe(latencyMs);
  }

  boundBy(most: number): void {
    this.#limit = Math.max(this.#options.minLimit, Math.min(this.#limit, most));
  }

  explain(): LimitEstimate | undefined {
    if (this.#throughput.value === 0) return undefined;
    return {
      knee: this.#knee,
      baseMs: this.#base.ms,
      latencyMs: this.#stayMs,
      throughputPerSecond: this.#throughput.value * 1_000,
      isDipping: this.#isDipping,
    };
  }

  get #knee(): number {
    return this.#throughput.value * this.#base.ms;
  }

  #forget(): void {
    this.#stretches.clear();
    this.#moments.clear();
    this.#limit = this.#options.initialLimit;
    this.#throughput.clear();
    this.#base.clear();
    this.#isDipping = false;
    this.#dipEndedMs = Number.NEGATIVE_INFINITY;
  }

  #isEnough(): boolean {
    const { ms, done } = this.#stretches.tally;
    if (ms < INTERVAL_MS || done < INTERVAL_DONE || done < 2 * this.#limit) return false;
    if (ms >= INTERVAL_LONG_MS && done >= INTERVAL_LONG_DONE) return true;
    return done >= Math.min(INTERVAL_DONE_MOST, DONE_PER_VARIATION * this.#moments.variation);
  }

  #onInterval(now: number): void {
    const { throughput, stayMs, latencyMs, meanInFlight } = this.#stretches.tally;
    this.#stretches.clear();
    // Requests that take no time are no load.
    if (stayMs === 0) return;
    this.#stayMs = stayMs;
    this.#base.onBusy(stayMs);
    this.#throughput.learn(
      throughput,
      Math.max(meanInFlight, Math.floor(AT_LIMIT * this.#limit)) / latencyMs,
    );
    if (this.#isDipDue(now)) this.#beginDip(now);
    else this.#setLimit();
  }

  #isDipDue(now: number): boolean {
    const isEarly = this.#throughput.hasFallen || !this.#base.isKnown;
    const everyMs = isEarly ? EARLY_DIP_MS : this.#options.dipEveryMs;
    const restMs = this.#dipTookMs * (isEarly ? EARLY_REST_PER_DIP : REST_PER_DIP);
    return elapsedMs(this.#dipEndedMs, now) >= Math.max(everyMs, restMs);
  }

  #beginDip(now: number): void {
    const level = Math.max(this.#options.minLimit, Math.floor(DIP_SHARE * this.#knee));
    this.#dip.begin(level, this.#stayMs, this.#moments.variation, now);
    this.#isDipping = true;
    this.#dipBeganMs = now;
    this.#limit = level;
  }

  #onDipOver(now: number): void {
    const former = this.#knee;
    const measuredMs = this.#dip.measuredMs;
    if (measuredMs !== undefined) {
      this.#base.onDip(measuredMs, this.#dip.done, this.#stayMs, this.#throughput.hasFallen);
      this.#throughput.settle();
    }
    // The knee is lower than what the dip was aimed at, so that there may have been a queue even in it.
    if (this.#knee < STILL_QUEUED * former && this.#dip.level > this.#options.minLimit) {
      this.#beginDip(now);
      return;
    }
    this.#isDipping = false;
    this.#dipEndedMs = now;
    this.#dipTookMs = elapsedMs(this.#dipBeganMs, now);
    this.#setLimit();
  }

  /**
   * The knee and some headroom, so that a slot that becomes free finds a request waiting: one, and as many as such
   * numbers fluctuate by, which is their root (square-root staffing). The headroom is also what a knee that has moved
   * up is found by, so for a large one, whose root is small, a tenth at least, a quarter while it pays, and at the
   * start as much again.
   */
  #setLimit(): void {
    const { minLimit, maxLimit } = this.#options;
    const { isStarting, isGrowing } = this.#throughput;
    const knee = this.#knee;
    const share = isStarting ? 1 : isGrowing ? 1 / 4 : 1 / 10;
    const headroom = Math.max(1 + Math.sqrt(knee), knee * share);
    this.#limit = Math.min(maxLimit, Math.max(minLimit, Math.round(knee + headroom)));
  }
}
