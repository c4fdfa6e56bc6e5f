import { describe, expect, it } from 'vitest';
import { slowBackendsScenario } from './slow-backends.js';

// A loaded machine needs a while.
describe('slow-backends', { timeout: 60_000 }, () => {
  const { result, figures } = slowBackendsScenario.run({ seed: 0 });
  const of = (policy: string, column: string) =>
    result.rows.find((row) => row['policy'] === policy)![column] as number;

  it('holds', () => {
    expect(result.checks.map(({ bound }) => bound)).toEqual(['<= 0.25', '<= 0.02']);
    expect(result.checks.filter(({ holds }) => !holds)).toEqual([]);
  });

  it('has backends that are slow, and traffic that finds out', () => {
    expect(of('round-robin', 'slowShare')).toBeCloseTo(2 / 16, 3);
    // The slowest 8 % of those: 16 · 50 ms · ln 12.5.
    expect(of('round-robin', 'p99Ms')).toBeGreaterThan(1_800);
    expect(of('round-robin', 'p99Ms')).toBeLessThan(2_250);
    expect(result.rows.filter((row) => row['servedShare'] !== 1)).toEqual([]);
  });

  it('would not hold for least-loaded: each client knows only its own requests', () => {
    expect(of('least-loaded', 'p99Ms') / of('round-robin', 'p99Ms')).toBeGreaterThan(0.25);
    expect(of('least-loaded', 'slowShare')).toBeGreaterThan(0.02);
  });

  it('compares percentiles on a logarithmic scale', () => {
    expect(figures).toHaveLength(1);
    expect(figures[0]!.panels).toEqual([
      expect.objectContaining({
        x: { label: 'percentile', categories: ['p50', 'p90', 'p99', 'p99.9'] },
        y: { label: 'latency, ms', isLogarithmic: true },
      }),
    ]);
  });

  it('checks only what was run', () => {
    const checksFor = (policy: 'weighted' | 'prequal') =>
      slowBackendsScenario.run({ seed: 0, policies: [policy] }).result.checks.map(({ bound }) => bound);
    expect(checksFor('weighted')).toEqual([]);
    expect(checksFor('prequal')).toEqual(['<= 0.02']);
  });
});
