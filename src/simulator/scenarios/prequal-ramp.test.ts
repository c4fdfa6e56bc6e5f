import { expect, it } from 'vitest';
import { prequalRampScenario } from './prequal-ramp.js';

it('fails with a policy that misses deadlines, and says where it begins', () => {
  const { result } = prequalRampScenario.run({ seed: 1, policies: ['weighted'] });
  expect(result.checks).toHaveLength(1);
  expect(result.checks[0]).toMatchObject({ holds: true, bound: '>= 0.1' });
  const shares = result.rows.map((row) => row['errorShare'] as number);
  expect(shares).toHaveLength(9);
  // Up to what is reserved nothing is missed, as in the paper.
  expect(Math.max(...shares.slice(0, 3))).toBe(0);
  expect(shares[8]).toBeGreaterThan(shares[5]!);
});
