import { describe, expect, it } from 'vitest';
import { bytes, count, duration, percent, perSecond, ratio, timeOfDay } from './format.js';

describe('numbers for people', () => {
  it.each([
    [0, '0'],
    [3, '3'],
    [3.1234, '3.1'],
    [42.55, '42.5'],
    [9_994, '9994'],
    [12_345, '12.3k'],
    [999_999, '1M'],
    [2_500_000, '2.5M'],
    [undefined, '–'],
    [null, '–'],
    [Number.POSITIVE_INFINITY, '–'],
  ])('count %s as %s', (value, text) => {
    expect(count(value)).toBe(text);
  });

  it('have units', () => {
    expect(perSecond(1_500)).toBe('1500/s');
    expect(percent(0.034)).toBe('3.4 %');
    expect(percent(0.5)).toBe('50 %');
    expect(percent(0)).toBe('0 %');
    expect(ratio(1.234)).toBe('1.23');
    expect(bytes(52_428_800)).toBe('52.4 MB');
  });

  it.each([
    [0.25, '0.25 ms'],
    [12, '12 ms'],
    [1_500, '1.5 s'],
    [90_000, '90 s'],
    [600_000, '10 min'],
    [7_200_000, '2 h'],
  ])('say %s ms as %s', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });

  it('tell the time', () => {
    expect(timeOfDay(new Date(2026, 0, 2, 3, 4, 5).getTime())).toBe('03:04:05');
  });
});
