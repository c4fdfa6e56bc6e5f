import { describe, expect, it } from 'vitest';
import { figure211Scenario } from './figure-21-1.js';

describe('figure-21-1', () => {
  const { result, figures } = figure211Scenario.run({ seed: 0 });
  const histogram = (situation: string, backends: string) =>
    result.rows.find(
      (row) => row['error'] !== undefined && row['situation'] === situation && row['backends'] === backends,
    )!;

  it('tells one overloaded backend from a service that is', () => {
    expect(result.checks.filter(({ holds }) => !holds)).toEqual([]);
    expect(histogram('one overloaded', 'only count')['error']).toBe('task overloaded');
    expect(histogram('all overloaded', 'only count')['error']).toBe("don't retry");
  });

  it('has an overloaded backend in the second situation: there are retries, and none without it', () => {
    const retries = (situation: string) =>
      result.rows.find((row) => row['section'] === 'requests' && row['situation'] === situation)![
        'retriesShare'
      ];
    expect(retries('all have room')).toBeLessThan(0.005);
    expect(retries('one overloaded')).toBeGreaterThan(0.02);
  });

  it('shows a histogram for each situation', () => {
    expect(figures[0]!.panels).toHaveLength(3);
    for (const panel of figures[0]!.panels) expect(panel).toMatchObject({ bars: { length: 2 } });
  });
});
