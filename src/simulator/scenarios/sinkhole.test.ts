import { describe, expect, it } from 'vitest';
import type { BarPanel, LinePanel } from '../report/figure.js';
import { sinkholeScenario } from './sinkhole.js';

describe('sinkhole', () => {
  const { result, figures } = sinkholeScenario.run({ seed: 0 });
  const of = (section: string, policy: string, column: string) =>
    result.rows.find((row) => row['section'] === section && row['policy'] === policy)![column] as number;

  it('holds', () => {
    expect(result.checks).toHaveLength(4 * 2 + 4 + 4 + 2);
    expect(result.checks.filter(({ holds }) => !holds)).toEqual([]);
  });

  it.each(['round-robin', 'weighted'])(
    'needs ejection with %s, which would go on failing its share',
    (policy) => {
      expect(of('fails all', policy, 'failedLaterShare')).toBeLessThan(0.005);
      // Weighted gives it less, since its errors count, and goes on all the same.
      expect(of('fails all, no ejection', policy, 'failedLaterShare')).toBeGreaterThan(0.025);
    },
  );

  it.each(['least-loaded', 'prequal'])('has %s see it by itself', (policy) => {
    expect(of('fails all, no ejection', policy, 'failedLaterShare')).toBeLessThan(0.025);
  });

  it('finds it when it comes back, and puts it out again', () => {
    expect(of('fails all', 'round-robin', 'worstSecondLaterShare')).toBeGreaterThan(0.01);
  });

  it('says nothing of failures that nobody sees', () => {
    const unseen = result.rows.filter(({ section }) => section === 'fails unseen');
    expect(unseen).toHaveLength(4);
    for (const row of unseen) expect(row).not.toHaveProperty('failedLaterShare');
  });

  it('draws failures over time, and shares beside the fair one', () => {
    const [lines, bars] = figures[0]!.panels as [LinePanel, BarPanel];
    expect(lines.lines.map(({ name }) => name)).toEqual(bars.x.categories);
    expect(lines.marks).toEqual([{ value: 40, label: 'fair share' }]);
    expect(bars.bars.map(({ values }) => values.length)).toEqual([4, 4, 4, 4]);
  });
});
