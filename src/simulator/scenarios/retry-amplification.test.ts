import { describe, expect, it } from 'vitest';
import { retryAmplificationScenario } from './retry-amplification.js';

describe('retry-amplification', () => {
  const { result, figures } = retryAmplificationScenario.run({ seed: 0 });
  const service = (load: number, rule: string) =>
    result.rows.find(
      (row) => row['section'] === 'one service' && row['load'] === load && row['rule'] === rule,
    )!;

  it('bounds retries, keeps goodput, and does not explode in a stack', () => {
    expect(result.checks.filter(({ holds }) => !holds)).toEqual([]);
  });

  it('goes from nothing to nearly all of the capacity, rule by rule', () => {
    const goodput = ['three attempts', 'and a budget', 'and throttling'].map(
      (rule) => service(10, rule)['goodputOverCapacity'] as number,
    );
    expect(goodput.toSorted((a, b) => a - b)).toEqual(goodput);
    expect(service(10, 'no retries')['attemptsPerRequest']).toBeCloseTo(1, 2);
  });

  it('retries only right above the layer that refuses', () => {
    const stack = result.rows.filter(({ section }) => section === 'stack: attempts per request');
    expect(stack).toHaveLength(3);
    for (const row of stack) {
      for (const layer of ['frontend', 'backend-a', 'backend-b']) expect(row[layer]).toBeCloseTo(1, 2);
      expect(row['db-frontend']).toBeGreaterThan(1.05);
    }
    expect(figures[1]!.panels[0]).toMatchObject({ bars: [{ values: { 0: 27 } }] });
  });
});
