import { expect, it } from 'vitest';
import { rateOf } from './rates.js';

const looks = (now: number | undefined, before: number | undefined, elapsedMs = 2_000) => ({
  now: { count: now },
  before: before === undefined ? undefined : { count: before },
  elapsedMs,
});

it.each([
  [looks(30, 10), 10],
  [looks(10, 10), 0],
  [looks(10, undefined), undefined],
  [looks(undefined, 10), undefined],
  [looks(5, 10), undefined],
  [looks(30, 10, 0), undefined],
])('%j', (given, rate) => {
  expect(rateOf(given, ({ count }) => count)).toBe(rate);
});
