import { elapsedMs } from '../elapsed.js';
import { LESSONS, type Outcome } from '../outcome.js';
import { type BatchPaceOptions, checkBatchPaceOptions } from './batch-pace-options.js';
import { DIP_SHARE, PaceLatency } from './pace-latency.js';

/** What the pace goes by just now. */
export type PaceReason =
  /** There is room, and it is being taken. */
  | 'growing'
  /** There may be room, and nobody asks for it. */
  | 'idle'
  | 'utilization'
  | 'latency'
  | 'refused'
  /** Stepping back for a moment, to see how long requests take without batches. */
  | 'measuring'
  | 'least'
  | 'most';

/** How fast batches go, and why no faster. */
export interface PaceReading {
  readonly ratePerSecond: number;
  readonly limit: number;
  readonly why: PaceReason;
  /** 1 = as full as it may be; undefined when the service does not say, or not lately. */
  readonly utilization: number | undefined;
  readonly latencyMs: number | undefined;
  /** How long a request takes without batches. */
  readonly baseLatencyMs: number | undefined;
}

/** A change shows in what backends report of their last second after about half of it. */
const INTERVAL_MS = 500;
/** Or after so many times as long as a request takes, if that is longer. */
const STAYS = 2;
const MOST_INTERVAL_MS = 10_000;
/** What was reported longer ago says nothing of now. */
const FRESH_MS = 5_000;
/** Half again in a second: what is wrong with a pace shows before it has doubled. */
const MOST_GROWTH = 1.25;
/**
 * With nothing to go by but refusals and latency, which say nothing until it is too much: a tenth in a second, and more
 * the longer nothing is in the way. From a fortieth of what there is room for it takes 15 s instead of 38.
 */
const BLIND_GROWTH = 1.05;
const MORE_BLIND_GROWTH = 1.005;
/** Around the pace at which the service began to refuse or to be slow: both come suddenly, as utilization does not. */
const CAREFUL_GROWTH = 1.01;
const NEAR_CEILING = 0.95;
const ABOVE_CEILING = 1.1;
/** A pace that had to be halved was too much, and by how much is not known. */
const FAR_CEILING = 0.9;
/** A pace that is not used up is not known to be too low. */
const USED_UP = 0.8;
/** What is this far above its target is no chance, and how far it really is no reading says: a full service is full. */
const FAR_ABOVE = { utilization: 1.2, latency: 1.5 } as const;
/** From here on it is latency that holds batches back. */
const BINDING = 0.9;
/** Below this share of its target nobody waits in a service: what takes longer then takes longer by itself. */
const ROOMY = 0.75;
/** Until then a cut has not shown. */
const SETTLE_MS = 1_000;
/** A refusal alone is no evidence: as if so many more had been accepted. */
const DOUBT = 10;
/** What timers come too late is made up for, up to this. */
const CATCH_UP_MS = 20;
/** Twice what Little's law asks for, and two: numbers under way vary by chance. */
const HEADROOM = 2;
const SPARE = 2;
/** While it is not known how long a request takes, the pace must not run away from what comes back. */
const UNKNOWN_LIMIT = 16;
/** After a minute without requests everything may be different. */
const FORGET_MS = 60_000;

/**
 * How many requests of batches may be under way, and how fast they may follow each other, so that they use what
 * interactive requests leave over and no more.
 *
 * Let a service be full to i by others and to b·r by a pace of r, and T its target. Each interval the pace is multiplied
 * by a power of T / (i + b·r). With the full power x = b·r goes to x·T / (i + x): that grows towards T − i and never beyond
 * (it increases with x, and T − i goes to itself), whatever i and b are. Reports lag by about two intervals, so that it
 * goes by the root of it: half the step, as is usual for a delay of that size. Other than with AIMD the pace rests where
 * it should, and does not have to find out by harm.
 *
 * Latency is held against its base in the same way, for services that report nothing. A refusal counts at once: what a
 * service accepts is what it can do.
 */
