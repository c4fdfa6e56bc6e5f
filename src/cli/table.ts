/** Text for a terminal: tables and bars, by plain functions that tests can compare. */

export type Cell = string | number;

/** A number as a person reads it in a table. */
export function formatNumber(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(2);
}

export function formatPercent(share: number): string {
  const percent = share * 100;
  return `${percent < 1 ? percent.toFixed(2) : percent.toFixed(1)} %`;
}

/** Columns under their headings; text to the left, numbers to the right. */
export function renderTable(headings: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const cells = rows.map((row) => row.map((cell) => (typeof cell === 'number' ? formatNumber(cell) : cell)));
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...cells.map((row) => row[column]!.length)),
  );
  const isText = headings.map((_, column) => typeof rows[0]?.[column] === 'string');
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => (isText[column] ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  ')
      .trimEnd();
  return [line(headings), widths.map((width) => '─'.repeat(width)).join('  '), ...cells.map(line)].join('\n');
}

/** A range on a scale from 0 to `most`, with a mark at 1: `····━━━┿━━━━····`. */
export function renderRange(least: number, greatest: number, most: number, width = 41): string {
  const place = (value: number) => Math.round((Math.min(value, most) / most) * (width - 1));
  const [from, to, one] = [place(least), place(greatest), place(1)];
  return Array.from({ length: width }, (_, at) => {
    const isInside = at >= from && at <= to;
    if (at === one) return isInside ? '┿' : '│';
    return isInside ? '━' : '·';
  }).join('');
}
