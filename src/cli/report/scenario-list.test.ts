import { expect, it } from 'vitest';
import type { Scenario } from '../../simulator/scenarios/scenario.js';
import { listScenarios } from './scenario-list.js';

const run = () => {
  throw new Error('is not run to be listed');
};

it('lists scenarios with what they claim and compare', () => {
  const scenarios: Scenario[] = [
    { name: 'quota', claim: 'only the misbehaving customer gets errors', run },
    { name: 'slow-backends', claim: 'slow ones get less', policies: ['round-robin', 'prequal'], run },
  ];
  expect(listScenarios(scenarios).split('\n')).toEqual([
    'quota          only the misbehaving customer gets errors',
    'slow-backends  slow ones get less',
    '               policies: round-robin, prequal',
  ]);
  expect(listScenarios([])).toBe('');
});
