import { elapsedMs } from '../elapsed.js';
import type { LevelRows } from './level-rows.js';
import { FITS, type QuotaLevels, SPARE_STRIDE, WHOLE_EVERY } from './quota-levels.js';
import type { LimitLadder } from './quota-limits.js';
import { DEMAND_AT, REPORT_STRIDE } from './usage-report.js';

/**
 * Parts are averaged over so long. At a backend with ten requests a second the demand of one report is right to a third,
 * and that of 20 s to a fourteenth.
 */
const DECAY_MS = 10_000;

/**
 * A backend's own part of each customer's limits, for when nobody is heard any more: what was granted to it by levels
 * (of what it had reported), and an equal part of what was spare. The parts of all backends add up to the limits with
 * each levels, so their averages do too; and who goes on as before is not refused.
 */
export class HeldShare {
  #levels: QuotaLevels | undefined;
  #isKept = false;
  #keptMs = 0;
  /** Whose parts these are, by row; who is not listed is forgotten, by all backends alike. */
  #names: readonly string[] = [];
  /** SPARE_STRIDE numbers a row, and the limits they are parts of. NaN: it is new. */
  #parts = new Float64Array(0);
  #limits: readonly LimitLadder[] = [];
  /** By name, made when it is asked for. */
  #rows: ReadonlyMap<string, number> | undefined;

  get levels(): QuotaLevels | undefined {
    return this.#levels;
  }

  /** `rates` are those of the last report, from which the levels are in part. */
  keep(levels: QuotaLevels, { reported, limits }: LevelRows, rates: Float32Array, now: number): void {
    this.#levels = levels;
    if (levels.told !== undefined || (this.#isKept && levels.sequence % WHOLE_EVERY !== 0)) return;
    this.#isKept = true;
    const weight = 1 - Math.exp(-elapsedMs(this.#keptMs, now) / DECAY_MS);
    this.#keptMs = now;
    if (levels.names !== this.#names) this.#rename(levels.names);
    this.#limits = limits;
    for (let row = 0; row < levels.names.length; row++)
      this.#add(levels, row, weight, rates, reported[row]!, limits[row]!);
  }

  /** Asked for when levels have been kept. */
  of(customer: string, limits: LimitLadder): LimitLadder {
    const { backends } = this.#levels!;
    const row = this.#rowOf(customer);
    // Nowhere was more than the equal part wanted.
    if (row === undefined) return evenShare(limits, 1 / backends);
    return limits.map((limit, top) => {
      if (limit === Number.POSITIVE_INFINITY) return limit;
      const part = this.#parts[row * SPARE_STRIDE + top]!;
      const before = this.#limits[row]![top]!;
      // A step that the coordinator did not know: an equal part of it.
      if (part === Number.POSITIVE_INFINITY || before === Number.POSITIVE_INFINITY || before === 0)
        return limit / backends;
      // The limit may have changed since: all parts with it.
      return Math.min(limit, (part * limit) / before);
    });
  }

  #rowOf(customer: string): number | undefined {
    this.#rows ??= new Map(this.#names.map((name, row) => [name, row]));
    return this.#rows.get(customer);
  }

  #rename(names: readonly string[]): void {
    const parts = new Float64Array(names.length * SPARE_STRIDE).fill(Number.NaN);
    for (const [row, name] of names.entries()) {
      const before = this.#rowOf(name);
      if (before === undefined) continue;
      const from = before * SPARE_STRIDE;
      parts.set(this.#parts.subarray(from, from + SPARE_STRIDE), row * SPARE_STRIDE);
    }
    this.#parts = parts;
    this.#names = names;
    this.#rows = undefined;
  }

  /** `reported` is its row in the report; 0: none. */
  #add(
    { backends, rank, level, spare: spares }: QuotaLevels,
    row: number,
    weight: number,
    rates: Float32Array,
    reported: number,
    limits: LimitLadder,
  ): void {
    const partial = level[row]! >= FITS ? 0 : rank[row]!;
    let granted = 0;
    for (let top = 0; top < SPARE_STRIDE; top++) {
      if (reported > 0 && top >= partial) {
        const demand = rates[reported * REPORT_STRIDE + DEMAND_AT + top]!;
        granted += top > partial ? demand : Math.min(demand, level[row]!);
      }
      const at = row * SPARE_STRIDE + top;
      const limit = limits[top]!;
      const spare = spares[at]!;
      let part = granted + spare / backends;
      // More than the limit was granted: everybody gives back in proportion.
      if (spare < 0 && limit < Number.POSITIVE_INFINITY) part = (granted * limit) / (limit - spare);
      const before = this.#parts[at]!;
      const isAverage = part < Number.POSITIVE_INFINITY && before < Number.POSITIVE_INFINITY;
      this.#parts[at] = isAverage ? before + (part - before) * weight : part;
    }
  }
}

/** Equal parts: for when nobody was ever heard, or not for long. */
export function evenShare(limits: LimitLadder, share: number): LimitLadder {
  return limits.map((limit) => (limit === Number.POSITIVE_INFINITY ? limit : limit * share));
}
