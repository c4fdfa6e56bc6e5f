import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fewerPoints } from './fewer-points.js';

it('leaves short lines as they are', () => {
  const points = [
    [0, 1],
    [1, 2],
  ] as const;
  expect(fewerPoints(points, 2)).toBe(points);
});

it('keeps the peaks', () => {
  const points = Array.from({ length: 1_000 }, (_, x) => [x, x === 517 ? 99 : x === 518 ? -99 : 1] as const);
  const fewer = fewerPoints(points, 100);
  expect(fewer).toContainEqual([517, 99]);
  expect(fewer).toContainEqual([518, -99]);
});

it('keeps at most that many, in their order', () => {
  const line = fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 3, maxLength: 80 });
  fc.assert(
    fc.property(line, fc.integer({ min: 2, max: 20 }), (ys, most) => {
      const points = ys.map((y, x) => [x, y] as const);
      const fewer = fewerPoints(points, most);
      expect(fewer.length).toBeLessThanOrEqual(Math.max(most, 1));
      const xs = fewer.map(([x]) => x);
      expect(xs).toEqual(xs.toSorted((a, b) => a - b));
      const [kept, all] = [fewer, points].map((some) => some.map(([, y]) => y));
      expect([Math.min(...kept!), Math.max(...kept!)]).toEqual([Math.min(...all!), Math.max(...all!)]);
    }),
  );
});

it('keeps one of one', () => {
  expect(
    fewerPoints(
      [
        [0, 1],
        [1, 1],
        [2, 1],
      ],
      1,
    ),
  ).toEqual([[0, 1]]);
});
