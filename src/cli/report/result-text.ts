import type { Check, Result, Row } from '../../simulator/report/result.js';
import { columnsOf, countKeys } from './columns.js';
import { decimalsFor, formatNumber } from './numbers.js';
import { renderTable, splitTable } from './table.js';

/** What a scenario found, as text that is at most `width` characters wide where that is possible. */
export function renderResult({ scenario, seed, rows, checks }: Result, claim: string, width: number): string {
  const tables = sectionsOf(rows).map(([title, members]) => renderSection(title, members, width));
  return [`${scenario} · seed ${seed}\n${claim}`, ...tables, renderChecks(checks)]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** In a line each, aligned. */
export function renderCheckLines(checks: readonly Check[]): string[] {
  const values = checks.map(formatCheckValue);
  const nameWidth = Math.max(0, ...checks.map(({ name }) => name.length));
  const valueWidth = Math.max(0, ...values.map((value) => value.length));
  return checks.map(({ name, bound, holds }, at) => {
    const value = values[at]!.padStart(valueWidth);
    return `${holds ? '✓' : '✗'} ${name.padEnd(nameWidth)}  ${value}  ${bound}`;
  });
}

/** All on one line: how many hold. */
export function summarize(checks: readonly Pick<Check, 'holds'>[], what = 'check'): string {
  const failed = checks.filter(({ holds }) => !holds).length;
  const all = `${checks.length} ${what}${checks.length === 1 ? '' : 's'}`;
  if (checks.length === 0) return `no ${what}s`;
  if (failed > 0) return `${failed} of ${all} ${failed === 1 ? 'does' : 'do'} not hold`;
  return checks.length === 1 ? `the ${what} holds` : `all ${all} hold`;
}

function renderChecks(checks: readonly Check[]): string {
  return [...renderCheckLines(checks), summarize(checks)].join('\n');
}

/** One that fails shows more digits: 1.1000004 above 1.1 must not look like 1.1. */
function formatCheckValue({ value, holds }: Check): string {
  if (!Number.isFinite(value) || Number.isInteger(value)) return formatNumber(value);
  const text = formatNumber(value, decimalsFor(value, holds ? 4 : 8));
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

/** Rows without a section come first. */
function sectionsOf(rows: readonly Row[]): [title: string, rows: Row[]][] {
  const sections = new Map<string, Row[]>([['', []]]);
  for (const row of rows) {
    const title = typeof row['section'] === 'string' ? row['section'] : '';
    const members = sections.get(title);
    if (members === undefined) sections.set(title, [row]);
    else members.push(row);
  }
  return [...sections].filter(([, members]) => members.length > 0);
}

function renderSection(title: string, rows: readonly Row[], width: number): string {
  const columns = columnsOf(rows);
  const tables = splitTable(columns, countKeys(columns), width).map(renderTable).join('\n\n');
  return title === '' ? tables : `${title}\n\n${tables}`;
}
