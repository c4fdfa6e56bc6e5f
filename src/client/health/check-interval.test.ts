import fc from 'fast-check';
import { expect, it } from 'vitest';
import { evenlyBelow1 } from '../../core/evenly.contract.js';
import { CheckInterval, HEALTH_PACES } from './check-interval.js';
import { HEALTH_DEFAULTS } from './health-options.js';

const next = (interval: CheckInterval, count: number) => Array.from({ length: count }, () => interval.next());

it('stays, doubles, or grows by half, up to a most', () => {
  expect(next(new CheckInterval('active', HEALTH_DEFAULTS, () => 0.5), 3)).toEqual([1_000, 1_000, 1_000]);
  const interval = new CheckInterval('inactive', HEALTH_DEFAULTS, () => 0.5);
  expect(next(interval, 5)).toEqual([5_000, 10_000, 20_000, 20_000, 20_000]);
  interval.restart();
  expect(next(interval, 2)).toEqual([5_000, 10_000]);
  interval.setPace('down');
  expect(interval.pace).toBe('down');
  expect(next(interval, 4)).toEqual([250, 375, 562.5, 843.75]);
  expect(next(interval, 10).at(-1)).toBe(5_000);
});

it('is spread by a fifth to either side', () => {
  const least = new CheckInterval('active', HEALTH_DEFAULTS, () => 0);
  const most = new CheckInterval('active', HEALTH_DEFAULTS, () => 1 - 2 ** -53);
  expect([least.next(), most.next()]).toEqual([800, 1_200]);
});

it('is never outside of its bounds', () => {
  const random = evenlyBelow1();
  fc.assert(
    fc.property(fc.constantFrom(...HEALTH_PACES), random, fc.nat({ max: 100 }), (pace, drawn, count) => {
      const ms = next(new CheckInterval(pace, HEALTH_DEFAULTS, () => drawn), count + 1).at(-1)!;
      expect(ms).toBeGreaterThanOrEqual(200);
      expect(ms).toBeLessThanOrEqual(24_000);
    }),
  );
});
