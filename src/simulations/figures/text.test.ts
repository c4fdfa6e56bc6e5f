import { describe, expect, it } from 'vitest';
import { textWidth, tickLabel, wrapText } from './text.js';

it('knows about how wide text is', () => {
  // Helvetica: digits 0.556, i 0.222, m 0.833 of the size.
  expect(textWidth('1000', 10)).toBeCloseTo(22.4);
  expect(textWidth('iii', 10)).toBeLessThan(textWidth('aaa', 10));
  expect(textWidth('mmm', 10)).toBeGreaterThan(textWidth('aaa', 10));
  expect(textWidth('AAA', 20)).toBe(2 * textWidth('AAA', 10));
  expect(textWidth('', 10)).toBe(0);
});

describe('long text', () => {
  it('goes on in the next line', () => {
    expect(wrapText('one two three four', 10, textWidth('one two', 10))).toEqual([
      'one two',
      'three',
      'four',
    ]);
    expect(wrapText('one two', 10, 1_000)).toEqual(['one two']);
  });

  it('is not cut within a word', () => {
    expect(wrapText('a incomprehensibilities b', 10, 30)).toEqual(['a', 'incomprehensibilities', 'b']);
    expect(wrapText(' ', 10, 30)).toEqual([]);
  });
});

it.each([
  [0, '0'],
  [0.25, '0.25'],
  [1_500, '1\u2009500'],
  [-2_000, '−2\u2009000'],
  [0.1 + 0.2, '0.3'],
  [2_500_000, '2.5\u2009M'],
  [-3e9, '−3\u2009G'],
  [0.000_01, '0.00001'],
])('labels a tick at %d as %s', (value, label) => {
  expect(tickLabel(value)).toBe(label);
});
