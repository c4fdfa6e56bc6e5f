/** Flat, so that any printer of tables can show it. A name ends with its unit: `p99Ms`, `goodputPerSecond`, `refusedShare`. */
export type Row = Readonly<Record<string, string | number | boolean | null>>;

/** A claim as a number and its bound. */
export interface Check {
  readonly name: string;
  readonly value: number;
  /** In words: `<= 1.1`. */
  readonly bound: string;
  readonly holds: boolean;
}

/** What a scenario found, as one object; what `--json` prints. */
export interface Result {
  readonly scenario: string;
  readonly seed: number;
  /** What was simulated: plain data. */
  readonly options: object;
  /** `section` says which rows belong to one table. */
  readonly rows: readonly Row[];
  readonly checks: readonly Check[];
}

export function atMost(name: string, value: number, most: number): Check {
  return { name, value, bound: `<= ${most}`, holds: value <= most };
}

export function atLeast(name: string, value: number, least: number): Check {
  return { name, value, bound: `>= ${least}`, holds: value >= least };
}

export function between(name: string, value: number, least: number, most: number): Check {
  const bound = least === most ? `= ${most}` : `${least} … ${most}`;
  return { name, value, bound, holds: value >= least && value <= most };
}
