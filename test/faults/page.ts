import { readFileSync, writeFileSync } from 'node:fs';
import { COLUMNS, describeMachine, type Machine, rowsOf } from './report.js';
import type { Outcome } from './run-faults.js';

const BEGIN = '<!-- written by npm run faults -- --write -->';
const END = '<!-- end of what is written -->';

/** Bars would be taken for columns. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

export function tableOf(machine: Machine, outcomes: readonly Outcome[]): string {
  const minutes = outcomes.reduce((sum, { seconds }) => sum + seconds, 0) / 60;
  const lines = [COLUMNS, COLUMNS.map(() => '---'), ...rowsOf(outcomes)];
  return [
    `${describeMachine(machine)}. ${minutes.toFixed(1)} minutes in all.`,
    '',
    ...lines.map((cells) => `| ${cells.map(cell).join(' | ')} |`),
  ].join('\n');
}

/** Puts the table where the page has a place for it; all that people have written stays. */
export function intoPage(page: string, table: string): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`the page has no place for a table: ${BEGIN} … ${END}`);
  return `${page.slice(0, begin + BEGIN.length)}\n${table}\n${page.slice(end)}`;
}

export function writePage(path: string, machine: Machine, outcomes: readonly Outcome[]): void {
  writeFileSync(path, intoPage(readFileSync(path, 'utf8'), tableOf(machine, outcomes)));
}
