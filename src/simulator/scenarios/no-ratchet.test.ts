import { describe, expect, it } from 'vitest';
import { noRatchetScenario } from './no-ratchet.js';

describe('no-ratchet', () => {
  const { result, figures } = noRatchetScenario.run({ seed: 0 });

  it('stays near the knee for twenty minutes, when requests get slower, and at another knee', () => {
    expect(result.checks).toHaveLength(8);
    expect(result.checks.filter(({ holds }) => !holds)).toEqual([]);
  });

  it('was always at its limit: the median is what a full server needs, not what it began with', () => {
    for (const row of result.rows.filter(({ section }) => section === 'limits')) {
      expect(row['medianLimit']).toBeGreaterThan(row['knee'] as number);
    }
  });

  it('computes where Gradient2 would be: twice, five and ten times the knee', () => {
    const limits = result.rows
      .filter(({ section }) => section === 'Gradient2, computed')
      .map((row) => row['overKnee'] as number);
    expect(limits).toHaveLength(3);
    for (const [at, least] of [1.8, 5, 10].entries()) expect(limits[at]).toBeGreaterThanOrEqual(least);
  });

  it('shows both limits over time', () => {
    expect(figures[0]!.panels[0]).toMatchObject({
      lines: [{ name: 'ours, simulated' }, { name: 'Gradient2, computed' }],
    });
  });
});
