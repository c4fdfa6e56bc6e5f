import fc from 'fast-check';
import { expect, it } from 'vitest';
import { firstColumns, padLeft, padRight, textWidth } from './text-width.js';

it.each([
  ['', 0],
  ['backend-1', 9],
  ['käse', 4],
  ['kä'.normalize('NFD'), 2],
  ['東京', 4],
  ['ｱｲ', 2],
  ['Ａ社', 4],
  ['서울', 4],
  ['😀!', 3],
  ['👩‍👩‍👧', 2],
  ['🇫🇷', 2],
  ['⚠️', 2],
  ['⚠', 1],
  ['█░·–…→', 6],
  ['𠮷', 2],
])('%j takes %i columns', (text, width) => {
  expect(textWidth(text)).toBe(width);
});

it('never cuts through a character', () => {
  expect([0, 1, 2, 3, 4, 9].map((width) => firstColumns('a東京', width))).toEqual([
    '',
    'a',
    'a',
    'a東',
    'a東',
    'a東京',
  ]);
  expect(firstColumns('👩‍👩‍👧x', 2)).toBe('👩‍👩‍👧');
  expect(firstColumns('abc', -1)).toBe('');
});

it('fills up to a width', () => {
  expect([padRight('東', 4), padLeft('東', 4), padRight('東京', 3)]).toEqual(['東  ', '  東', '東京']);
});

it('takes no more than there is room for, whatever the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(20), (text, width) => {
      const taken = firstColumns(text, width);
      expect(textWidth(taken)).toBeLessThanOrEqual(width);
      expect(text.startsWith(taken)).toBe(true);
    }),
  );
});
