import type { Row } from '../../simulator/report/result.js';

/** The tables of a result, each with its title. Rows without a section come first. */
export function sectionsOf(rows: readonly Row[]): [title: string, rows: Row[]][] {
  const sections = new Map<string, Row[]>([['', []]]);
  for (const row of rows) {
    const title = typeof row['section'] === 'string' ? row['section'] : '';
    const members = sections.get(title);
    if (members === undefined) sections.set(title, [row]);
    else members.push(row);
  }
  return [...sections].filter(([, members]) => members.length > 0);
}
