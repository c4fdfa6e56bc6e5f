import { describe, expect, it } from 'vitest';
import { throttlingScenario } from './throttling.js';

describe('throttling', () => {
  const { result, figures } = throttlingScenario.run({ seed: 0 });
  const runOf = (load: number, throttle: string) =>
    result.rows.find(
      (row) => row['section'] === 'throttling' && row['load'] === load && row['throttle'] === throttle,
    )!;

  it('leaves K − 1 refusals for each request served, and the goodput that the formula gives', () => {
    expect(result.checks.filter(({ holds }) => !holds)).toEqual([]);
  });

  it('counts what clients refuse themselves: what is beyond K times the capacity', () => {
    for (const load of [3, 10]) {
      expect(runOf(load, 'off')['refusedLocallyShare']).toBe(0);
      expect(runOf(load, 'K = 2')['refusedLocallyShare']).toBeCloseTo(1 - (2 * 0.96) / load, 1);
      expect(runOf(load, 'K = 1.1')['refusedLocallyShare']).toBeCloseTo(1 - 1.1 / load, 1);
    }
  });

  it('wins more than it costs: at 10 × a third of the capacity', () => {
    const won = (k: string) =>
      (runOf(10, k)['goodputOverCapacity'] as number) - (runOf(10, 'off')['goodputOverCapacity'] as number);
    expect(won('K = 2')).toBeGreaterThan(0.3);
    expect(won('K = 1.1')).toBeGreaterThan(won('K = 2'));
    expect(figures[0]!.panels.map(({ title }) => title)).toEqual(['refused for each served', 'goodput']);
  });
});
