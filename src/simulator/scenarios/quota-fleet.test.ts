import { describe, expect, it } from 'vitest';
import { quotaFleetScenario, runQuotaFleet } from './quota-fleet.js';

describe('quota-fleet', { timeout: 60_000 }, () => {
  // A 25th of it, in requests of a fifth: the whole is for the command line.
  const runs = [
    { name: 'even', scale: 0.04, offender: 'greedy', costMs: 100 },
    { name: 'uneven', scale: 0.04, offender: 'greedy', costMs: 100, isUneven: true, othersShare: 0.5 },
  ];
  const { result, figures } = runQuotaFleet(runs, { seed: 0 });

  it('holds on a small fleet, too', () => {
    expect(result.checks).toHaveLength(10);
    // With few backends a little is still shed after the seconds that the flood takes.
    const isFailed = ({ name, value, holds }: (typeof result.checks)[number]) =>
      name.includes('other errors') ? value > 0.003 : !holds;
    expect(result.checks.filter(isFailed)).toEqual([]);
    expect(result.scenario).toBe(quotaFleetScenario.name);
  });

  it('shows each customer that has a name, and draws what the offender gets', () => {
    const settled = result.rows.filter(({ section }) => section === 'even, after that');
    const greedy = settled.find(({ customer }) => customer === 'greedy')!;
    expect(greedy['quotaCpu']).toBe(20);
    expect(greedy['wantsCpu']).toBeGreaterThan(360);
    expect(greedy['quotaErrorShare']).toBeGreaterThan(0.9);
    expect(result.rows).toHaveLength(2 * 2 * 8);
    expect(figures[0]!.panels).toHaveLength(2);
    expect(JSON.parse(JSON.stringify(result))).toStrictEqual(result);
  });
});
