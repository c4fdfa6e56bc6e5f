import type { Row } from '../../simulator/report/result.js';
import { headingOf } from './heading.js';
import { columnFormat, percentFormat } from './numbers.js';
import { renderRange, scaleFor } from './range.js';

/** One column of a table, as text. */
export interface Column {
  readonly heading: string;
  readonly cells: readonly string[];
  /** Text stands to the left, numbers to the right. */
  readonly isText: boolean;
  /** It is not to be torn from the column before it. */
  readonly joinsPrevious?: boolean;
  /** Its characters are a picture, not words: for letters of one width, and nothing to be read aloud. */
  readonly isDrawing?: boolean;
}

/** Rows are told apart by their first few fields; more than this would leave no room for anything else. */
const MOST_KEYS = 3;

type Value = Row[string];

/** The fields of all rows as columns; what a row does not have is left blank in it. */
export function columnsOf(rows: readonly Row[]): Column[] {
  const fields = fieldsOf(rows);
  const hasRange = fields.includes('minOverMean') && fields.includes('maxOverMean');
  const firstOfRange = fields.find(isOfRange);
  return fields.flatMap((field) => {
    const column = columnOf(field, rows);
    if (!hasRange || !isOfRange(field)) return [column];
    const joined = { ...column, joinsPrevious: true };
    return field === firstOfRange ? [rangeColumn(rows), joined] : [joined];
  });
}

function isOfRange(field: string): boolean {
  return field === 'minOverMean' || field === 'maxOverMean';
}

/** How many of the first columns it takes to tell all rows apart; 1 when they do not. */
export function countKeys(columns: readonly Column[]): number {
  const lines = columns[0]?.cells.length ?? 0;
  for (let keys = 1; keys <= Math.min(MOST_KEYS, columns.length); keys++) {
    const names = Array.from({ length: lines }, (_, row) =>
      columns
        .slice(0, keys)
        .map(({ cells }) => cells[row])
        .join('\n'),
    );
    if (new Set(names).size === lines) return keys;
  }
  return 1;
}

/** In the order in which they are first met; `section` says which table a row is in. */
function fieldsOf(rows: readonly Row[]): string[] {
  const fields = new Set(rows.flatMap((row) => Object.keys(row)));
  fields.delete('section');
  return [...fields];
}

function columnOf(field: string, rows: readonly Row[]): Column {
  const { text: heading, isShare } = headingOf(field);
  const values = rows.map((row) => row[field]);
  const numbers = values.filter((value) => typeof value === 'number');
  const format = isShare ? percentFormat(numbers) : columnFormat(numbers);
  const isText = values.some((value) => typeof value === 'string' || typeof value === 'boolean');
  return { heading, cells: values.map((value) => formatValue(value, format)), isText };
}

function formatValue(value: Value | undefined, format: (value: number) => string): string {
  if (value === undefined) return '';
  if (value === null) return '–';
  if (typeof value === 'number') return format(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return value;
}

/** The spread of a fleet at a glance, before its numbers. */
function rangeColumn(rows: readonly Row[]): Column {
  const ranges = rows.map(({ minOverMean, maxOverMean }) =>
    typeof minOverMean === 'number' && typeof maxOverMean === 'number'
      ? [minOverMean, maxOverMean]
      : undefined,
  );
  const most = scaleFor(ranges.flatMap((range) => range?.[1] ?? []));
  const cells = ranges.map((range) => (range === undefined ? '' : renderRange(range[0]!, range[1]!, most)));
  return { heading: `0 … ${most} × mean`, cells, isText: true, isDrawing: true };
}
