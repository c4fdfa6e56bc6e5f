import { expect, it } from 'vitest';
import { joined, tableLines } from './lines.js';

const TABLE = {
  headings: ['name', 'state', 'active', 'share'],
  rows: [
    ['a', 'ready', '1', '50%'],
    ['bbbbbb', 'refusing', '12', '0%'],
  ],
  texts: 2,
};

it('sets texts to the left and numbers to the right', () => {
  expect(tableLines(TABLE, 80)).toEqual([
    'name    state     active  share',
    'a       ready          1    50%',
    'bbbbbb  refusing      12     0%',
  ]);
});

it('leaves out columns that do not fit, from the last on', () => {
  expect(tableLines(TABLE, 24)).toEqual([
    'name    state     active',
    'a       ready          1',
    'bbbbbb  refusing      12',
  ]);
  expect(tableLines(TABLE, 23)).toEqual(['name    state', 'a       ready', 'bbbbbb  refusing']);
  for (const line of tableLines(TABLE, 3)) expect(line.length).toBeLessThanOrEqual(3);
});

it('knows that some characters are as wide as two', () => {
  const rows = [
    ['東京', '1'],
    ['acme', '12'],
  ];
  expect(tableLines({ headings: ['customer', 'used'], rows, texts: 1 }, 80)).toEqual([
    'customer  used',
    '東京         1',
    'acme        12',
  ]);
  expect(joined(['東京', 'bb'], 8)).toBe('東京');
});

it('joins what fits', () => {
  expect(joined(['a', undefined, 'bb', 'ccc'], 80)).toBe('a   bb   ccc');
  expect(joined(['a', 'bb', 'ccc'], 8)).toBe('a   bb');
});
