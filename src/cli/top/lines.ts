import { firstColumns, padLeft, padRight, textWidth } from '../text-width.js';

/** A table of a few columns: what is not wanted on a narrow screen has a place further back. */
export interface Columns {
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** These stand to the left; all others are numbers, and stand to the right. */
  readonly texts: number;
}

const GAP = '  ';

/** As many columns as fit, from the first on, and no line longer than that. */
export function tableLines({ headings, rows, texts }: Columns, width: number): string[] {
  const widths = headings.map((heading, at) =>
    Math.max(textWidth(heading), ...rows.map((row) => textWidth(row[at]!))),
  );
  let room = width;
  const fitting = widths.findIndex((each, at) => {
    room -= each + (at === 0 ? 0 : GAP.length);
    return room < 0;
  });
  const count = fitting === -1 ? headings.length : Math.max(1, fitting);
  const line = (cells: readonly string[]) =>
    firstColumns(
      cells
        .slice(0, count)
        .map((cell, at) => (at < texts ? padRight(cell, widths[at]!) : padLeft(cell, widths[at]!)))
        .join(GAP)
        .trimEnd(),
      width,
    );
  return [headings, ...rows].map(line);
}

/** Parts of one line, the first ones if not all fit. */
export function joined(parts: readonly (string | undefined)[], width: number, separator = '   '): string {
  let text = '';
  for (const part of parts) {
    if (part === undefined) continue;
    const longer = text === '' ? part : `${text}${separator}${part}`;
    if (textWidth(longer) > width) break;
    text = longer;
  }
  return text;
}
