import { describe, expect, it } from 'vitest';
import { quotaOutageScenario } from './quota-outage.js';

describe('quota-outage', { timeout: 60_000 }, () => {
  const { result, figures } = quotaOutageScenario.run({ seed: 0 });

  it('holds the one that wants too much, and nobody else, whoever is gone', () => {
    expect(result.checks).toHaveLength(6 * 2);
    expect(result.checks.filter(({ holds }) => !holds)).toEqual([]);
  });

  it('shows each customer in each stretch, and draws the time', () => {
    expect(result.rows).toHaveLength(6 * 8);
    expect(figures[0]!.panels[0]).toMatchObject({ kind: 'lines', marks: [{ value: 5 }] });
    expect(JSON.parse(JSON.stringify(result))).toStrictEqual(result);
  });
});
