import { checkNonNegative, checkPositive, withDefaults } from '../check.js';
import type { Random } from '../environment.js';
import type { Backend } from '../health/backend.js';
import { IndexSet } from '../health/index-set.js';
import { checkSlowStart, type SlowStartOptions, slowStartFactor } from '../health/slow-start.js';
import type { LoadReport } from '../load-report.js';
import type { Lesson } from '../outcome.js';
import { BackendWeight, WEIGHT_DEFAULTS, type WeightOptions } from './backend-weight.js';
import type { Entry, Policy } from './picker.js';
import { nextTurn } from './turn-order.js';

/** How weights follow from what backends report. */
export interface WeightedOptions extends WeightOptions {
  /** How often weights are worked out anew from what was reported. */
  readonly updateMs: number;
  /** No backend gets more than this many times the median weight, nor less than one part in it. */
  readonly maxRatio: number;
  /** A backend that has just become ready starts with a small share. */
  readonly slowStart: Partial<SlowStartOptions>;
}

export const WEIGHTED_DEFAULTS: WeightedOptions = Object.freeze({
  ...WEIGHT_DEFAULTS,
  // gRFC A58. Utilization is itself a mean over about a second.
  updateMs: 1_000,
  // A backend that reports a utilization of almost nothing (idle, or lying) would otherwise draw all the traffic. The
  // median, not the mean, which that very backend sets. Machines of one service differ by far less than tenfold.
  maxRatio: 10,
  slowStart: Object.freeze({}),
});

class WeightedEntry implements Entry {
  readonly backend: Backend;
  readonly weight = new BackendWeight();
  /** What it had saved up when it was last in a snapshot. */
  credit: number;

  constructor(backend: Backend, credit: number) {
    this.backend = backend;
    this.credit = credit;
  }
}

/**
 * SRE ch. 20, "Weighted Round Robin": in turn, but each backend as often as its weight says. Going round, a backend
 * saves up its share (its weight over the largest) and is served when it has saved a whole turn. After any number of
 * rounds each has had its share of them to within one request, and never a burst. A pick passes over as many backends
 * as the largest weight is times the mean: on average less than twice `maxRatio`, whatever their number.
 */
export class WeightedPolicy implements Policy<WeightedEntry> {
  readonly #options: WeightedOptions;
  readonly #slowStart: SlowStartOptions;
  readonly #random: Random;
  #entries: readonly WeightedEntry[] = [];
  #open = new IndexSet(0);
  #shares = new Float64Array(0);
  readonly #known: number[] = [];
  #credits = new Float64Array(0);
  #turn = 0;
  #lastOrdinal: number | undefined;
  #nextUpdateMs = Number.NEGATIVE_INFINITY;

  constructor(random: Random, given?: Partial<WeightedOptions>) {
    const options = withDefaults('weighted', WEIGHTED_DEFAULTS, given);
    checkNonNegative('blackoutMs', options.blackoutMs);
    checkPositive('expiryMs', options.expiryMs);
    checkNonNegative('errorPenalty', options.errorPenalty);
    checkPositive('updateMs', options.updateMs);
    if (checkPositive('maxRatio', options.maxRatio) < 1) {
      throw new RangeError(`maxRatio must be >= 1, got ${options.maxRatio}`);
    }
    this.#options = options;
    this.#slowStart = checkSlowStart(options.slowStart);
    this.#random = random;
  }

  /** A random part of a turn saved already, so that equal backends and equal clients do not move in step. */
  enlist(backend: Backend): WeightedEntry {
    return new WeightedEntry(backend, this.#random());
  }

  adopt(entries: readonly WeightedEntry[], open: IndexSet, now: number): void {
    for (let position = 0; position < this.#entries.length; position++) {
      this.#entries[position]!.credit = this.#credits[position]!;
    }
    this.#entries = entries;
    this.#open = open;
    this.#credits = Float64Array.from(entries, (entry) => entry.credit);
    this.#shares = new Float64Array(entries.length);
    this.#turn = nextTurn(entries, this.#lastOrdinal, this.#random);
    this.#reweigh(now);
  }

  choose(now: number): WeightedEntry {
    if (now >= this.#nextUpdateMs) this.#reweigh(now);
    const entry = this.#entries[this.#nextServed()]!;
    this.#lastOrdinal = entry.backend.ordinal;
    return entry;
  }

  onDone(entry: WeightedEntry, { isError, ejection }: Lesson): void {
    if (isError || ejection === 'success') entry.weight.onAttempt(isError);
  }

  onReport(entry: WeightedEntry, report: LoadReport, now: number): void {
    entry.weight.onReport(report, now, this.#options);
  }

  weightOf(entry: WeightedEntry): number | undefined {
    const { position } = entry.backend;
    return this.#entries[position] === entry ? this.#shares[position] : undefined;
  }

  /**
   * Only the open ones are visited: a backend at its limit misses its turns, and the others share them by weight. Ends,
   * since every share is above 0 and every visit saves it up.
   */
  #nextServed(): number {
    const shares = this.#shares;
    const credits = this.#credits;
    const open = this.#open;
    for (let position = open.nextFrom(this.#turn); ; position = open.nextFrom(position + 1)) {
      const credit = credits[position]! + shares[position]!;
      if (credit >= 1) {
        credits[position] = credit - 1;
        this.#turn = position + 1;
        return position;
      }
      credits[position] = credit;
    }
  }

  /** Shares from weights: A58's rules for backends without a weight, within `maxRatio`, times slow start. */
  #reweigh(now: number): void {
    const { updateMs, errorPenalty } = this.#options;
    this.#nextUpdateMs = now + updateMs;
    const mean = this.#boundKnown(now);
    let largest = 0;
    for (let position = 0; position < this.#entries.length; position++) {
      const { weight, backend } = this.#entries[position]!;
      const own = this.#shares[position]!;
      // Whoever has no weight has no utilization to add its errors to: they count as if it were 1.
      const assumed = own > 0 ? own : mean / (1 + weight.seenErrorShare * errorPenalty);
      const share = assumed * slowStartFactor(backend.readySinceMs, now, this.#slowStart);
      this.#shares[position] = share;
      largest = Math.max(largest, share);
    }
    for (let position = 0; position < this.#shares.length; position++) {
      this.#shares[position] = this.#shares[position]! / largest;
    }
  }

  /**
   * The known weights within their bounds, 0 for those that have none. Returns their mean, which a newcomer counts as.
   * Fewer than two weights compare with nothing: plain round robin.
   */
  #boundKnown(now: number): number {
    const { maxRatio } = this.#options;
    const known = this.#known;
    known.length = 0;
    for (let position = 0; position < this.#entries.length; position++) {
      const { weight, backend } = this.#entries[position]!;
      const current = weight.weight(now, backend.readySinceMs, this.#options);
      this.#shares[position] = current;
      if (current > 0) known.push(current);
    }
    if (known.length < 2) {
      this.#shares.fill(0);
      return 1;
    }
    const median = known.sort((a, b) => a - b)[(known.length - 1) >> 1]!;
    let sum = 0;
    for (let position = 0; position < this.#shares.length; position++) {
      if (this.#shares[position] === 0) continue;
      const bounded = Math.min(median * maxRatio, Math.max(median / maxRatio, this.#shares[position]!));
      this.#shares[position] = bounded;
      sum += bounded;
    }
    return sum / known.length;
  }
}