export class BatchPace {
  readonly #options: BatchPaceOptions;
  readonly #latency: PaceLatency;
  #rate: number;
  #sinceMs: number;
  #started = 0;
  #accepted = 0;
  #refused = 0;
  /** The pace at which the interval began: shares of refusals are of that. */
  #rateBefore: number;
  #isHeld = false;
  #nextStartMs = Number.NEGATIVE_INFINITY;
  #utilization = 0;
  #utilizationMs = Number.NEGATIVE_INFINITY;
  #halvedMs = Number.NEGATIVE_INFINITY;
  /** The pace after the last refusal, or after it was too much for latency. */
  #ceiling = Number.POSITIVE_INFINITY;
  /** Nothing has slowed it down so far. */
  #isFirstClimb = true;
  /** That it has grown by since something did. */
  #steps = 0;
  #why: PaceReason = 'idle';

  constructor(now: number, given?: Partial<BatchPaceOptions>) {
    this.#options = checkBatchPaceOptions(given);
    this.#latency = new PaceLatency(now);
    this.#rate = this.#rateBefore = this.#bounded(this.#options.initialPerSecond);
    this.#sinceMs = now;
  }

  get ratePerSecond(): number {
    return this.#latency.isDipping ? this.#bounded(this.#rate * DIP_SHARE) : this.#rate;
  }

