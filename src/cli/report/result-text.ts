import { formatCheckValue, summarize } from '../../simulations/report/checks.js';
import { columnsOf, countKeys } from '../../simulations/report/columns.js';
import { sectionsOf } from '../../simulations/report/sections.js';
import type { Check, Result, Row } from '../../simulator/report/result.js';
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

function renderChecks(checks: readonly Check[]): string {
  return [...renderCheckLines(checks), summarize(checks)].join('\n');
}

function renderSection(title: string, rows: readonly Row[], width: number): string {
  const columns = columnsOf(rows);
  const tables = splitTable(columns, countKeys(columns), width).map(renderTable).join('\n\n');
  return title === '' ? tables : `${title}\n\n${tables}`;
}
