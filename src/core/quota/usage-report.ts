/** Numbers in a row of a report: use a second by rank, then demand a second by rank. */
export const REPORT_STRIDE = 8;

/** Where the demands begin in a row. */
export const DEMAND_AT = 4;

/**
 * What one backend says of its customers: columns, no object for each. Use counts when a request is let in, at the mean
 * cost of its kind, so that news are as old as a report and not as old as the slowest request. Demand is that and what
 * was refused.
 *
 * The arrays belong to who made the report and are overwritten by its next one: copy what is to be kept.
 */
export interface UsageReport {
  /**
   * Customers, by row. Undefined: those who have no row, all together, for the books and never restrained. They are row
   * 0. The same array as long as nobody joined or left.
   */
  readonly names: readonly (string | undefined)[];
  /** Another number whenever names are others: they travel only then. */
  readonly namesVersion: number;
  /** Rows in use. */
  readonly count: number;
  /** REPORT_STRIDE numbers a row; may be longer than the rows in use. Finite, not below zero. */
  readonly rates: Float32Array;
  /** By row, 1: something was refused since the last report. */
  readonly refused: Uint8Array;
  /** Quotas do not count there now: what is used is not owed. */
  readonly isSuspended: boolean;
}
