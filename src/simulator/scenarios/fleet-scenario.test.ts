import { describe, expect, it } from 'vitest';
import type { FleetInput } from '../fleet/index.js';
import { fleetScenario } from './fleet-scenario.js';

type FaultInput = NonNullable<FleetInput['faults']>[number];

/** Two backends at 40 %, asked evenly: 80 requests a second of 10 ms. */
function fleet(faults: FaultInput[] = [], more: Partial<FleetInput> = {}): FleetInput {
  return {
    durationMs: 12_000,
    warmupMs: 1_000,
    services: { shop: { backends: 2, startMs: 200 } },
    clients: {
      users: {
        service: 'shop',
        arrivals: { perSecond: 80, process: 'even' },
        policy: 'round-robin',
        throttle: false,
        ejects: false,
        retry: { maxAttempts: 1 },
      },
    },
    recoverWithinMs: 1_000,
    faults,
    ...more,
  };
}

const kill = (forMs: number, atMs = 3_000): Extract<FaultInput, { kind: 'kill' }> => ({
  kind: 'kill',
  service: 'shop',
  backends: 2,
  atMs,
  forMs,
});

const checksOf = (input: FleetInput) => fleetScenario('mine', input).run({ seed: 1 }).result.checks;

describe('a fleet as a scenario', () => {
  it('has what was asked for, as data', () => {
    const input = fleet();
    const scenario = fleetScenario('mine', input);
    const { result, figures } = scenario.run({ seed: 7 });
    expect(scenario).toMatchObject({ name: 'mine', policies: expect.arrayContaining(['prequal']) });
    expect(result).toMatchObject({ scenario: 'mine', seed: 7, options: { fleet: input } });
    expect(result.options).not.toHaveProperty('policies');
    expect(result.rows.map(({ section }) => section)).toEqual(['requests', 'backends']);
    expect(result.rows[0]).not.toHaveProperty('policy');
    const [figure] = figures;
    expect(figure!.panels.map(({ title }) => title)).toEqual(['requests', 'shop']);
    const [requests] = figure!.panels;
    expect(requests?.kind === 'lines' && requests.lines.map(({ name }) => name)).toEqual([
      'users: offered',
      'users: served',
    ]);
    expect(requests?.kind === 'lines' && requests.lines[0]!.points).toHaveLength(12);
  });

  it('is the same to the byte for the same seed', () => {
    const scenario = fleetScenario('mine', fleet([kill(500)]));
    expect(JSON.stringify(scenario.run({ seed: 3 }))).toBe(JSON.stringify(scenario.run({ seed: 3 })));
  });

  it('is run with each policy that is asked for, on the same requests, tables beside each other', () => {
    const policies = ['round-robin', 'prequal'] as const;
    const progress: number[] = [];
    const { result, figures } = fleetScenario('mine', fleet([kill(500)])).run({
      seed: 1,
      policies,
      onProgress: ({ share }) => progress.push(share),
    });
    expect(result.options).toMatchObject({ policies });
    expect(result.rows.map(({ section, policy }) => [section, policy])).toEqual([
      ['requests', 'round-robin'],
      ['requests', 'prequal'],
      ['backends', 'round-robin'],
      ['backends', 'prequal'],
    ]);
    expect(result.rows[0]!['offeredPerSecond']).toBe(result.rows[1]!['offeredPerSecond']);
    expect(result.checks.map(({ name }) => name.split(': ')[0])).toEqual([
      'round-robin',
      'round-robin',
      'prequal',
      'prequal',
    ]);
    expect(figures.map(({ title }) => title)).toEqual([
      'round-robin: requests and load',
      'prequal: requests and load',
    ]);
    expect(progress.at(-1)).toBe(1);
    expect(progress).toContain(0.5);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
  });
});

describe('what is checked', () => {
  it('is that no request is lost, and nothing else without faults', () => {
    expect(checksOf(fleet())).toEqual([
      { name: 'requests without an end', value: 0, bound: '<= 0', holds: true },
    ]);
  });

  it('is that as many are served after the faults as before', () => {
    const [lost, served, ...others] = checksOf(fleet([kill(500)]));
    expect(others).toEqual([]);
    expect(lost).toMatchObject({ holds: true });
    expect(served).toMatchObject({ name: 'served share after recovery', holds: true });
    expect(served!.value).toBeCloseTo(1, 2);
    // Before, too, all were served but those that were under way.
    expect(served!.bound).toMatch(/^>= 0\.98\d*$/);
  });

  it('fails when the faults are not over in time', () => {
    for (const forMs of [9_500, 1e6]) {
      const [, before, after, ...others] = checksOf(fleet([kill(forMs)]));
      expect(others).toEqual([]);
      expect(before).toMatchObject({ name: 'seconds measured before the first fault', holds: true });
      expect(after).toEqual({
        name: 'seconds measured from 1000 ms after the last fault on',
        value: 0,
        bound: '>= 1',
        holds: false,
      });
    }
  });

  it('fails when a fault never came, or came before anything was measured', () => {
    expect(checksOf(fleet([kill(1, 1e8)]))[2]).toMatchObject({ value: 0, holds: false });
    expect(checksOf(fleet([kill(500, 0)]))[1]).toMatchObject({ value: 0, holds: false });
  });

  it('fails when the fleet does not recover', () => {
    // A throttle that looks back for ten minutes and hardly sends more than was accepted: the outage goes on in it.
    const stubborn = fleet([kill(3_000)]);
    const users = { ...stubborn.clients['users']!, throttle: { k: 1.01, windowMs: 600_000 } };
    const partition: FaultInput = { ...kill(3_000), kind: 'partition' };
    const [, served] = checksOf({ ...stubborn, faults: [partition], clients: { users } });
    expect(served).toMatchObject({ name: 'served share after recovery', holds: false });
    expect(served!.value).toBeLessThan(0.95);
  });
});
