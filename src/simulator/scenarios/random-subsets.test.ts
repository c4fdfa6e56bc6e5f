import { describe, expect, it } from 'vitest';
import {
  FIGURE_20_3_RUN,
  FIGURE_20_4_RUN,
  quantile,
  type RandomRunsRow,
  runsRows,
  typicalChecks,
} from './random-subsets.js';

describe('runs of random subsets', () => {
  it('are placed beside the one in the text', () => {
    const [min, max] = runsRows(30, [0.4, 0.5, 0.5, 0.6], [1.6, 1.5, 1.4, 1.7], FIGURE_20_4_RUN);
    expect(min).toEqual({
      section: 'random over seeds',
      size: 30,
      of: 'min/mean',
      mean: 0.5,
      p5: 0.4,
      p50: 0.5,
      p95: 0.6,
      text: 0.5,
      atOrBelowTextShare: 0.75,
    });
    expect(max).toMatchObject({ of: 'max/mean', p5: 1.4, p50: 1.5, p95: 1.7, atOrBelowTextShare: 0.5 });
    expect(max.mean).toBeCloseTo(1.55);
  });

  it.each([
    [0.756, 1.256, [true, true]],
    [0.73, 1.256, [false, true]],
    [0.79, 1.256, [false, true]],
    [0.756, 1.23, [true, false]],
    [0.756, 1.29, [true, false]],
  ])('of 30 %% are typical or not: %f … %f', (min, max, holds) => {
    const row = (p50: number) => ({ p50 }) as RandomRunsRow;
    const checks = typicalChecks(FIGURE_20_3_RUN, row(min), row(max));
    expect(checks.map((check) => check.holds)).toEqual(holds);
    expect(checks.map(({ name, value }) => [name, value])).toEqual([
      ['random, 30 %: typical min/mean', min],
      ['random, 30 %: typical max/mean', max],
    ]);
  });

  it('have quantiles that are runs', () => {
    const values = [3, 1, 2, 10];
    expect([0, 0.5, 0.75, 1].map((share) => quantile(values, share))).toEqual([1, 2, 3, 10]);
    expect(values).toEqual([3, 1, 2, 10]);
  });
});
