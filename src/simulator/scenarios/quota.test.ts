import { describe, expect, it } from 'vitest';
import { quotaScenario } from './quota.js';

describe('quota', () => {
  const { result, figures } = quotaScenario.run({ seed: 0 });
  const row = (run: string, clients: string) =>
    result.rows.find((each) => each['run'] === run && each['clients'] === clients)!;

  it('gives errors only to the customer that asks for more than its quota', () => {
    expect(result.checks.filter(({ holds }) => !holds)).toEqual([]);
    expect(row('quota, divided by use', 'android')['errorShare']).toBeGreaterThan(0.4);
    for (const clients of ['gmail', 'calendar', 'google+', 'startup', 'university']) {
      expect(row('quota, divided by use', clients)['errorShare']).toBe(0);
    }
  });

  it('shows what happens when limits do not follow use, and without any', () => {
    expect(row('quota, equal parts', 'startup')['errorShare']).toBeGreaterThan(0.1);
    expect(row('no quota', 'gmail')['errorShare']).toBeGreaterThan(0.05);
    const uses = row('no quota', 'android');
    expect(uses['servedCpu']).toBeGreaterThan(1.5 * (uses['quotaCpu'] as number));
  });

  it('draws what each customer got in each run', () => {
    expect(figures[0]?.panels).toHaveLength(3);
  });
});
