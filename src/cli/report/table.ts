/** Text for a terminal, by plain functions that tests can compare. */
import type { Column } from '../../simulations/report/columns.js';
import { padLeft, padRight, textWidth } from '../text-width.js';

const GAP = '  ';

/** Columns under their headings. */
export function renderTable(columns: readonly Column[]): string {
  const widths = columns.map(widthOf);
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => (columns[at]!.isText ? padRight(cell, widths[at]!) : padLeft(cell, widths[at]!)))
      .join(GAP)
      .trimEnd();
  const rows = columns[0]?.cells.map((_, row) => columns.map(({ cells }) => cells[row]!)) ?? [];
  return [
    line(columns.map(({ heading }) => heading)),
    widths.map((width) => '─'.repeat(width)).join(GAP),
    ...rows.map(line),
  ].join('\n');
}

/**
 * Several tables where one would be wider than there is room for, each with the same first columns: those that say what
 * a row is about. They are about equally wide, so that none is left with a single column.
 */
export function splitTable(columns: readonly Column[], keys: number, width: number): Column[][] {
  const { length } = fillTables(columns, keys, width);
  let narrow = width;
  while (length > 1 && narrow > 0 && fillTables(columns, keys, narrow - 1).length === length) narrow--;
  return fillTables(columns, keys, narrow);
}

function fillTables(columns: readonly Column[], keys: number, width: number): Column[][] {
  const first = columns.slice(0, keys);
  const tables: Column[][] = [];
  let table = [...first];
  for (const together of groupsOf(columns.slice(keys))) {
    const isFull = table.length > keys && totalWidth([...table, ...together]) > width;
    if (isFull) {
      tables.push(table);
      table = [...first];
    }
    table.push(...together);
  }
  return [...tables, table];
}

function groupsOf(columns: readonly Column[]): Column[][] {
  const groups: Column[][] = [];
  for (const column of columns) {
    const last = groups.at(-1);
    if (last !== undefined && column.joinsPrevious) last.push(column);
    else groups.push([column]);
  }
  return groups;
}

function totalWidth(columns: readonly Column[]): number {
  return columns.reduce((sum, column) => sum + widthOf(column), GAP.length * (columns.length - 1));
}

function widthOf({ heading, cells }: Column): number {
  return Math.max(textWidth(heading), ...cells.map(textWidth));
}
