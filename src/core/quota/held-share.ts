import { elapsedMs } from '../elapsed.js';
import { FITS, type QuotaLevels, SPARE_STRIDE } from './quota-levels.js';
import type { LimitLadder } from './quota-limits.js';
import { DEMAND_AT, REPORT_STRIDE, type UsageReport } from './usage-report.js';

/**
 * Parts are averaged over so long. At a backend with ten requests a second the demand of one report is right to a third,
 * and that of 20 s to a fourteenth.
 */
const DECAY_MS = 10_000;

/** Every so many levels are looked at, the same ones by all backends: a look takes 0.3 ms with a thousand customers. */
const EVERY = 4;

/** SPARE_STRIDE numbers, and the limits they are parts of. */
interface Share {
  readonly parts: Float64Array;
  readonly limits: LimitLadder;
}

/**
 * A backend's own part of each customer's limits, for when nobody is heard any more: what was granted to it by levels
 * (of what it had reported), and an equal part of what was spare. The parts of all backends add up to the limits with
 * each levels, so their averages do too; and who goes on as before is not refused.
 */
export class HeldShare {
  #levels: QuotaLevels | undefined;
  #keptMs = 0;
  #shares = new Map<string, Share>();
  /** The rows of the last report that was looked at. */
  #names: readonly (string | undefined)[] = [];
  #rows = new Map<string, number>();

  get levels(): QuotaLevels | undefined {
    return this.#levels;
  }

  /** `report` is the last one, from which the levels are in part; `limitsOf` are those of the whole fleet. */
  keep(
    levels: QuotaLevels,
    report: UsageReport,
    limitsOf: (customer: string) => LimitLadder,
    now: number,
  ): void {
    const isFirst = this.#levels === undefined;
    this.#levels = levels;
    if (!isFirst && levels.sequence % EVERY !== 0) return;
    const weight = 1 - Math.exp(-elapsedMs(this.#keptMs, now) / DECAY_MS);
    this.#keptMs = now;
    if (report.names !== this.#names) {
      this.#names = report.names;
      this.#rows = rowsOf(report.names);
    }
    // Who is not listed is forgotten, by all backends alike.
    const shares = new Map<string, Share>();
    for (let row = 0; row < levels.names.length; row++) {
      const customer = levels.names[row]!;
      const before = this.#shares.get(customer);
      const limits = limitsOf(customer);
      const parts = before?.parts ?? new Float64Array(SPARE_STRIDE);
      this.#add(parts, before === undefined ? 1 : weight, row, report.rates, limits);
      shares.set(customer, { parts, limits });
    }
    this.#shares = shares;
  }

  /** Asked for when levels have been kept. */
  of(customer: string, limits: LimitLadder): LimitLadder {
    const { backends } = this.#levels!;
    const share = this.#shares.get(customer);
    // Nowhere was more than the equal part wanted.
    if (share === undefined) return evenShare(limits, 1 / backends);
    return limits.map((limit, top) => {
      if (limit === Number.POSITIVE_INFINITY) return limit;
      const part = share.parts[top]!;
      const before = share.limits[top]!;
      // A step that the coordinator did not know: an equal part of it.
      if (part === Number.POSITIVE_INFINITY || before === Number.POSITIVE_INFINITY || before === 0)
        return limit / backends;
      // The limit may have changed since: all parts with it.
      return Math.min(limit, (part * limit) / before);
    });
  }

  #add(share: Float64Array, weight: number, row: number, rates: Float32Array, limits: LimitLadder): void {
    const { backends, rank: ranks, level: levels, spare: spares } = this.#levels!;
    const reported = this.#rows.get(this.#levels!.names[row]!);
    const partial = levels[row]! >= FITS ? 0 : ranks[row]!;
    let granted = 0;
    for (let top = 0; top < SPARE_STRIDE; top++) {
      if (reported !== undefined && top >= partial) {
        const demand = rates[reported * REPORT_STRIDE + DEMAND_AT + top]!;
        granted += top > partial ? demand : Math.min(demand, levels[row]!);
      }
      const limit = limits[top]!;
      const spare = spares[row * SPARE_STRIDE + top]!;
      let part = granted + spare / backends;
      // More than the limit was granted: everybody gives back in proportion.
      if (spare < 0 && limit < Number.POSITIVE_INFINITY) part = (granted * limit) / (limit - spare);
      const isAverage = part < Number.POSITIVE_INFINITY && share[top]! < Number.POSITIVE_INFINITY;
      share[top] = isAverage ? share[top]! + (part - share[top]!) * weight : part;
    }
  }
}

/** Equal parts: for when nobody was ever heard, or not for long. */
export function evenShare(limits: LimitLadder, share: number): LimitLadder {
  return limits.map((limit) => (limit === Number.POSITIVE_INFINITY ? limit : limit * share));
}

function rowsOf(names: readonly (string | undefined)[]): Map<string, number> {
  const rows = new Map<string, number>();
  for (let row = 0; row < names.length; row++) {
    const name = names[row];
    if (name !== undefined) rows.set(name, row);
  }
  return rows;
}
