import { describe, expect, it } from 'vitest';
import type { LinePanel } from '../report/figure.js';
import { figure206Scenario } from './figure-20-6.js';

// A loaded machine needs a while.
describe('figure-20-6', { timeout: 60_000 }, () => {
  const { result, figures } = figure206Scenario.run({ seed: 0 });
  const backendsOf = (fleet: string, policy: string) =>
    result.rows.find(
      (row) => row['section'] === 'backends' && row['fleet'] === fleet && row['policy'] === policy,
    )!;

  it('holds', () => {
    expect(result.checks.map(({ bound }) => bound)).toEqual([
      '>= 1.5',
      '>= 1.3',
      '<= 1.1',
      '>= 1.25',
      '>= 0.9',
    ]);
    expect(result.checks.filter(({ holds }) => !holds)).toEqual([]);
  });

  it('serves everything: no backend is full, so each shows what it was sent', () => {
    const requests = result.rows.filter(({ section }) => section === 'requests');
    expect(requests).toHaveLength(6);
    expect(requests.filter((row) => row['servedShare'] !== 1)).toEqual([]);
  });

  it('wastes a tenth of what round robin does where machines differ, and as much where demands do', () => {
    const wasteOf = (fleet: string, policy: string) => backendsOf(fleet, policy)['waste'] as number;
    expect(wasteOf('machines differ', 'weighted')).toBeLessThan(
      wasteOf('machines differ', 'round-robin') / 10,
    );
    expect(wasteOf('demands differ', 'weighted')).toBeGreaterThan(
      wasteOf('demands differ', 'round-robin') * 0.9,
    );
  });

  it('draws a line for each backend, policies beside each other on one scale', () => {
    expect(figures).toHaveLength(2);
    for (const { panels, sharesScale } of figures) {
      expect(sharesScale).toBe(true);
      expect(panels.map(({ title }) => title)).toEqual(['round-robin', 'least-loaded', 'weighted']);
      expect((panels as LinePanel[]).map(({ lines }) => lines.length)).toEqual([30, 30, 30]);
    }
  });

  it('checks only what was run', () => {
    const other = figure206Scenario.run({ seed: 0, policies: ['round-robin'] });
    expect(other.result.checks.map(({ name }) => name)).toEqual([
      'max/mean CPU where machines differ, round-robin',
    ]);
    expect(backendsOf('machines differ', 'round-robin')).toEqual(other.result.rows[0]);
  });
});
