import { expect, it } from 'vitest';
import { prequalRulesScenario } from './prequal-rules.js';

it('claims nothing of policies that were not compared', () => {
  const { result, figures } = prequalRulesScenario.run({ seed: 0, policies: ['round-robin'] });
  expect(result.checks).toEqual([]);
  const requests = result.rows.filter((row) => row['section'] === 'requests');
  expect(requests.map((row) => [row['policy'], row['load']])).toEqual([
    ['round-robin', 0.7],
    ['round-robin', 0.9],
  ]);
  // What Prequal's own is compared with: round robin gets much slower.
  const [at70, at90] = requests.map((row) => row['p99Ms'] as number);
  expect(at90! / at70!).toBeGreaterThan(1.5);
  expect(figures).toHaveLength(1);
});
