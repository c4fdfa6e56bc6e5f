import { expect, it } from 'vitest';
import { nearestRank } from './nearest-rank.js';

it('is the smallest rank that covers the share', () => {
  expect([0, 0.05, 0.2, 0.21, 0.4, 0.5, 0.999, 1].map((q) => nearestRank(q, 5))).toEqual([
    1, 1, 1, 2, 2, 3, 5, 5,
  ]);
  expect(nearestRank(0.5, 4)).toBe(2);
  expect(nearestRank(0.5, 1)).toBe(1);
  expect(nearestRank(0.99, 1_000_000_000)).toBe(990_000_000);
});

it('is not pushed up by the rounding of a product', () => {
  for (const count of [100, 1_000, 10_000]) {
    for (let percent = 1; percent <= 100; percent++) {
      expect(nearestRank(percent / 100, count)).toBe((percent * count) / 100);
    }
  }
});

it('refuses a quantile that is none', () => {
  expect(() => nearestRank(95, 10)).toThrow('quantile must be from 0 to 1, got 95');
});
