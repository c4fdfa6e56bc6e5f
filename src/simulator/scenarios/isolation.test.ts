import { describe, expect, it } from 'vitest';
import { isolationScenario } from './isolation.js';

describe('isolation', () => {
  const { result, figures } = isolationScenario.run({ seed: 0 });
  const phaseOf = (run: string, phase: string, criticality: string) =>
    result.rows.find(
      (row) =>
        row['section'] === 'phases' &&
        row['run'] === run &&
        row['phase'] === phase &&
        row['criticality'] === criticality,
    )!;

  it('serves what is critical, refuses what is not, and wastes nothing', () => {
    expect(result.checks.filter(({ holds }) => !holds)).toEqual([]);
    expect(phaseOf('guard', 'spike', 'SHEDDABLE')['servedShare']).toBeLessThan(0.3);
  });

  it('has a spike that would have taken the critical requests with it, and everything served before it', () => {
    expect(phaseOf('no guard', 'spike', 'CRITICAL_PLUS')['servedShare']).toBeLessThan(0.3);
    for (const run of ['guard', 'no guard']) expect(phaseOf(run, 'before', 'all')['servedShare']).toBe(1);
  });

  it('says what the spike costs afterwards: throttles remember it', () => {
    const after = phaseOf('guard', 'after', 'SHEDDABLE');
    expect(after['throttledShare']).toBeGreaterThan(0.3);
    expect(after['shedShare']).toBeLessThan(0.05);
    expect(phaseOf('guard', 'after', 'CRITICAL')['servedShare']).toBe(1);
  });

  it('shows goodput by criticality over time, with and without a guard', () => {
    const [guarded, bare] = figures[0]!.panels;
    expect([guarded!.title, bare!.title]).toEqual(['guard', 'no guard']);
    expect(guarded).toMatchObject({
      lines: [
        { name: 'CRITICAL_PLUS' },
        { name: 'CRITICAL' },
        { name: 'SHEDDABLE_PLUS' },
        { name: 'SHEDDABLE' },
      ],
    });
  });
});
