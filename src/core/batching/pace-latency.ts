import { BaseLatency } from '../admission/concurrency-limit-base.js';
import { elapsedMs } from '../elapsed.js';

/** A mean of so many is off by 10 % where times vary as an exponential does: less than half of what is looked for. */
const ENOUGH = 100;
/** A slow service does not do that many: after this time a few will have to do. */
const LONG_MS = 2_000;
const FEW = 10;
/** The first reading is what the next ones are held against: it may take its time. */
const FIRST_MS = 10_000;
/** Errors of a mean that are taken for chance, where times vary as an exponential does. */
const DOUBT = 2;
/** What takes less than this takes longer as soon as anything else runs on the machine. */
const LEAST_BASE_MS = 10;
/** What a pace goes down to in order to learn how long requests take without it. */
export const DIP_SHARE = 0.6;
/** Of 15 s about 1.5 at 60 %: it costs batches 4 %. */
const DIP_EVERY_MS = 15_000;
/** Until three of them agree. */
const EARLY_DIP_MS = 2_000;

/**
 * How long requests take, against how long they would without batches. The latter cannot be seen while there are some: as
 * BBR does for a network path and LEDBAT++ for background transfers, the pace steps back now and then, and what is
 * measured then is the base. Without that, a base is only what batches themselves have made of it, and ratchets upward.
 * No dips are made while latency holds nobody back.
 */
export class PaceLatency {
  readonly #base = new BaseLatency();
  #sumMs = 0;
  #count = 0;
  #sinceMs: number;
  /** How long requests took when that was last read. */
  #stayMs: number | undefined = undefined;
  #dipEndedMs: number;
  #isDipping = false;
  /** Those sent before the dip have to end first. */
  #measureFromMs = 0;

  constructor(now: number) {
    this.#sinceMs = now;
    this.#dipEndedMs = now;
  }

  /** The pace is to go at DIP_SHARE of itself. */
  get isDipping(): boolean {
    return this.#isDipping;
  }

  /** How long a request takes without batches; undefined until something was learned. */
  get baseMs(): number | undefined {
    return Number.isFinite(this.#base.ms) ? this.#base.ms : undefined;
  }

  /** How long they take now. */
  get stayMs(): number | undefined {
    return this.#stayMs;
  }

  observe(latencyMs: number, now: number): void {
    if (this.#isDipping && now < this.#measureFromMs) return;
    this.#sumMs += latencyMs;
    this.#count++;
  }

  /**
   * Takes stock: how many times the base a request takes now; undefined when there is nothing new to say. In a service
   * that `isRoomy` nobody waits for another, and what is measured is the base.
   */
  read(isRoomy: boolean, now: number): number | undefined {
    const tookMs = elapsedMs(this.#sinceMs, now);
    const longMs = this.#stayMs === undefined ? FIRST_MS : LONG_MS;
    const isEnough = this.#count >= ENOUGH || (tookMs >= longMs && this.#count >= FEW);
    if (!isEnough) {
      // Nobody comes any more: what the dip would say is not worth waiting for.
      if (this.#isDipping && tookMs >= 2 * LONG_MS) this.#endDip(now);
      return undefined;
    }
    const meanMs = this.#sumMs / this.#count;
    const count = this.#count;
    this.#restart(now);
    if (this.#isDipping) {
      this.#base.onDip(meanMs, count, this.#stayMs!, false);
      this.#endDip(now);
      return undefined;
    }
    // Paces begin low: the first reading is as good as a dip.
    if (isRoomy || this.#stayMs === undefined) this.#base.onDip(meanMs, count, meanMs, false);
    // The base is no more than what is seen now, chance aside.
    else this.#base.onBusy(meanMs * (1 + DOUBT / Math.sqrt(count)));
    this.#stayMs = meanMs;
    return isRoomy ? undefined : meanMs / Math.max(LEAST_BASE_MS, this.#base.ms);
  }

  /** Latency holds batches back: it should be known whether they are the cause. */
  dipIfDue(now: number): void {
    const everyMs = this.#base.isKnown ? DIP_EVERY_MS : EARLY_DIP_MS;
    if (elapsedMs(this.#dipEndedMs, now) < everyMs) return;
    this.#isDipping = true;
    this.#measureFromMs = now + this.#stayMs!;
  }

  #endDip(now: number): void {
    this.#isDipping = false;
    this.#dipEndedMs = now;
    this.#restart(now);
  }

  #restart(now: number): void {
    this.#sumMs = 0;
    this.#count = 0;
    this.#sinceMs = now;
  }

  /** After a long silence nothing is known. */
  clear(now: number): void {
    this.#base.clear();
    this.#stayMs = undefined;
    this.#endDip(now);
  }
}
