import { expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Result } from '../../../src/simulator/report/result.js';
import { fleetsOf } from './fleets-of.js';

const FLEET = {
  durationMs: 1_000,
  services: { web: { backends: 2 } },
  clients: { people: { service: 'web', arrivals: 5 } },
};

const result = (options: object): Result => ({ scenario: 'sample', seed: 0, options, rows: [], checks: [] });

it('are found wherever they are', () => {
  const named = (options: object) => fleetsOf(result(options)).map(({ name }) => name);
  expect(named(FLEET)).toEqual(['sample']);
  expect(named({ loads: [1, 2], fleet: FLEET })).toEqual(['fleet']);
  expect(named({ fleets: { small: FLEET, large: FLEET }, runs: [{ fleet: FLEET }] })).toEqual([
    'fleets.small',
    'fleets.large',
    'runs[0].fleet',
  ]);
  expect(named({ clients: 300, backends: 300, text: 'x', nothing: null })).toEqual([]);
});

it('say the same as text', () => {
  const [fleet] = fleetsOf(result({ fleet: FLEET }));
  expect(fleet!.text).toMatch(/^# sample, fleet\ndurationMs: 1000\n/);
  expect(parse(fleet!.text)).toEqual(FLEET);
});
