import { describe, expect, it } from 'vitest';
import type { BarPanel } from '../report/figure.js';
import { figure205Scenario } from './figure-20-5.js';

describe('figure-20-5', () => {
  const { result, figures } = figure205Scenario.run({ seed: 0 });

  it('holds', () => {
    expect(result.checks.map(({ bound }) => bound)).toEqual(['= 10', '= 10', '<= 0.4', '>= 1.8']);
    expect(result.checks.filter(({ holds }) => !holds)).toEqual([]);
  });

  it('wastes nothing where random subsets would', () => {
    expect(result.rows).toEqual([
      expect.objectContaining({
        algorithm: 'deterministic',
        minConnections: 10,
        meanConnections: 10,
        maxConnections: 10,
        minOverMean: 1,
        maxOverMean: 1,
        wasteConnections: 0,
      }),
      expect.objectContaining({ algorithm: 'random', minConnections: 2, maxConnections: 18 }),
    ]);
  });

  it('draws 300 bars of the same height', () => {
    const [panel] = figures[0]!.panels as [BarPanel];
    expect(panel.bars[0]!.values).toEqual(Array.from({ length: 300 }, () => 10));
    expect(panel.marks).toEqual([{ value: 10, label: 'mean 10' }]);
  });

  it('refuses a seed whose draws would go past the last one', () => {
    expect(() => figure205Scenario.run({ seed: 0xffff_ffff })).toThrow(
      new RangeError('seed must be an integer from 0 to 4294967246, got 4294967295'),
    );
  });
});
