import { columnFormat } from '../../src/simulations/report/numbers.js';
import type { Row } from './lookup.js';

/** What has to be read as text, in a table too. */
export function escapeText(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ');
}

/** Numbers of a column have as many decimals each, and stand on the right. */
export function markdownTable(rows: readonly Row[], columns: readonly string[]): string {
  const formats = columns.map((column) => formatOf(rows.map((row) => row[column])));
  const isNumeric = columns.map((column) => rows.some((row) => typeof row[column] === 'number'));
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(columns.map(escapeText)),
    `|${isNumeric.map((numeric) => (numeric ? '--:' : '---')).join('|')}|`,
    ...rows.map((row) => line(columns.map((column, at) => formats[at]!(row[column])))),
  ].join('\n');
}

function formatOf(values: readonly unknown[]): (value: unknown) => string {
  const format = columnFormat(values.filter((value) => typeof value === 'number'));
  return (value) => {
    if (value === undefined) return '–';
    return typeof value === 'number' ? format(value) : escapeText(String(value));
  };
}
