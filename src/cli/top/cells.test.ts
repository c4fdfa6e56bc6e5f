import { expect, it } from 'vitest';
import { bar, cut, number, percent, uptime } from './cells.js';

it.each([
  [undefined, '–'],
  [Number.NaN, '–'],
  [Infinity, '∞'],
  [0, '0'],
  [7, '7'],
  [1.25, '1.3'],
  [123.4, '123'],
  [9_999, '9999'],
  [12_345, '12.3k'],
  [2_500_000, '2.5M'],
])('%d is %s', (value, text) => {
  expect(number(value)).toBe(text);
});

it('writes shares and times', () => {
  expect([percent(0.456), percent(undefined), percent(1)]).toEqual(['46%', '–', '100%']);
  expect([12_000, 243_000, 7_500_000, 273_600_000].map(uptime)).toEqual(['12s', '4m 3s', '2h 5m', '3d 4h']);
});

it('keeps to its width', () => {
  expect([cut('backend', 7), cut('backend', 6), cut('x', 0)]).toEqual(['backend', 'backe…', '…']);
  expect([cut('東京都', 6), cut('東京都', 5), cut('東京都', 4)]).toEqual(['東京都', '東京…', '東…']);
  expect([bar(0, 4), bar(0.5, 4), bar(7, 4), bar(undefined, 4)]).toEqual(['░░░░', '██░░', '████', '····']);
});
