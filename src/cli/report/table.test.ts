import { expect, it } from 'vitest';
import type { Column } from '../../simulations/report/columns.js';
import { renderTable, splitTable } from './table.js';

const column = (heading: string, cells: string[], isText = false): Column => ({ heading, cells, isText });

it('aligns text to the left and numbers to the right', () => {
  const columns = [
    column('algorithm', ['random', 'rocksteadier'], true),
    column('max/mean', ['1.50', '1.00']),
  ];
  expect(renderTable(columns).split('\n')).toEqual([
    'algorithm     max/mean',
    '────────────  ────────',
    'random            1.50',
    'rocksteadier      1.00',
  ]);
});

it('leaves no blanks at the end of a line', () => {
  const columns = [column('a', ['1', '2']), column('comment', ['', 'two'], true)];
  expect(renderTable(columns)).toBe('a  comment\n─  ───────\n1\n2  two');
  expect(renderTable([])).toBe('\n');
});

const headings = (tables: Column[][]) => tables.map((table) => table.map(({ heading }) => heading).join(' '));
const columns = ['name', 'aaaa', 'bbbb', 'cccc', 'dddd'].map((heading) => column(heading, ['1']));

it('is one table while there is room', () => {
  // Five times four characters, four gaps of two.
  expect(headings(splitTable(columns, 1, 28))).toEqual(['name aaaa bbbb cccc dddd']);
});

it('is split where there is not, and says again what the rows are about', () => {
  expect(headings(splitTable(columns, 1, 27))).toEqual(['name aaaa bbbb', 'name cccc dddd']);
  expect(headings(splitTable(columns, 1, 16))).toEqual(['name aaaa bbbb', 'name cccc dddd']);
  expect(headings(splitTable(columns, 2, 16))).toEqual([
    'name aaaa bbbb',
    'name aaaa cccc',
    'name aaaa dddd',
  ]);
});

it('keeps columns together that belong together', () => {
  const joined = columns.map((each, at) => ({ ...each, joinsPrevious: at === 3 }));
  expect(headings(splitTable(joined, 1, 16))).toEqual(['name aaaa', 'name bbbb cccc', 'name dddd']);
  expect(headings(splitTable(joined.slice(3), 0, 1))).toEqual(['cccc', 'dddd']);
});

it('has a column in each table, however narrow the terminal', () => {
  expect(headings(splitTable(columns.slice(0, 3), 1, 1))).toEqual(['name aaaa', 'name bbbb']);
  expect(headings(splitTable(columns.slice(0, 1), 1, 1))).toEqual(['name']);
});
