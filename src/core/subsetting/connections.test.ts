import { describe, expect, it } from 'vitest';
import { spread } from '../measuring/index.js';
import { connectionsMoved, countConnections, type Fleet, type SubsettingAlgorithm } from './index.js';

function keys(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `b${index}`);
}

function fleet(algorithm: SubsettingAlgorithm, clientCount: number, count: number, size: number): Fleet {
  return { algorithm, clientCount, backends: keys(count), size };
}

describe('countConnections', () => {
  it('counts by seat; a vacant one has none', () => {
    const backends = ['a', undefined, 'b', 'c'];
    const counts = countConnections({ algorithm: 'random', clientCount: 7, backends, size: 3 });
    expect([...counts]).toEqual([7, 0, 7, 7]);
  });

  it('refuses what is impossible', () => {
    expect(() => countConnections(fleet('random', 0, 3, 3))).toThrow(
      'clientCount must be an integer >= 1, got 0',
    );
    expect(() => countConnections(fleet('random', 1, 3, 4))).toThrow(
      'size must be an integer from 1 to 3, got 4',
    );
    expect(() => countConnections(fleet('random', 1, 0, 1))).toThrow('number of backends');
    expect(() => countConnections({ ...fleet('random', 1, 3, 1), seed: 0.5 })).toThrow('seed');
  });

  // Shapes in which nothing divides anything. What each algorithm promises, and how much worse chance is.
  it.each<[number, number, number, Record<SubsettingAlgorithm, [number, number]>]>([
    [300, 300, 30, { random: [0.4, 1.54], deterministic: [1, 1], rocksteadier: [1, 1] }],
    [1000, 1000, 20, { random: [0.35, 1.7], deterministic: [1, 1], rocksteadier: [1, 1] }],
    [300, 305, 30, { random: [0.4, 1.5], deterministic: [0.98, 1.02], rocksteadier: [0.98, 1.02] }],
    [100, 37, 10, { random: [0.59, 1.41], deterministic: [0.96, 1.04], rocksteadier: [0.92, 1.08] }],
    // 3.3 connections in the mean: 2 and 4 are the next whole numbers but one.
    [17, 103, 20, { random: [0, 2.13], deterministic: [0.6, 1.22], rocksteadier: [0.6, 1.22] }],
    // Five lots of clients on a hundred of backends: stable places cannot meet end to end.
    [50, 1000, 20, { random: [0, 5], deterministic: [1, 1], rocksteadier: [0, 2] }],
    // 2 of 20 columns: the gaps of 1 : 2 on the ring show.
    [2000, 200, 2, { random: [0.25, 1.55], deterministic: [1, 1], rocksteadier: [0.65, 1.25] }],
  ])('%i clients, %i backends, size %i: how even it is', (clients, count, size, bounds) => {
    for (const algorithm of ['random', 'deterministic', 'rocksteadier'] as const) {
      const [least, most] = bounds[algorithm];
      const balance = spread(countConnections(fleet(algorithm, clients, count, size)));
      expect(balance.mean).toBeCloseTo((clients * size) / count, 10);
      expect(balance.minOverMean).toBeGreaterThanOrEqual(least);
      expect(balance.maxOverMean).toBeLessThanOrEqual(most);
    }
  });
});

describe('connectionsMoved', () => {
  it('nothing when nothing changes', () => {
    const same = fleet('rocksteadier', 20, 50, 10);
    expect(connectionsMoved(same, same)).toEqual({ kept: 200, opened: 0, closed: 0, movedShare: 0 });
  });

  it('counts clients that come and go', () => {
    const [few, many] = [fleet('rocksteadier', 30, 50, 10), fleet('rocksteadier', 40, 50, 10)];
    expect(connectionsMoved(few, many)).toEqual({ kept: 300, opened: 100, closed: 0, movedShare: 0.25 });
    expect(connectionsMoved(many, few)).toEqual({ kept: 300, opened: 0, closed: 100, movedShare: 0.25 });
  });

  it('a change of size keeps the smaller subset inside the larger, where order does not depend on it', () => {
    const moved = connectionsMoved(fleet('rocksteadier', 30, 50, 10), fleet('rocksteadier', 30, 50, 12));
    expect(moved).toMatchObject({ kept: 300, opened: 60, closed: 0 });
  });

  // 30 of 9,000 connections, 0.33 %, is what one more of 301 backends needs.
  it.each<[SubsettingAlgorithm, number, number]>([
    ['random', 0.003, 0.004],
    ['deterministic', 0.85, 0.95],
    ['rocksteadier', 0.003, 0.0034],
  ])('%s: when a backend joins 300', (algorithm, least, most) => {
    const moved = connectionsMoved(fleet(algorithm, 300, 300, 30), fleet(algorithm, 300, 301, 30));
    expect(moved.opened).toBe(moved.closed);
    expect(moved.kept + moved.closed).toBe(9_000);
    expect(moved.movedShare).toBeGreaterThanOrEqual(least);
    expect(moved.movedShare).toBeLessThanOrEqual(most);
  });

  it.each<SubsettingAlgorithm>(['random', 'deterministic', 'rocksteadier'])(
    '%s: a backend that leaves its seat vacant moves its own connections only; a closed gap moves many',
    (algorithm) => {
      const before = fleet(algorithm, 300, 300, 30);
      const had = countConnections(before)[150]!;
      const vacated = before.backends.map((key) => (key === 'b150' ? undefined : key));
      expect(connectionsMoved(before, { ...before, backends: vacated })).toMatchObject({
        opened: had,
        closed: had,
      });
      const closed = before.backends.filter((key) => key !== 'b150');
      expect(connectionsMoved(before, { ...before, backends: closed }).movedShare).toBeGreaterThan(0.4);
    },
  );
});
