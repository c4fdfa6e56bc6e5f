import type { LimitLadder } from './quota-limits.js';

/** What a backend knows of each row of levels. Looked up by name only when names, or limits, are others than the last time. */
export class LevelRows {
  /** By row of levels, the row in the last report; 0: none. */
  reported: Int32Array = new Int32Array(0);
  /** By row of levels, those of the whole fleet. */
  limits: readonly LimitLadder[] = [];
  #names: readonly string[] = [];
  #reportNames: readonly (string | undefined)[] = [];
  #limitsOf: ((customer: string) => LimitLadder) | undefined;

  find(
    names: readonly string[],
    reportNames: readonly (string | undefined)[],
    limitsOf: (customer: string) => LimitLadder,
  ): void {
    const areOthers = names !== this.#names;
    if (areOthers || reportNames !== this.#reportNames) this.reported = placesOf(names, reportNames);
    if (areOthers || limitsOf !== this.#limitsOf) this.limits = names.map(limitsOf);
    this.#names = names;
    this.#reportNames = reportNames;
    this.#limitsOf = limitsOf;
  }
}

function placesOf(names: readonly string[], reportNames: readonly (string | undefined)[]): Int32Array {
  const rows = new Map(reportNames.map((name, row) => [name, row]));
  return Int32Array.from(names, (name) => rows.get(name) ?? 0);
}
