import { describe, expect, it } from 'vitest';
import { callTreeScenario } from './call-tree.js';

describe('call-tree', () => {
  const { result, figures } = callTreeScenario.run({ seed: 0 });
  const tasks = result.rows.filter(({ section }) => section === 'tasks');

  it('completes near half of the tasks for every number of calls', () => {
    expect(result.checks).toHaveLength(8);
    expect(result.checks.filter(({ holds }) => !holds)).toEqual([]);
    // More than half is impossible, but for chance: the leaf was overloaded as said.
    for (const row of tasks) expect(row['completedShare']).toBeLessThan(0.53);
  });

  it('compares with independent choices, at fixed shares and at the least that the leaf must refuse', () => {
    const alone = tasks.filter((row) => row['front'] === 'leaf alone decides');
    expect(alone.map((row) => row['independentShare'])).toEqual([0.5, 0.25, 0.125, 0.0625]);
    const adapted = alone.map((row) => row['independentAdaptedShare'] as number);
    // Measured with orders drawn for every call: 38, 33 and 30 %.
    for (const [at, share] of [0.5, 0.38, 0.33, 0.3].entries()) expect(adapted[at]).toBeCloseTo(share, 2);
    expect(figures[0]!.panels[0]).toMatchObject({ lines: { length: 4 } });
  });

  it('has a front that lets everything through, so that it is the leaf that refuses', () => {
    const refused = result.rows.filter(
      (row) => row['section'] === 'backends' && row['front'] === 'leaf alone decides',
    );
    for (const row of refused) {
      if (row['service'] === 'front') expect(row['refusedPerSecond']).toBe(0);
      else expect(row['refusedPerSecond']).toBeGreaterThan(150);
    }
  });
});
