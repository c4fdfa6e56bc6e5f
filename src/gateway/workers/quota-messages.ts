import type { QuotaLevels, UsageReport } from '../../core/index.js';
import { REPORT_STRIDE } from '../../core/quota/usage-report.js';

/** What a worker's customers use, as it travels. JSON has no undefined in lists: null is those without a row. */
export interface SentUsage {
  readonly names: readonly (string | null)[];
  readonly rates: readonly number[];
  readonly refused: readonly number[];
  readonly isSuspended: boolean;
}

/** And no Infinity: null stands for it. */
type SentNumbers = readonly (number | null)[];

export interface SentLevels {
  readonly token: number;
  readonly sequence: number;
  readonly backends: number;
  readonly names: readonly string[];
  readonly rank: readonly number[];
  readonly level: SentNumbers;
  readonly isHeld: readonly number[];
  readonly spare: SentNumbers;
}

export function sendUsage({ names, count, rates, refused, isSuspended }: UsageReport): SentUsage {
  return {
    names: names.slice(0, count).map((name) => name ?? null),
    rates: Array.from(rates.subarray(0, count * REPORT_STRIDE)),
    refused: Array.from(refused.subarray(0, count)),
    isSuspended,
  };
}

/** `version`: another one for each, as the names may be others. */
export function usageOf({ names, rates, refused, isSuspended }: SentUsage, version: number): UsageReport {
  return {
    names: names.map((name) => name ?? undefined),
    namesVersion: version,
    count: names.length,
    rates: Float32Array.from(rates),
    refused: Uint8Array.from(refused),
    isSuspended,
  };
}

export function sendLevels(levels: QuotaLevels): SentLevels {
  const { rank, level, isHeld, spare } = levels;
  return {
    ...levels,
    rank: Array.from(rank),
    level: numbers(level),
    isHeld: Array.from(isHeld),
    spare: numbers(spare),
  };
}

export function levelsOf(sent: SentLevels): QuotaLevels {
  return {
    ...sent,
    rank: Uint8Array.from(sent.rank),
    level: Float64Array.from(sent.level, orInfinity),
    isHeld: Uint8Array.from(sent.isHeld),
    spare: Float64Array.from(sent.spare, orInfinity),
  };
}

function numbers(from: Float64Array): SentNumbers {
  return Array.from(from, (value) => (value === Number.POSITIVE_INFINITY ? null : value));
}

function orInfinity(value: number | null): number {
  return value ?? Number.POSITIVE_INFINITY;
}
