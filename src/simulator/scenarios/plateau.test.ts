import { describe, expect, it } from 'vitest';
import { plateauScenario } from './plateau.js';

describe('plateau', () => {
  const { result, figures } = plateauScenario.run({ seed: 0 });
  const rows = result.rows.filter(({ section }) => section === 'plateau');
  const goodputs = (guard: string) =>
    rows.filter((row) => row['guard'] === guard).map((row) => row['goodputPerSecond'] as number);

  it('stays at its capacity, and answers the most critical as fast as ever', () => {
    expect(result.checks.filter(({ holds }) => !holds)).toEqual([]);
  });

  it('rises to the plateau and does not leave it', () => {
    const goodput = goodputs('yes');
    expect(goodput).toHaveLength(7);
    for (const [at, value] of goodput.entries()) expect(value).toBeGreaterThan(at < 2 ? 650 : 1_220);
  });

  it('is not told how many slots there are, and finds them', () => {
    const limits = rows
      .filter((row) => row['guard'] === 'yes' && (row['offeredPerSecond'] as number) > 1_300)
      .flatMap((row) => String(row['concurrencyLimits']).split(', ').map(Number));
    expect(limits).toHaveLength(8);
    // A dip, in which a limit is tested, goes down to 60 % of it, and the next may begin before it is over.
    for (const limit of limits) expect(limit).toBeGreaterThan(0.6 ** 2 * 78);
    expect(limits.filter((limit) => limit > 70).length).toBeGreaterThanOrEqual(3);
    for (const limit of limits) expect(limit).toBeLessThan(1.5 * 78);
  });

  it('falls off a cliff without a guard', () => {
    const goodput = goodputs('no');
    expect(Math.max(...goodput)).toBeGreaterThan(1_200);
    expect(goodput.at(-1)).toBeLessThan(10);
    expect(figures[0]).toMatchObject({
      panels: [{ lines: [{ name: 'with the guard' }, { name: 'without' }] }, {}],
    });
  });
});
