import { expect, it } from 'vitest';
import { SCENARIOS } from '../../../src/simulator/scenarios/index.js';
import { LONG_SCENARIOS, waitOf } from './scenario-waits.js';

it('names scenarios that there are', () => {
  const names = SCENARIOS.map(({ name }) => name);
  expect(Object.keys(LONG_SCENARIOS).filter((name) => !names.includes(name))).toEqual([]);
});

it('is said in words', () => {
  expect(waitOf('quota-fleet')).toBe('Takes about a minute.');
  expect(waitOf('plateau')).toBe('Takes a few seconds at most.');
  expect(waitOf('constructor')).toBe('Takes a few seconds at most.');
});