  /** How many may be under way. When the service takes twice as long it is sent half as much, before anything is known. */
  get limit(): number {
    const { baseMs } = this.#latency;
    if (baseMs === undefined) return Math.min(this.#options.maxUnderWay, UNKNOWN_LIMIT);
    const wanted = Math.ceil((HEADROOM * this.ratePerSecond * baseMs) / 1_000) + SPARE;
    return Math.min(this.#options.maxUnderWay, wanted);
  }

  /** For whoever has one to send: 0 when it may go now, else after how long; Infinity when another has to end first. */
  waitMs(underWay: number, now: number): number {
    this.#advance(now);
    if (underWay >= this.limit) return Number.POSITIVE_INFINITY;
    const waitMs = elapsedMs(now, this.#nextStartMs);
    if (waitMs > 0) this.#isHeld = true;
    return waitMs;
  }

  onStart(now: number): void {
    this.#advance(now);
    this.#started++;
    this.#nextStartMs = Math.max(this.#nextStartMs, now - CATCH_UP_MS) + 1_000 / this.ratePerSecond;
  }

  onDone(outcome: Outcome, latencyMs: number, now: number): void {
    this.#advance(now);
    const { throttle } = LESSONS[outcome];
    // Nobody there to connect to is no place to send more to, either.
    if (throttle === 'rejected' || outcome === 'connect-failed') this.#onRefused();
    else if (throttle === 'accepted') {
      this.#accepted++;
      // A fast failure is no sign of a fast service.
      if (outcome === 'answered') this.#latency.observe(latencyMs, now);
    }
  }

  /** What the service says of itself, or what is known of it: 1 = full. */
  onUtilization(utilization: number, now: number): void {
    if (!(utilization >= 0)) return;
    this.#utilization = utilization;
    this.#utilizationMs = now;
  }

  explain(now: number): PaceReading {
    this.#advance(now);
    return {
      ratePerSecond: this.ratePerSecond,
      limit: this.limit,
      why: this.#latency.isDipping ? 'measuring' : this.#why,
      utilization: this.#freshUtilization(now),
      latencyMs: this.#latency.stayMs,
      baseLatencyMs: this.#latency.baseMs,
    };
  }

  /** At once, and by the share that was refused of this interval: what is left is what the service accepts. */
  #onRefused(): void {
    this.#refused++;
    const share = this.#refused / (this.#accepted + this.#refused + DOUBT);
    this.#rate = this.#bounded(this.#rateBefore * (1 - share));
    this.#ceiling = this.#rate;
    this.#isFirstClimb = false;
    this.#steps = 0;
    this.#why = 'refused';
  }

  /** What was sent at the last pace has to come back before the next one: a climb must not outrun what it is told. */
  get #intervalMs(): number {
    const stayMs = this.#latency.stayMs ?? 0;
    return Math.min(MOST_INTERVAL_MS, Math.max(INTERVAL_MS, STAYS * stayMs));
  }

  #advance(now: number): void {
    const tookMs = elapsedMs(this.#sinceMs, now);
    if (tookMs < this.#intervalMs) return;
    if (tookMs >= FORGET_MS) this.#forget(now);
    else this.#step(tookMs, now);
    this.#sinceMs = now;
    this.#started = this.#accepted = this.#refused = 0;
    this.#isHeld = false;
    this.#rateBefore = this.#rate;
  }

  #step(tookMs: number, now: number): void {
    const { targetUtilization, latencyFactor } = this.#options;
    const isUsedUp = this.#isHeld && (this.#started + 1) * 1_000 >= USED_UP * this.ratePerSecond * tookMs;
    const wasDipping = this.#latency.isDipping;
    const utilization = this.#freshUtilization(now);
    const byUtilization = utilization === undefined ? undefined : utilization / targetUtilization;
    const inflation = this.#latency.read((byUtilization ?? 1) < ROOMY, now);
    // Cut already, and by how much that was right shows in the next interval.
    if (this.#refused > 0) return;
    const byLatency = inflation === undefined ? undefined : inflation / latencyFactor;
    // Where utilization is known it tells more, and sooner, unless it is not what requests wait for.
    const isLatency =
      byLatency !== undefined && (byUtilization === undefined || byLatency > FAR_ABOVE.latency);
    const pressure = isLatency ? byLatency : byUtilization;
    if (isLatency && byLatency > BINDING) this.#latency.dipIfDue(now);
    if (pressure !== undefined && pressure > 1)
      this.#cut(pressure, isLatency ? 'latency' : 'utilization', now);
    else if (!isUsedUp) this.#why = 'idle';
    else if (!wasDipping) this.#grow(pressure, isLatency);
  }

  #cut(pressure: number, why: 'latency' | 'utilization', now: number): void {
    const isFar = pressure > FAR_ABOVE[why] && elapsedMs(this.#halvedMs, now) >= SETTLE_MS;
    if (isFar) this.#halvedMs = now;
    this.#isFirstClimb = false;
    this.#steps = 0;
    const before = this.#rate;
    this.#rate = this.#bounded(this.#rate * (isFar ? 0.5 : 1 / Math.sqrt(pressure)));
    if (why === 'latency') this.#ceiling = isFar ? FAR_CEILING * before : this.#rate;
    this.#why = this.#rate === this.#options.leastPerSecond ? 'least' : why;
  }

  #grow(pressure: number | undefined, isLatency: boolean): void {
    const free = this.#freeGrowth(pressure, isLatency);
    const isNearCeiling =
      this.#rate > NEAR_CEILING * this.#ceiling && this.#rate < ABOVE_CEILING * this.#ceiling;
    this.#rate = this.#bounded(this.#rate * (isNearCeiling ? Math.min(free, CAREFUL_GROWTH) : free));
    this.#steps++;
    if (this.#rate >= ABOVE_CEILING * this.#ceiling) this.#ceiling = Number.POSITIVE_INFINITY;
    this.#why = this.#rate === this.#options.mostPerSecond ? 'most' : 'growing';
  }

  #freeGrowth(pressure: number | undefined, isLatency: boolean): number {
    const isBlind = pressure === undefined || isLatency;
    // Until the first cut, as TCP's slow start: nothing but harm would tell where to stop, and the sooner the less.
    if (isBlind && this.#isFirstClimb) return MOST_GROWTH;
    const growth = isBlind ? BLIND_GROWTH * MORE_BLIND_GROWTH ** this.#steps : 1 / Math.sqrt(pressure);
    return Math.min(MOST_GROWTH, growth);
  }

  #freshUtilization(now: number): number | undefined {
    return elapsedMs(this.#utilizationMs, now) < FRESH_MS ? this.#utilization : undefined;
  }

  #bounded(rate: number): number {
    const { leastPerSecond, mostPerSecond } = this.#options;
    return Math.min(mostPerSecond, Math.max(leastPerSecond, rate));
  }

  #forget(now: number): void {
    this.#latency.clear(now);
    this.#rate = this.#bounded(Math.min(this.#rate, this.#options.initialPerSecond));
    this.#ceiling = Number.POSITIVE_INFINITY;
    this.#isFirstClimb = true;
    this.#why = 'idle';
  }
}
