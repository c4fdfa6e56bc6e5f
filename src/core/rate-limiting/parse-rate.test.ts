import { describe, expect, it } from 'vitest';
import { parseRate } from './parse-rate.js';

describe('parseRate', () => {
  it.each([
    ['300/3h', 300, 10_800_000],
    ['300 per minute', 300, 60_000],
    ['5 per minute', 5, 60_000],
    ['2/m', 2, 60_000],
    ['3/s', 3, 1_000],
    ['100/500ms', 100, 500],
    ['10 / 2 days', 10, 172_800_000],
    ['1/d', 1, 86_400_000],
    ['7 per 10 Seconds', 7, 10_000],
    [' 7 PER 1 hour ', 7, 3_600_000],
    ['9/min', 9, 60_000],
    ['9/15sec', 9, 15_000],
    ['9 per millisecond', 9, 1],
  ])('reads %s', (text, limit, windowMs) => {
    expect(parseRate(text)).toEqual({ limit, windowMs });
  });

  it.each([
    '',
    '300',
    '300/',
    '/h',
    '3.5/s',
    '-3/s',
    '3/1.5h',
    '3 minutes',
    '3/fortnight',
    '3/h/s',
    '3 perminute',
    '1e3/s',
    '3/constructor',
  ])('refuses %j', (text) => {
    expect(() => parseRate(text)).toThrow(
      `rate must be like "300/3h" or "5 per minute", in ms, s, m, h, d or their words, got ${JSON.stringify(text)}`,
    );
  });

  it('refuses numbers that no algorithm takes', () => {
    expect(() => parseRate('0/s')).toThrow('limit must be an integer from 1 to');
    expect(() => parseRate('5/0s')).toThrow('windowMs must be an integer from 1 to');
    expect(() => parseRate('99999999999999999/s')).toThrow('limit must be');
    expect(() => parseRate('5/99999999d')).toThrow('windowMs must be');
    expect(() => parseRate(undefined as unknown as string)).toThrow(RangeError);
  });
});
