import { expect, it } from 'vitest';
import { atLeast, atMost } from '../../simulator/report/result.js';
import { formatCheckValue, holds, summarize } from './checks.js';

const [good, bad] = [atMost('a', 1, 2), atMost('b', 3, 2)];

it('hold when each of them does', () => {
  expect([[], [good], [good, bad]].map((checks) => holds({ checks }))).toEqual([true, true, false]);
});

it('show more digits when they fail', () => {
  expect(formatCheckValue(atMost('thirds', 1 / 3, 0.5))).toBe('0.3333');
  expect(formatCheckValue(atMost('a bit too much', 1.100_000_4, 1.1))).toBe('1.1000004');
  expect(formatCheckValue(atLeast('many', 12_000, 10_000))).toBe('12 000');
  expect(formatCheckValue(atMost('nothing', Number.POSITIVE_INFINITY, 1))).toBe('∞');
});

it('are summed up', () => {
  expect(summarize([])).toBe('no checks');
  expect(summarize([good])).toBe('the check holds');
  expect(summarize([good, good])).toBe('all 2 checks hold');
  expect(summarize([bad])).toBe('1 of 1 check does not hold');
  expect(summarize([bad, good, bad])).toBe('2 of 3 checks do not hold');
  expect(summarize([good, good], 'scenario')).toBe('all 2 scenarios hold');
});
