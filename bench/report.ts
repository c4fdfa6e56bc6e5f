/** A figure and the bound it has to keep. */
export interface Check {
  readonly name: string;
  readonly value: number;
  readonly bound: string;
  readonly holds: boolean;
  /** What a reader should know when it does not hold. */
  readonly why?: string;
}

/** What one bench found. */
export interface Report {
  readonly bench: string;
  readonly rows: readonly object[];
  readonly checks: readonly Check[];
}

function show(value: unknown): string {
  if (typeof value !== 'number') return String(value);
  if (Math.abs(value) >= 1e6) return `${(value / 1e6).toFixed(1)} M`;
  if (Math.abs(value) >= 1e4) return `${(value / 1e3).toFixed(1)} k`;
  return Number.isInteger(value) ? String(value) : value.toFixed(2);
}

/** Rows as a table, then the checks. */
export function printReport(report: Report): void {
  console.log(`\n${report.bench}`);
  const columns = Object.keys(report.rows[0] ?? {});
  const table = [columns, ...report.rows.map((row) => Object.values(row).map(show))];
  const widths = columns.map((_, column) => Math.max(...table.map((cells) => cells[column]!.length)));
  for (const cells of table)
    console.log(`  ${cells.map((cell, column) => cell.padStart(widths[column]!)).join('  ')}`);
  for (const { name, value, bound, holds, why } of report.checks) {
    console.log(`${holds ? '✓' : '✗'} ${name}: ${show(value)} (${bound})`);
    if (!holds && why !== undefined) console.log(`  ${why}`);
  }
}
