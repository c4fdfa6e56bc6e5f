import { expect, it } from 'vitest';
import { checkFairQueueOptions, FAIR_QUEUE_DEFAULTS } from './fair-queue-options.js';

it('has defaults that hold', () => {
  expect(checkFairQueueOptions(undefined)).toEqual(FAIR_QUEUE_DEFAULTS);
});

it.each(['maxWaiting', 'maxWaitingPerJob', 'shareOfFree', 'maxWaitMs', 'maxJobs'] as const)(
  'refuses an impossible %s',
  (field) => {
    expect(() => checkFairQueueOptions({ [field]: 0 })).toThrow(`${field} must be`);
  },
);

it('refuses what it does not know', () => {
  expect(() => checkFairQueueOptions({ jobs: 5 } as object)).toThrow('fairQueue has no option "jobs"');
});
