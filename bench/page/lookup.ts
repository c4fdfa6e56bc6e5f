import type { BenchName } from '../catalogue.js';
import type { BenchResult } from '../record/result.js';
import type { Report } from '../report.js';

/** A row of a report, by its columns. */
export type Row = Readonly<Record<string, unknown>>;

/** The reports of a bench whose name begins with that, wherever there are any. */
export function reportsOf(results: readonly BenchResult[], bench: BenchName, beginning: string): Report[] {
  const reports = results.find((result) => result.bench === bench)?.reports ?? [];
  return reports.filter((report) => report.bench.startsWith(beginning));
}

/** Their rows. */
export function rowsOf(results: readonly BenchResult[], bench: BenchName, beginning: string): Row[] {
  return reportsOf(results, bench, beginning).flatMap(({ rows }) => rows as Row[]);
}

/** A figure in the row that has `value` there; undefined where there is none. */
export function figureAt(rows: readonly Row[], match: Row, column: string): number | undefined {
  const keys = Object.keys(match);
  const found = rows.find((row) => keys.every((key) => row[key] === match[key]))?.[column];
  return typeof found === 'number' ? found : undefined;
}
