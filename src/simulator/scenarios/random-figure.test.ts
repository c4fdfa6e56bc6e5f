import { describe, expect, it } from 'vitest';
import { countConnections } from '../../core/subsetting/index.js';
import type { BarPanel } from '../report/figure.js';
import { atLeast, atMost } from '../report/result.js';
import { randomFigure } from './random-figure.js';
import { FIGURE_20_3_RUN, FIGURE_20_4_RUN } from './random-subsets.js';

const FIGURE = { name: 'figure', claim: 'random', draws: 20, placeOfText: () => [] };
const BACKENDS = Array.from({ length: 300 }, (_, index) => `backend-${index}`);

describe('a figure of random subsets', () => {
  const scenario = randomFigure({ ...FIGURE, text: FIGURE_20_3_RUN });
  const { result, figures } = scenario.run({ seed: 3 });
  const counts = countConnections({
    algorithm: 'random',
    size: 90,
    seed: 3,
    clientCount: 300,
    backends: BACKENDS,
  });
  const [least, most] = [Math.min(...counts), Math.max(...counts)];

  it('says what it ran, and how the first draw came out', () => {
    expect(result).toMatchObject({
      scenario: 'figure',
      seed: 3,
      options: { algorithm: 'random', clients: 300, backends: 300, size: 90, draws: 20 },
    });
    expect(result.rows[0]).toEqual({
      section: 'connections of a backend',
      algorithm: 'random',
      size: 90,
      minConnections: least,
      meanConnections: 90,
      maxConnections: most,
      minOverMean: least / 90,
      maxOverMean: most / 90,
      wasteConnections: 300 * (most - 90),
    });
  });

  it("puts the text's run among the draws", () => {
    const runs = result.rows.filter(({ section }) => section === 'random over seeds');
    expect(runs.map(({ size, of, text }) => [size, of, text])).toEqual([
      [90, 'min/mean', 57 / 90],
      [90, 'max/mean', 109 / 90],
    ]);
    for (const { p5, p50, p95 } of runs as Record<string, number>[]) {
      expect(p5).toBeLessThan(p50!);
      expect(p50).toBeLessThan(p95!);
    }
  });

  it('deviates as fair draws do', () => {
    const row = result.rows.at(-1) as Record<string, number>;
    expect(row['section']).toBe('deviation over seeds');
    expect(row['fairConnections']).toBeCloseTo(Math.sqrt(63), 12);
    expect(row['overFair']).toBeCloseTo(row['deviationConnections']! / row['fairConnections']!, 12);
    // 6,000 backends: known to 0.9 %.
    expect(Math.abs(row['overFair']! - 1)).toBeLessThan(0.03);
  });

  it('draws a bar for each backend, in the order of the list, and the mean', () => {
    const [panel] = figures[0]!.panels as [BarPanel];
    expect(panel.bars.map(({ values }) => values)).toEqual([[...counts]]);
    expect([panel.x.categories.length, panel.x.categories[299]]).toEqual([300, '299']);
    expect(panel.marks).toEqual([{ value: 90, label: 'mean 90' }]);
  });

  it('has checks that fail when the draws are not as claimed', () => {
    const shares: number[][] = [];
    const wrong = randomFigure({
      ...FIGURE,
      // Subsets of 10 % that should be as even as those of 30 %.
      text: { ...FIGURE_20_3_RUN, share: 0.1 },
      placeOfText: (min, max) => {
        shares.push([min, max]);
        return [atMost('min', min, 0.03), atLeast('max', max, 0.02)];
      },
    });
    const { checks, rows } = wrong.run({ seed: 0 }).result;
    expect(checks.map(({ name, holds }) => [name, holds])).toEqual([
      ['random, 10 %: typical min/mean', false],
      ['random, 10 %: typical max/mean', false],
      ['min', false],
      ['max', false],
      ['deviation over that of fair draws', true],
    ]);
    expect(shares).toEqual([[rows[1]!['atOrBelowTextShare'], rows[2]!['atOrBelowTextShare']]]);
  });

  it('cannot tell from one draw whether chance is fair', () => {
    const one = randomFigure({ ...FIGURE, draws: 1, text: FIGURE_20_4_RUN });
    const spreads = [0, 1, 2, 3, 4].map((seed) => one.run({ seed }).result.checks.at(-1)!);
    expect(spreads.some(({ holds }) => !holds)).toBe(true);
  });
});
