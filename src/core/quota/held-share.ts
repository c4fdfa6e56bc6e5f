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

type Names = readonly (string | undefined)[];

/**
 * A backend's own part of each customer's limits, for when nobody is heard any more: what was granted to it by levels
 * (of what it had reported), and an equal part of what was spare. The parts of all backends add up to the limits with
 * each levels, so their averages do too; and who goes on as before is not refused.
 */
export class HeldShare {
  #levels: QuotaLevels | undefined;
  #keptMs = 0;
  /** Of the last levels that were looked at: whose parts there are. */
  #names: Names = [];
  #rows: ReadonlyMap<string, number> = new Map();
  /** SPARE_STRIDE numbers a row, and the limits they are parts of. */
  #parts = new Float64Array(0);
  #limits: LimitLadder[] = [];
  /** Whether a row is in levels for the first time. */
  #isNew = new Uint8Array(0);
  /** Of the last report that was looked at. */
  #reportNames: Names = [];
  /** By row of the levels, the row of the report; 0: none. */
  #reported = new Int32Array(0);

  get levels(): QuotaLevels | undefined {
    return this.#levels;
  }

  /**
   * `report` is the last one, from which the levels are in part; `limitsOf` are those of the whole fleet. As long as
   * both have the names that they had, nobody is looked up by name: a thousand are most of the work.
   */
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
    const { names } = levels;
    const isSame = names === this.#names;
    if (!isSame) this.#rename(names);
    if (!isSame || report.names !== this.#reportNames) this.#match(report.names);
    for (let row = 0; row < names.length; row++) {
      this.#limits[row] = limitsOf(names[row]!);
      this.#add(row, this.#isNew[row] === 1 ? 1 : weight, report.rates);
    }
    this.#isNew.fill(0);
  }

  /** Asked for when levels have been kept. */
  of(customer: string, limits: LimitLadder): LimitLadder {
    const { backends } = this.#levels!;
    const row = this.#rows.get(customer);
    // Nowhere was more than the equal part wanted.
    if (row === undefined) return evenShare(limits, 1 / backends);
    const then = this.#limits[row]!;
    return limits.map((limit, top) => {
      if (limit === Number.POSITIVE_INFINITY) return limit;
      const part = this.#parts[row * SPARE_STRIDE + top]!;
      const before = then[top]!;
      // A step that the coordinator did not know: an equal part of it.
      if (part === Number.POSITIVE_INFINITY || before === Number.POSITIVE_INFINITY || before === 0)
        return limit / backends;
      // The limit may have changed since: all parts with it.
      return Math.min(limit, (part * limit) / before);
    });
  }

  /** Who is not listed is forgotten, by all backends alike. */
  #rename(names: readonly string[]): void {
    const [rows, parts] = [this.#rows, this.#parts];
    this.#names = names;
    this.#rows = rowsOf(names);
    this.#parts = new Float64Array(names.length * SPARE_STRIDE);
    this.#limits = [];
    this.#isNew = new Uint8Array(names.length);
    for (const [row, name] of names.entries()) {
      const before = rows.get(name);
      if (before === undefined) this.#isNew[row] = 1;
      else
        this.#parts.set(
          parts.subarray(before * SPARE_STRIDE, (before + 1) * SPARE_STRIDE),
          row * SPARE_STRIDE,
        );
    }
  }

  #match(reportNames: Names): void {
    this.#reportNames = reportNames;
    const rows = rowsOf(reportNames);
    this.#reported = Int32Array.from(this.#names, (name) => rows.get(name!) ?? 0);
  }

  #add(row: number, weight: number, rates: Float32Array): void {
    const { backends, rank: ranks, level: levels, spare: spares } = this.#levels!;
    const limits = this.#limits[row]!;
    const share = this.#parts;
    const reported = this.#reported[row]!;
    const level = levels[row]!;
    const partial = level >= FITS ? 0 : ranks[row]!;
    let granted = 0;
    for (let top = 0; top < SPARE_STRIDE; top++) {
      if (reported > 0 && top >= partial) {
        const demand = rates[reported * REPORT_STRIDE + DEMAND_AT + top]!;
        granted += top > partial ? demand : Math.min(demand, level);
      }
      const at = row * SPARE_STRIDE + top;
      const limit = limits[top]!;
      const spare = spares[at]!;
      let part = granted + spare / backends;
      // More than the limit was granted: everybody gives back in proportion.
      if (spare < 0 && limit < Number.POSITIVE_INFINITY) part = (granted * limit) / (limit - spare);
      const isAverage = part < Number.POSITIVE_INFINITY && share[at]! < Number.POSITIVE_INFINITY;
      share[at] = isAverage ? share[at]! + (part - share[at]!) * weight : part;
    }
  }
}

/** Equal parts: for when nobody was ever heard, or not for long. */
export function evenShare(limits: LimitLadder, share: number): LimitLadder {
  return limits.map((limit) => (limit === Number.POSITIVE_INFINITY ? limit : limit * share));
}

function rowsOf(names: Names): Map<string, number> {
  const rows = new Map<string, number>();
  for (let row = 0; row < names.length; row++) {
    const name = names[row];
    if (name !== undefined) rows.set(name, row);
  }
  return rows;
}
