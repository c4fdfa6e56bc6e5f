import { expect, it } from 'vitest';
import type { BackendSnapshot } from '../../client/index.js';
import type { BackendState, LoadReport } from '../../core/index.js';
import { fullestOf, utilizationOf } from './service-load.js';

function backend(state: BackendState, report?: LoadReport): BackendSnapshot {
  return { url: 'http://b', zone: undefined, state, active: 0, connections: 1, report, health: undefined };
}

it.each([
  [[], undefined],
  [[backend('ready')], undefined],
  [[backend('ready', {})], undefined],
  [[backend('ready', { cpuUtilization: 0.4 }), backend('ready', { applicationUtilization: 0.8 })], 0.6],
  [[backend('ready', { applicationUtilization: 0, cpuUtilization: 0.4 })], 0.4],
  [[backend('ready', { applicationUtilization: 0.9, cpuUtilization: 0.4 })], 0.9],
  [[backend('ejected', { cpuUtilization: 1 }), backend('ready', { cpuUtilization: 0.5 })], 0.5],
])('%#', (backends, utilization) => {
  const known = utilizationOf({ backends });
  if (utilization === undefined) expect(known).toBeUndefined();
  else expect(known).toBeCloseTo(utilization, 10);
});

it('takes the fullest of what is known', () => {
  const errors: unknown[] = [];
  const failing = () => {
    throw new Error('nobody knows');
  };
  const fullest = (...sources: (() => number | undefined)[]) =>
    fullestOf(sources, (error) => errors.push(error));
  expect(fullest()).toBeUndefined();
  expect(fullest(() => undefined, failing)).toBeUndefined();
  expect(fullest(() => 0)).toBe(0);
  expect(
    fullest(
      () => 0.3,
      failing,
      () => 0.5,
      () => Number.NaN,
      () => 0.4,
    ),
  ).toBe(0.5);
  expect(errors).toHaveLength(2);
});
