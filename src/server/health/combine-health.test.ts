import fc from 'fast-check';
import { expect, it } from 'vitest';
import { HEALTH_STATES } from '../../wire/index.js';
import { combineHealth, combineReports, combineStates } from './combine-health.js';

it.each([
  [[], 'starting'],
  [['starting'], 'starting'],
  [['starting', 'ready'], 'ready'],
  [['lame-duck', 'ready', 'closed'], 'ready'],
  [['lame-duck', 'lame-duck'], 'lame-duck'],
  [['lame-duck', 'closed'], 'lame-duck'],
  [['lame-duck', 'starting'], 'starting'],
  [['closed'], 'closed'],
  [['closed', 'starting'], 'starting'],
] as const)('%j together are %s', (states, together) => {
  expect(combineStates(states)).toBe(together);
});

it('is ready when one is, and never says what none says', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...HEALTH_STATES), { minLength: 1 }), (states) => {
      expect(states).toContain(combineStates(states));
      expect(combineStates(states) === 'ready').toBe(states.includes('ready'));
    }),
  );
});

it('adds up what is counted, and means the rest', () => {
  expect(
    combineReports([
      { cpuUtilization: 0.2, applicationUtilization: 0.5, requestsPerSecond: 10, inFlight: 1, latencyMs: 3 },
      { cpuUtilization: 0.6, requestsPerSecond: 30, errorsPerSecond: 2, inFlight: 4, latencyMs: 900 },
      { latencyMs: 5 },
    ]),
  ).toEqual({
    cpuUtilization: 0.4,
    applicationUtilization: 0.5,
    requestsPerSecond: 40,
    errorsPerSecond: 2,
    inFlight: 5,
    latencyMs: 5,
  });
});

it('says nothing where nobody says anything', () => {
  expect(combineReports([])).toEqual({});
  expect(combineReports([{}, {}])).toEqual({});
  expect(combineReports([{ latencyMs: 9 }, { latencyMs: 1 }])).toEqual({ latencyMs: 1 });
});

it('is both', () => {
  expect(combineHealth([{ state: 'ready', report: { inFlight: 2 } }])).toEqual({
    state: 'ready',
    report: { inFlight: 2 },
  });
});
